// The second step of a sign-in by forms: code, recovery code, and the set-up by an SU admin who must have a second
// factor.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { decodeQR } from 'qr/decode.js';
import { MINUTE_MS } from '#lib/clock.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ADMIN, handClock, identityDatabase, startIdentity } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { codeAt, makeGuarded } from '#test/support/identity/totp.ts';
import { startMailServer } from '#test/support/mail.ts';

const NEXT = 'https://app.example.org/sso/callback';
const clock = handClock();
const hooks = lastFirst({ after });
const mails = await startMailServer(hooks);
const on = await identityDatabase(hooks);
const identity = await startIdentity(hooks, { on, clock });
const strict = await startIdentity(hooks, { on, clock, sendMail: mails.send, config: { secondFactor: 'su-admins' } });
type Form = Record<string, string>;

function post(url: string, form: Form, node = identity, headers: Form = {}) {
  return node.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html,*/*;q=0.8', ...headers },
    payload: new URLSearchParams(form).toString(),
  });
}

/** The form of the page that posts to `action`: its URL and hidden fields. */
function formOf(page: { body: string }, action: string): Form {
  const [, form = ''] = page.body.split(`action="${action}"`);
  const [inside = ''] = form.split('</form>');
  const fields = [...inside.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]));
}

const login = (email: string, more: Form = {}, node = identity, password = PASSWORD) =>
  post('/api/auth/login', { email, password, next: NEXT, state: 'a&b', lang: 'en', ...more }, node);
const me = (token: string | null, node = identity) =>
  node.app.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } });
const queryOf = (answer: { headers: { location?: unknown } }) => new URL(String(answer.headers.location)).searchParams;

test('after the password a page asks for the code; the right one redirects with token and state', async () => {
  const { email, codes } = await makeGuarded(identity, clock);
  const page = await login(email);
  assert.equal(page.statusCode, 200);
  assert.match(page.body, /<h1>Enter the code from your app<\/h1>/);
  assert.match(page.body, /<label for="code">/);
  assert.match(page.body, /id="code"[^>]* autocomplete="one-time-code"[^>]* inputmode="numeric"/);
  assert.doesNotMatch(page.body, /<script|\son\w+=|style="/);
  assert.equal(page.headers['cache-control'], 'no-store');
  assert.match(String(page.headers['content-security-policy']), /form-action 'self' https:\/\/app\.example\.org/);
  const form = formOf(page, '../../login/code');
  assert.deepEqual([form['next'], form['state'], form['lang']], [NEXT, 'a&b', 'en']);
  const done = await post('/login/code', { ...form, code: codes[0] });
  assert.equal(done.statusCode, 302);
  assert.equal(queryOf(done).get('state'), 'a&b');
  assert.equal((await me(queryOf(done).get('token'))).statusCode, 200);
});

test('in code mode it ends with the one-time code; in Swedish it is Swedish', async () => {
  const { email, codes } = await makeGuarded(identity, clock);
  const page = await login(email, { response_mode: 'code', lang: 'sv' });
  assert.match(page.body, /<html lang="sv">.*Ange koden från din app/s);
  const done = await post('/login/code', { ...formOf(page, '../../login/code'), code: codes[0] });
  const code = queryOf(done).get('code');
  const exchanged = await identity.app.inject({
    method: 'POST',
    url: '/api/auth/token',
    payload: { code, next: NEXT },
  });
  assert.equal(exchanged.statusCode, 200);
});

test('the code of a sign-in with two steps is bound to its challenge, which the pages carry on', async () => {
  const { email, codes } = await makeGuarded(identity, clock);
  const verifier = 'a-verifier-of-the-length-that-is-asked-for-0';
  const bound = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const page = await login(email, { response_mode: 'code', ...bound });
  const form = formOf(page, '../../login/code');
  assert.deepEqual([form['code_challenge'], form['code_challenge_method']], [bound.code_challenge, 'S256']);
  const done = await post('/login/code', { ...form, code: codes[0] });
  const payload = { code: queryOf(done).get('code'), next: NEXT };
  const exchange = (more: object) =>
    identity.app.inject({ method: 'POST', url: '/api/auth/token', payload: { ...payload, ...more } });
  assert.equal((await exchange({ code_verifier: verifier })).statusCode, 200);
  const again = await login(email, { response_mode: 'code', ...bound });
  const second = await post('/login/code', { ...formOf(again, '../../login/code'), code: codes[1] });
  payload.code = queryOf(second).get('code');
  assert.equal((await exchange({})).statusCode, 401);
});

test('a wrong or missing code is reported at the field; a recovery code has its own field', async () => {
  const { email, recoveryCodes } = await makeGuarded(identity, clock);
  const form = formOf(await login(email), '../../login/code');
  const wrong = await post('/login/code', { ...form, code: 'WRONG1' });
  assert.equal(wrong.statusCode, 401);
  assert.match(wrong.body, /id="code-error">The code is wrong/);
  assert.doesNotMatch(wrong.body, /WRONG1|<details open/);
  const missing = await post('/login/code', { ...formOf(wrong, '../login/code'), code: '' });
  assert.deepEqual([missing.statusCode, /id="code-error">Enter the code/.test(missing.body)], [400, true]);
  const mistyped = await post('/login/code', { ...form, recovery_code: 'ABCD' });
  assert.match(mistyped.body, /<details open>/);
  assert.match(mistyped.body, /id="recovery_code-error">The recovery code is wrong/);
  const done = await post('/login/code', { ...form, recovery_code: recoveryCodes[0] ?? '' });
  assert.equal(done.statusCode, 302);
});

test('a challenge that has ended leads back to the sign-in, with where it was to lead', async () => {
  const { email, secret } = await makeGuarded(identity, clock);
  const form = formOf(await login(email), '../../login/code');
  clock.advance(5 * MINUTE_MS + 1);
  const over = await post('/login/code', { ...form, code: codeAt(secret, clock.now()) });
  assert.equal(over.statusCode, 401);
  assert.match(over.body, /Sign in again/);
  assert.match(over.body, /action="\.\.\/api\/auth\/login"/);
  assert.deepEqual(formOf(over, '../api/auth/login')['next'], NEXT);
});

test('too many guesses, foreign forms and addresses that are not allowed are refused', async () => {
  const { email, codes } = await makeGuarded(identity, clock);
  const form = formOf(await login(email), '../../login/code');
  const foreign = await post('/login/code', { ...form, code: codes[0] }, identity, { 'sec-fetch-site': 'cross-site' });
  assert.equal(foreign.statusCode, 403);
  const elsewhere = await post('/login/code', { ...form, next: 'https://evil.example/', code: codes[0] });
  assert.deepEqual([elsewhere.statusCode, elsewhere.headers.location], [400, undefined]);
  for (let guess = 0; guess < 10; guess += 1) {
    const again = formOf(await login(email), '../../login/code');
    assert.equal((await post('/login/code', { ...again, code: '12345' })).statusCode, 401);
  }
  const locked = await post('/login/code', { ...form, code: codes[0] });
  assert.equal(locked.statusCode, 429);
  assert.match(locked.body, /Too many attempts/);
  assert.ok(Number(locked.headers['retry-after']) > 0);
});

const secretOn = (page: { body: string }) =>
  /Key: <code>([A-Z2-7 ]+)<\/code>/.exec(page.body)?.[1]?.replaceAll(' ', '');

test('a sign-in that requires a code shows no set-up, neither a new one nor one in progress', async () => {
  const { email, headers, secret, codes } = await makeGuarded(identity, clock);
  const begin = () =>
    identity.app.inject({
      method: 'POST',
      url: '/api/auth/second-factor',
      headers,
      payload: { current_password: PASSWORD, code: codes[0] },
    });
  const form = formOf(await login(email), '../../login/code');
  const shown = await post('/login/set-up', { ...form, code: '123456' });
  assert.deepEqual([shown.statusCode, secretOn(shown)], [401, undefined]);
  const confirmed = await identity.app.inject({
    method: 'POST',
    url: '/api/auth/second-factor/confirm',
    headers,
    payload: { code: codes[1] },
  });
  assert.equal(confirmed.statusCode, 409, 'nothing was begun');
  const begun = (await begin()).json().secret;
  assert.ok(begun !== secret && begun.length === 32);
  const again = await post('/login/set-up', { ...form, code: '123456' });
  assert.ok(!again.body.replaceAll(' ', '').includes(begun));
});

test('a set-up is shown to the sign-in that began it alone', async () => {
  const { email, userGuid, headers } = await makeProfessional(identity);
  await on.database('identity').query('UPDATE app_user SET is_su_admin = true WHERE user_guid = $1', [userGuid]);
  const first = await login(email, {}, strict);
  const second = await login(email, {}, strict);
  const [known, secret] = [secretOn(first), secretOn(second) ?? ''];
  assert.ok(known !== undefined && secret.length === 32 && known !== secret);
  const outdated = await post('/login/set-up', { ...formOf(first, '../../login/set-up'), code: '123456' }, strict);
  assert.deepEqual([outdated.statusCode, secretOn(outdated)], [401, undefined]);
  assert.match(outdated.body, /Sign in again/);

  const begun = await strict.app.inject({
    method: 'POST',
    url: '/api/auth/second-factor',
    headers,
    payload: { current_password: PASSWORD },
  });
  assert.equal(begun.statusCode, 200);
  const overtaken = await post('/login/set-up', { ...formOf(second, '../../login/set-up'), code: '123456' }, strict);
  assert.deepEqual([overtaken.statusCode, secretOn(overtaken)], [401, undefined]);

  const third = await login(email, {}, strict);
  const form = formOf(third, '../../login/set-up');
  const done = await post('/login/set-up', { ...form, code: codeAt(secretOn(third) ?? '', clock.now()) }, strict);
  assert.equal(done.statusCode, 200);
});

/** The picture of a page, read as a phone's camera does: four points to a module, black on white. */
function readPicture(body: string): string {
  const [, encoded = ''] = /src="data:image\/svg\+xml;base64,([^"]+)"/.exec(body) ?? [];
  const svg = Buffer.from(encoded, 'base64').toString();
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]) * 4;
  const data = new Uint8Array(size * size * 4).fill(255);
  for (const [x, y] of modulesOf(svg)) {
    for (let row = y * 4; row < y * 4 + 4; row += 1) {
      const start = (row * size + x * 4) * 4;
      for (let point = start; point < start + 16; point += 4) data.fill(0, point, point + 3);
    }
  }
  return decodeQR({ width: size, height: size, data });
}

/** The dark modules: each begins where the path moves to (`M`) or from the last beginning by (`m`). */
function modulesOf(svg: string): [number, number][] {
  let [x, y] = [0, 0];
  return [...svg.matchAll(/([Mm])(-?\d+) (-?\d+)/g)].map(([, move, right, down]) => {
    [x, y] = move === 'M' ? [Number(right), Number(down)] : [x + Number(right), y + Number(down)];
    return [x, y];
  });
}

test('an SU admin who must have one sets it up while signing in: picture, code, recovery codes, on to the application', async () => {
  const before = await identity.asAdmin();
  const page = await login(ADMIN.email, {}, strict, ADMIN.password);
  assert.equal(page.statusCode, 200);
  assert.match(page.body, /<h1>Set up two-step verification<\/h1>/);
  const secret = (/Key: <code>([A-Z2-7 ]+)<\/code>/.exec(page.body)?.[1] ?? '').replaceAll(' ', '');
  assert.equal(secret.length, 32);
  const picture = readPicture(page.body);
  assert.equal(new URL(picture).searchParams.get('secret'), secret);
  assert.ok(page.body.includes(` href="${picture.replaceAll('&', '&amp;')}">`), 'the app may be on this device');
  const form = formOf(page, '../../login/set-up');

  const wrong = await post('/login/set-up', { ...form, code: '000 00' }, strict);
  assert.equal(wrong.statusCode, 401);
  assert.match(wrong.body, /id="code-error"/);
  assert.ok(wrong.body.replaceAll(' ', '').includes(secret), 'the same secret');
  const skipped = await post('/login/continue', form, strict);
  assert.deepEqual([skipped.statusCode, skipped.headers.location], [401, undefined]);
  const asCode = await post('/login/code', { ...form, code: codeAt(secret, clock.now()) }, strict);
  assert.deepEqual([asCode.statusCode, asCode.headers.location], [401, undefined]);

  const done = await post('/login/set-up', { ...form, code: codeAt(secret, clock.now()) }, strict);
  assert.equal(done.statusCode, 200);
  const codes = [...done.body.matchAll(/<li><code>([A-Z2-7-]{19})<\/code>/g)];
  assert.equal(codes.length, 10);
  await mails.mailTo('Admin@example.org', /Two-step verification at Kedja is on/);
  assert.equal((await me(before.authorization.slice(7), strict)).statusCode, 401, 'earlier sessions have ended');

  const last = formOf(done, '../login/continue');
  const arrived = await post('/login/continue', last, strict);
  assert.equal(arrived.statusCode, 302);
  assert.equal(queryOf(arrived).get('state'), 'a&b');
  const own = (await me(queryOf(arrived).get('token'), strict)).json();
  assert.deepEqual([own.email, own.must_set_up_second_factor], [ADMIN.email, undefined]);
  const again = await post('/login/continue', last, strict);
  assert.deepEqual([again.statusCode, again.headers.location], [401, undefined]);
  const next = await login(ADMIN.email, {}, strict, ADMIN.password);
  assert.match(next.body, /Enter the code from your app/);
});
