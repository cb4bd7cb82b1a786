// The reference pages of the three services in Chromium, at the service itself and behind the gateway: they keep their
// own Content-Security-Policy (w3.org/TR/CSP3), load nothing from elsewhere, and send what is tried out to the right
// address.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { lastFirst } from '#test/support/hooks.ts';
import { skipReason, startBrowser } from '#test/support/system/browser.ts';
import { startWholeSystem } from '#test/support/system/whole-system.ts';

const skip = skipReason() ?? false;
const hooks = lastFirst({ after });
const system = skip === false ? await startWholeSystem(hooks) : undefined;
const browser = skip === false ? await startBrowser(hooks) : undefined;

interface Reader {
  readonly page: Page;
  /** What the browser complained of, violations of the policy with where they were made. */
  readonly complaints: string[];
  /** Origins that the page asked. */
  readonly origins: Set<string>;
  close(): Promise<void>;
}

async function reader(): Promise<Reader> {
  const context = await (browser as Browser).newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const origins = new Set<string>();
  await page.exposeFunction('tellViolation', (text: string) => complaints.push(text));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    tellViolation([event.effectiveDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:') origins.add(origin);
  });
  return { page, complaints, origins, close: () => context.close() };
}

async function openSection(page: Page, tag: string): Promise<void> {
  await page.locator(`[data-tag="${tag}"]`).click();
  await page.locator(`[data-tag="${tag}"][data-is-open="true"]`).waitFor();
}

/** Sends a request from the page, as a reader does. Answers the status. */
async function tryOut(page: Page, path: string): Promise<string> {
  const block = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) }).first();
  await block.locator('.opblock-summary-control').click();
  await block.locator('.try-out__btn').click();
  await block.locator('.execute').click();
  const status = block.locator('.live-responses-table .response .response-col_status').first();
  await status.waitFor();
  return String(await status.textContent());
}

/** `sections`: some of the page, as the engine has thousands of addresses; an address of the last is tried out. */
const PAGES = [
  { service: 'identity', isBehindGateway: false, sections: ['auth', 'operations'], path: '/api/health' },
  { service: 'engine', isBehindGateway: false, sections: ['api-keys', 'operations'], path: '/livez' },
  { service: 'dispatch', isBehindGateway: false, sections: ['deliveries', 'metadata'], path: '/api/v1/metadata' },
  { service: 'dispatch', isBehindGateway: true, sections: ['deliveries', 'metadata'], path: '/api/v1/metadata' },
] as const;

for (const { service, isBehindGateway, sections, path } of PAGES) {
  const place = isBehindGateway ? ' behind the gateway' : '';
  test(`the reference page of ${service}${place} keeps its policy, whatever is opened on it`, { skip }, async () => {
    const root = isBehindGateway ? `${system!.gateway}/${service}` : system![service];
    const { page, complaints, origins, close } = await reader();
    const answer = await page.goto(`${root}/docs/`);
    assert.match(
      String(answer?.headers()['content-security-policy']),
      /^default-src 'self'; script-src 'self'; style-src 'self';/,
    );
    await page.waitForSelector('.opblock-tag');
    for (const section of sections) await openSection(page, section);
    assert.match(await tryOut(page, path), /^200/);
    for (const method of ['post', 'put']) {
      const summary = page.locator(`.opblock-${method} .opblock-summary-control`).first();
      if ((await summary.count()) === 0) continue;
      await summary.click();
      await page.locator(`.opblock-${method}.is-open .responses-wrapper`).first().waitFor();
    }
    await page.locator('.authorize').first().click();
    await page.locator('.dialog-ux .close-modal').click();
    assert.deepEqual(complaints, []);
    assert.deepEqual([...origins], [new URL(root).origin]);
    await close();
  });
}
