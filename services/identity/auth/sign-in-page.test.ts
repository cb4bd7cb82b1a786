import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { ADMIN, startIdentity } from '#test/support/identity/identity.ts';

const { app } = await startIdentity({ after });

const NEXT = 'https://app.example.org/sso/callback';
const page = (query: Record<string, string>, headers: Record<string, string> = {}) =>
  app.inject({ url: `/login?${new URLSearchParams(query)}`, headers });
const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html,*/*;q=0.8', ...headers },
    payload: new URLSearchParams(form).toString(),
  });

test('the page holds a labelled form that posts to the login, and no script', async () => {
  const answer = await page({ next: NEXT, state: 'abc' });
  assert.equal(answer.statusCode, 200);
  assert.match(String(answer.headers['content-type']), /^text\/html/);
  assert.match(answer.body, /<form method="post" action="api\/auth\/login"/);
  for (const name of ['email', 'password']) {
    assert.match(answer.body, new RegExp(`<label for="${name}">`));
    assert.match(answer.body, new RegExp(`<input class="text" id="${name}" name="${name}"`));
  }
  assert.match(answer.body, /<input type="hidden" name="next" value="https:\/\/app\.example\.org\/sso\/callback">/);
  assert.match(answer.body, /<input type="hidden" name="state" value="abc">/);
  assert.doesNotMatch(answer.body, /<script|\son\w+=|style="/);
});

test('the page is filled in with the address of who is to sign in, in the other language too', async () => {
  const hint = `"><b>@example.org`;
  const { body } = await page({ next: NEXT, login_hint: hint });
  assert.match(body, /id="email"[^>]* value="&quot;&gt;&lt;b&gt;@example\.org"/);
  assert.match(body, /href="login\?[^"]*lang=en[^"]*login_hint=%22%3E%3Cb%3E%40example\.org/);
  assert.equal((await page({ next: NEXT, login_hint: 'x'.repeat(255) })).statusCode, 400);
});

test('headers forbid everything that the page does not need', async () => {
  const { headers, body } = await page({ next: NEXT });
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  const policy = String(headers['content-security-policy']);
  const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
  assert.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`));
  for (const part of [
    "default-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self' https://app.example.org",
  ]) {
    assert.ok(policy.includes(part), part);
  }
});

test('the language follows the address, else the browser', async () => {
  const languageOf = async (query: Record<string, string>, accept?: string) =>
    /<html lang="(..)"/.exec(
      (await page({ next: NEXT, ...query }, accept === undefined ? {} : { 'accept-language': accept })).body,
    )?.[1];
  assert.equal(await languageOf({}), 'sv');
  assert.equal(await languageOf({}, 'en-GB,en;q=0.9,sv;q=0.8'), 'en');
  assert.equal(await languageOf({}, 'de,sv;q=0.5,en;q=0.3'), 'sv');
  assert.equal(await languageOf({ lang: 'en' }, 'sv'), 'en');
  const swedish = await page({ next: NEXT, state: 's' });
  assert.match(swedish.body, /href="login\?[^"]*lang=en[^"]*state=s/);
});

test('a sign-in at the page keeps its language for the console, where it is another than the browser’s', async () => {
  const cookiesOf = async (lang: string, headers: Record<string, string> = {}) => {
    const own = { 'sec-fetch-site': 'same-origin', 'accept-language': 'sv' };
    const answer = await post({ ...ADMIN, next: NEXT, lang }, { ...own, ...headers });
    return [answer.headers['set-cookie'] ?? []].flat().filter((line) => line.includes('kedja-language'));
  };
  const [kept = '', ...more] = await cookiesOf('en');
  assert.match(kept, /^__Host-kedja-language=en; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=31536000$/);
  assert.equal(more.length, 0);
  assert.deepEqual(await cookiesOf('sv'), []);
  assert.deepEqual(await cookiesOf('en', { cookie: '__Host-kedja-language=en' }), [], 'it is there');
  assert.match((await cookiesOf('sv', { cookie: '__Host-kedja-language=en' })).join(), /=; .*Max-Age=0$/);
  const payload = { ...ADMIN, next: NEXT, lang: 'en' };
  const api = await app.inject({
    method: 'POST',
    url: '/api/auth/login',
    payload,
    headers: { 'accept-language': 'sv' },
  });
  assert.doesNotMatch(String(api.headers['set-cookie']), /kedja-language/, 'a program has no language');
});

test('without an allowed next there is no form, only an explanation', async () => {
  for (const query of [{}, { next: 'https://evil.example/' }, { next: 'javascript:alert(1)' }] as Record<
    string,
    string
  >[]) {
    const answer = await page(query);
    assert.equal(answer.statusCode, 400);
    assert.doesNotMatch(answer.body, /<form/);
  }
});

test('whatever is put into the address is escaped', async () => {
  const state = '"><script>alert(1)</script>&\'';
  const { body } = await page({ next: NEXT, state });
  assert.doesNotMatch(body, /<script>/);
  assert.match(body, /&quot;&gt;&lt;script&gt;/);
});

test('the right password leads on; token and state are in the address', async () => {
  const answer = await post({ email: ADMIN.email, password: ADMIN.password, next: NEXT, state: 'abc', lang: 'sv' });
  assert.equal(answer.statusCode, 302);
  assert.match(
    String(answer.headers.location),
    /^https:\/\/app\.example\.org\/sso\/callback\?token=[\w.-]+&state=abc$/,
  );
});

test('a wrong password shows the page again with the error at the field and everything but the password kept', async () => {
  const form = {
    email: 'A"b@example.org',
    password: 'my-wrong-secret',
    next: NEXT,
    state: 'abc',
    lang: 'en',
    response_mode: 'code',
  };
  const answer = await post(form);
  assert.equal(answer.statusCode, 401);
  assert.match(answer.body, /action="\.\.\/\.\.\/api\/auth\/login"/);
  assert.match(answer.body, /aria-invalid="true" aria-describedby="password-error"/);
  assert.match(answer.body, /id="password-error">The e-mail address or the password is wrong/);
  assert.match(answer.body, /name="email" type="email" autocomplete="username" value="A&quot;b@example.org"/);
  assert.match(answer.body, /name="response_mode" value="code"/);
  assert.match(answer.body, /href="\.\.\/\.\.\/login\?/);
  assert.doesNotMatch(answer.body, /my-wrong-secret/);
  assert.match(String(answer.headers['content-security-policy']), /form-action 'self' https:\/\/app\.example\.org/);
});

test('missing fields are named at the fields, in Swedish too', async () => {
  const both = await post({ email: '', password: '', next: NEXT, lang: 'sv' });
  assert.equal(both.statusCode, 400);
  assert.match(both.body, /id="email-error">Fyll i din e-postadress\./);
  assert.match(both.body, /id="password-error">Fyll i ditt lösenord\./);
  const one = await post({ email: 'x@example.org', next: NEXT });
  assert.doesNotMatch(one.body, /email-error/);
  assert.match(one.body, /password-error/);
});

test('a form without an allowed next gets the explanation, and nobody is signed in', async () => {
  for (const next of [undefined, 'https://evil.example/']) {
    const form = { email: ADMIN.email, password: ADMIN.password };
    const answer = await post(next === undefined ? form : { ...form, next });
    assert.equal(answer.statusCode, 400);
    assert.equal(answer.headers.location, undefined);
    assert.doesNotMatch(answer.body, /eyJ/);
  }
});

test('a form that asks for JSON gets JSON errors', async () => {
  const answer = await post({ email: 'x@example.org', password: 'wrong', next: NEXT }, { accept: 'application/json' });
  assert.deepEqual([answer.statusCode, answer.json().error], [401, 'authentication_failed']);
});
