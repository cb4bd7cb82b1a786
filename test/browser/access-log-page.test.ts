// The exported access log in Chromium (decision L4), in both languages, empty and long, on screen, on a phone, dark and
// as PDF. axe finds nothing, the policy is never violated, and no script is asked for.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { eventually } from '#test/support/http.ts';
import { findings, skipReason, startBrowser } from '#test/support/system/browser.ts';

const skip = skipReason() ?? false;
const { app, call, engine } = await startTestEngine({ after });
await engine.start();
const origin = await app.listen({ port: 0, host: '127.0.0.1' });
const browser = skip === false ? await startBrowser({ after }) : undefined;
/** Where pictures of every page go, when somebody wants to look at them. */
const pictures = process.env['KEDJA_TEST_PICTURES'];

const body = { resourceType: 'Patient', id: PATIENT };
assert.equal((await call('planner', 'PUT', `/Patient/${PATIENT}`, body)).status, 201);
for (const caller of ['planner', 'stranger', 'patient']) await call(caller, 'GET', `/Patient/${PATIENT}`);
await eventually('the accesses arrived', async () => {
  engine.wake();
  const { data } = (await call('patient', 'GET', '/access-log')).body;
  return data.length >= 4 || undefined;
});

const VIEWS: Readonly<Record<string, BrowserContextOptions>> = {
  wide: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 320, height: 640 } },
  dark: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
};

const CONTENTS = Object.entries({ rows: '', empty: '&until=2001-01-01T00:00:00Z' });

for (const [view, options] of Object.entries(VIEWS))
  test(`the log in both languages, with rows and empty, ${view}`, { skip }, async () => {
    assert.ok(browser !== undefined);
    const context = await browser.newContext({ ...options, extraHTTPHeaders: { authorization: 'Bearer patient' } });
    for (const lang of ['sv', 'en'])
      for (const [content, query] of CONTENTS) {
        const page = await context.newPage();
        const complaints: string[] = [];
        const types: string[] = [];
        page.on('console', (message) => complaints.push(message.text()));
        page.on('request', (request) => types.push(request.resourceType()));
        await page.goto(`${origin}/api/v1/access-log/export?format=html&lang=${lang}${query}`);
        assert.equal(await page.textContent('h1'), lang === 'sv' ? 'Åtkomstlogg' : 'Access log');
        assert.equal(await page.getAttribute('html', 'lang'), lang);
        const rows = await page.locator('tbody tr').count();
        assert.equal(rows > 3, content === 'rows');
        assert.equal(
          await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
          true,
          'no sideways scroll',
        );
        assert.deepEqual(await findings(page), [], `${lang}, ${content}`);
        assert.deepEqual([complaints, types.filter((type) => type === 'script')], [[], []]);
        if (pictures !== undefined) {
          await mkdir(pictures, { recursive: true });
          const name = path.join(pictures, `access-log-${lang}-${view}-${content}`);
          await page.screenshot({ path: `${name}.png`, fullPage: true });
          if (view === 'wide') await writeFile(`${name}.pdf`, await page.pdf({ preferCSSPageSize: true }));
        }
        await page.close();
      }
    await context.close();
  });

test('the page in the other language is one link away', { skip }, async () => {
  assert.ok(browser !== undefined);
  const context = await browser.newContext({ extraHTTPHeaders: { authorization: 'Bearer patient' } });
  const page = await context.newPage();
  await page.goto(`${origin}/api/v1/access-log/export?format=html&lang=sv`);
  await page.click('nav a');
  await page.waitForSelector('h1:has-text("Access log")');
  await context.close();
});
