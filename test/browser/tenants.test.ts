// One sign-in for the host names of two tenants in Chromium, over https behind a proxy (docs/adr/0151): what is asked,
// what the browser lets pass between the hosts, and how it ends.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { complaintsOf, findings, skipReason, startBrowser } from '#test/support/system/browser.ts';
import { ADMIN } from '#test/support/system/whole-system.ts';
import { startHostsSystem } from '#test/tenants/hosts-system.ts';

const skip = skipReason() ?? false;
const hooks = lastFirst({ after });

async function start() {
  const { PUBLIC, NORTH, SOUTH, EAST } = await startHostsSystem(hooks);
  const browser = await startBrowser(hooks, ['--host-resolver-rules=MAP *.example.test 127.0.0.1']);
  return { browser, PUBLIC, NORTH, SOUTH, EAST };
}

const { browser, PUBLIC, NORTH, SOUTH, EAST } =
  skip === false ? await start() : { browser: undefined, PUBLIC: '', NORTH: '', SOUTH: '', EAST: '' };

async function visitor(): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }> {
  const options = { locale: 'en', viewport: { width: 1024, height: 800 }, ignoreHTTPSErrors: true };
  const context = await (browser as Browser).newContext(options);
  const page = await context.newPage();
  return { page, complaints: complaintsOf(page), close: () => context.close() };
}

async function givePassword(page: Page): Promise<void> {
  await page.fill('#email', ADMIN.email);
  await page.fill('#password', ADMIN.password);
  await page.click('form[method=post] button');
}

/** What a script on a page of the host gets. */
async function ask(page: Page, origin: string): Promise<number> {
  const tab = await page.context().newPage();
  await tab.goto(`${origin}/engine/openapi.json`);
  const status = await tab.evaluate("fetch('/engine/api/v1/Patient').then((answer) => answer.status)");
  await tab.close();
  return Number(status);
}

const heading = (page: Page) => page.textContent('h1');

test('the password is asked for once for two host names, and a sign-out at one ends it at the other', {
  skip,
}, async () => {
  const { page, complaints, close } = await visitor();
  await page.goto(`${NORTH}/engine/auth/login?lang=en`);
  assert.match(page.url(), new RegExp(`^${PUBLIC}/identity/t/north/login\\?`));
  assert.deepEqual(await findings(page), []);
  await givePassword(page);
  await page.waitForURL(`${NORTH}/engine/auth/session`);
  assert.equal(await heading(page), 'Signed in');
  await page.goto(`${SOUTH}/engine/auth/login?lang=en`);
  assert.equal(page.url(), `${SOUTH}/engine/auth/session`, 'no password');
  assert.equal(await heading(page), 'Signed in');
  assert.deepEqual([await ask(page, NORTH), await ask(page, SOUTH), await ask(page, PUBLIC)], [200, 200, 401]);
  const cookies = (await page.context().cookies()).map(({ name, domain, secure, httpOnly, sameSite }) =>
    [domain, name, secure, httpOnly, sameSite].join(' '),
  );
  assert.deepEqual(cookies.toSorted(), [
    'kedja.example.test __Host-kedja-session true true Lax',
    'north.example.test __Host-kedja-engine.north true true Lax',
    'south.example.test __Host-kedja-engine.south true true Lax',
  ]);
  await page.goto(`${NORTH}/engine/auth/session?lang=en`);
  await page.click('main button');
  await page.waitForSelector('h1:has-text("Not signed in")');
  await eventually('the other host has ended it', async () => ((await ask(page, SOUTH)) === 401 ? true : undefined));
  await page.goto(`${SOUTH}/engine/auth/session?lang=en`);
  assert.equal(await heading(page), 'Not signed in');
  await page.goto(`${SOUTH}/engine/auth/login?lang=en`);
  assert.equal(await heading(page), 'Sign in', 'the next user of this computer is asked');
  await page.goto(`${PUBLIC}/identity/session?lang=en`);
  assert.equal(await heading(page), 'You are not signed in');
  assert.deepEqual(complaints, []);
  await close();
});

test('two tabs at two hosts sign in at once, and the way back leads to no error', { skip }, async () => {
  const { page: first, complaints, close } = await visitor();
  const second = await first.context().newPage();
  await first.goto(`${NORTH}/engine/auth/login?lang=en`);
  await second.goto(`${SOUTH}/dispatch/auth/login?lang=en&return_to=/dispatch/docs/`);
  for (const page of [first, second]) await givePassword(page);
  await first.waitForURL(`${NORTH}/engine/auth/session`);
  await second.waitForURL(`${SOUTH}/dispatch/docs/**`);
  await first.goBack();
  await first.waitForURL(`${NORTH}/engine/auth/session`);
  assert.equal(await heading(first), 'Signed in');
  assert.equal(await ask(first, NORTH), 200);
  assert.deepEqual(complaints, []);
  await close();
});

test('who may not use a tenant reads so in either language, and may sign out there', { skip }, async () => {
  const { page, complaints, close } = await visitor();
  await page.goto(`${NORTH}/engine/auth/login?lang=en`);
  await givePassword(page);
  await page.waitForURL(`${NORTH}/engine/auth/session`);
  for (const [lang, text] of [
    ['en', /no access to east\.example\.test/],
    ['sv', /inte tillgång till east\.example\.test/],
  ] as const) {
    await page.goto(`${EAST}/engine/auth/login?lang=${lang}`);
    assert.match(String(await page.textContent('.alert')), text);
    assert.deepEqual(await findings(page), []);
  }
  await page.click('a[href^="session"]');
  await page.waitForURL(`${PUBLIC}/identity/t/east/session**`);
  await page.click('main form button');
  await page.waitForURL('**/sign-out/done**');
  await eventually('it has ended', async () => ((await ask(page, NORTH)) === 401 ? true : undefined));
  assert.deepEqual(complaints, []);
  await close();
});
