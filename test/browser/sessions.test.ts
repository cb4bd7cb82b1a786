// Signing in to dispatch and engine in Chromium, with the whole system as it is started in production (decision G8). It
// goes there and back through identity's page, what the session opens, and how it ends.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { findings, skipReason, startBrowser } from '#test/support/system/browser.ts';
import { ADMIN, startWholeSystem } from '#test/support/system/whole-system.ts';

const skip = skipReason() ?? false;
const hooks = lastFirst({ after });
const gateway = skip === false ? (await startWholeSystem(hooks)).gateway : '';
const browser = skip === false ? await startBrowser(hooks) : undefined;

async function visitor(): Promise<{ page: Page; complaints: string[]; close(): Promise<void> }> {
  const context = await (browser as Browser).newContext({ locale: 'en', viewport: { width: 1024, height: 800 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with a status');
    if (message.type() === 'error' && !isStatus) complaints.push(message.text());
  });
  return { page, complaints, close: () => context.close() };
}

async function signIn(page: Page, start: string): Promise<void> {
  await page.goto(`${gateway}${start}`);
  assert.match(page.url(), /\/identity\/login\?/);
  await page.fill('#email', ADMIN.email);
  await page.fill('#password', ADMIN.password);
  await page.click('form[method=post] button');
}

/**
 * What a script in the browser gets from an address of the same origin; the browser adds its cookies. Our pages let no
 * script ask for anything, so it runs on an address that has no policy.
 */
async function ask(page: Page, address: string, method = 'GET'): Promise<number> {
  const call = { method, ...(method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: '{}' }) };
  const tab = await page.context().newPage();
  await tab.goto(`${gateway}/dispatch/livez`);
  const status = await tab.evaluate(
    `fetch(${JSON.stringify(address)}, ${JSON.stringify(call)}).then((answer) => answer.status)`,
  );
  await tab.close();
  return Number(status);
}

test('there and back: the session opens the service it was made for, for reading and from its own pages for writing', {
  skip,
}, async () => {
  const { page, complaints, close } = await visitor();
  await page.goto(`${gateway}/dispatch/auth/session`);
  assert.equal(await page.textContent('h1'), 'Not signed in');
  assert.deepEqual(await findings(page), []);
  assert.equal(await ask(page, '/dispatch/api/v1/Patient'), 401);
  await signIn(page, '/dispatch/auth/login?lang=en');
  await page.waitForSelector('h1:has-text("Signed in")');
  assert.equal(page.url(), `${gateway}/dispatch/auth/session`);
  assert.deepEqual(await findings(page), []);
  assert.equal(await page.evaluate('document.cookie'), '', 'no script reads the session');
  assert.equal(await ask(page, '/dispatch/api/v1/Patient'), 200);
  assert.equal(await ask(page, '/dispatch/api/v1/ServiceRequest', 'POST'), 400, 'it is the body that is wrong');
  assert.equal(await ask(page, '/engine/api/v1/Patient'), 401, 'the engine has a cookie of its own');
  assert.deepEqual(complaints, []);
  // The reference page is not ours, and has its own complaints.
  await page.goto(`${gateway}/engine/auth/login?return_to=/engine/docs/`);
  await page.waitForURL(`${gateway}/engine/docs/**`);
  assert.equal(await ask(page, '/engine/api/v1/Patient'), 200, 'which it gets without asking');
  await close();
});

test('from a page of one’s own the sign-in leads back to it, in either language', { skip }, async () => {
  for (const [address, title] of [
    ['/identity/account?lang=en', 'Your account'],
    ['/identity/account/second-factor?lang=sv', 'Tvåstegsverifiering'],
    ['/identity/guardians?lang=en', 'Guardians'],
  ] as const) {
    const { page, complaints, close } = await visitor();
    await page.goto(`${gateway}${address}`);
    await page.click('a.button');
    await page.fill('#email', ADMIN.email);
    await page.fill('#password', ADMIN.password);
    await page.click('form[method=post] button');
    await page.waitForURL(`${gateway}${address}`);
    assert.equal(await page.textContent('h1'), title);
    assert.deepEqual(complaints, []);
    await close();
  }
});

test('two tabs sign in at once, each back to where it began', { skip }, async () => {
  const { page: first, complaints, close } = await visitor();
  const second = await first.context().newPage();
  await first.goto(`${gateway}/dispatch/auth/login?lang=en`);
  await second.goto(`${gateway}/dispatch/auth/login?lang=en&return_to=/dispatch/receipt`);
  for (const page of [first, second]) {
    await page.fill('#email', ADMIN.email);
    await page.fill('#password', ADMIN.password);
    await page.click('form[method=post] button');
  }
  await first.waitForURL(`${gateway}/dispatch/auth/session`);
  assert.equal(await first.textContent('h1'), 'Signed in');
  await second.waitForURL(`${gateway}/dispatch/receipt`);
  const names = (await first.context().cookies()).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ['kedja-dispatch', 'kedja-session'], 'no sign-in is under way any more');
  assert.equal(await ask(second, '/dispatch/api/v1/Patient'), 200);
  assert.deepEqual(complaints, []);
  await close();
});

test('signing in once is enough for the gateway, dispatch and engine; signing out at one ends all, and back shows nothing', {
  skip,
}, async () => {
  const { page, complaints, close } = await visitor();
  await signIn(page, '/sign-in?lang=en');
  await page.waitForSelector('h1:has-text("Signed in")');
  const token = await page.textContent('main code');
  for (const name of ['dispatch', 'engine']) {
    await page.goto(`${gateway}/${name}/auth/login?lang=en`);
    assert.equal(page.url(), `${gateway}/${name}/auth/session`);
    assert.equal(await ask(page, `/${name}/api/v1/Patient`), 200);
  }
  await page.goto(`${gateway}/engine/auth/session?lang=en`);
  await page.click('main button');
  await page.waitForSelector('h1:has-text("Not signed in")');
  assert.equal(await ask(page, '/engine/api/v1/Patient'), 401);
  await eventually('dispatch refused it', async () =>
    (await ask(page, '/dispatch/api/v1/Patient')) === 401 ? true : undefined,
  );
  const me = await fetch(`${gateway}/identity/api/auth/me`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(me.status, 401, 'the token of the gateway’s page ended, too');
  await page.goBack();
  assert.doesNotMatch(String(await page.textContent('main')), /Signed in$/);
  await page.goto(`${gateway}/dispatch/auth/login?lang=en`);
  assert.equal(await page.textContent('h1'), 'Sign in', 'the next user of this computer is asked');
  await page.goto(`${gateway}/identity/session?lang=en`);
  assert.equal(await page.textContent('h1'), 'You are not signed in');
  assert.deepEqual(complaints, []);
  await close();
});

test('signing out ends it in the browser, and a copy of its cookie too', { skip }, async () => {
  const { page, close } = await visitor();
  await signIn(page, '/dispatch/auth/login?lang=en');
  await page.waitForSelector('h1:has-text("Signed in")');
  const cookies = await page.context().cookies();
  await page.click('main button');
  await page.waitForSelector('h1:has-text("Not signed in")');
  assert.deepEqual(await page.context().cookies(), []);
  await page.context().addCookies(cookies);
  assert.equal(await ask(page, '/dispatch/api/v1/Patient'), 401);
  await close();
});

test('a session that is ended at identity ends here within two seconds', { skip }, async () => {
  const { page, close } = await visitor();
  await signIn(page, '/dispatch/auth/login');
  await page.waitForSelector('h1:has-text("Inloggad"), h1:has-text("Signed in")');
  assert.equal(await ask(page, '/dispatch/api/v1/Patient'), 200);
  const answer = await fetch(`${gateway}/identity/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  });
  const { token } = (await answer.json()) as { token: string };
  const ended = await fetch(`${gateway}/identity/api/auth/sessions`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(ended.status, 200);
  await eventually('the session ended', async () =>
    (await ask(page, '/dispatch/api/v1/Patient')) === 401 ? true : undefined,
  );
  await close();
});

test('another website neither ends the session, nor signs the visitor in as somebody else', { skip }, async (t) => {
  const evil = createServer((request, response) => {
    const target = new URL(request.url ?? '/', 'http://evil.example').searchParams.get('to') ?? '';
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<form method="post" action="${target}"><button>Win</button></form>`);
  });
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  t.after(() => evil.close());
  // Another site to the browser, though it is the same machine.
  const elsewhere = `http://localhost:${(evil.address() as AddressInfo).port}`;
  const { page, close } = await visitor();
  await signIn(page, '/dispatch/auth/login?lang=en');
  await page.waitForSelector('h1:has-text("Signed in")');
  await page.goto(`${elsewhere}/?to=${encodeURIComponent(`${gateway}/dispatch/auth/logout`)}`);
  await page.click('button');
  await page.waitForLoadState();
  await page.goto(`${gateway}/dispatch/auth/session?lang=en`);
  assert.equal(await page.textContent('h1'), 'Signed in');
  const attacker = await visitor();
  await attacker.page.route('**/dispatch/auth/callback**', (route) => route.abort());
  const callback = attacker.page.waitForRequest('**/dispatch/auth/callback**');
  await signIn(attacker.page, '/dispatch/auth/login').catch(() => undefined);
  const stolen = (await callback).url();
  const victim = await visitor();
  await victim.page.goto(stolen);
  assert.match(String(await victim.page.textContent('.alert')), /could not be completed/);
  assert.deepEqual(await findings(victim.page), []);
  assert.equal(await ask(victim.page, '/dispatch/api/v1/Patient'), 401);
  for (const { close: done } of [victim, attacker]) await done();
  await close();
});
