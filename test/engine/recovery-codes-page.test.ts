// The page on which a user of the engine renews recovery codes: by address, password and a code, with the locks of a
// sign-in.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { errorsOf, postForm } from '#test/support/dispatch/form.ts';
import { PASSWORD, startEngineContract } from '#test/support/engine/engine-contract.ts';
import { codeAt } from '#test/support/identity/totp.ts';

const contract = await startEngineContract({ after });
const { ask, signUp, clock, app } = contract;
const PATH = '/auth/recovery-codes';
const STEP = 30_000;

async function guarded() {
  const user = await signUp();
  const { secret } = (await ask('POST /auth/second-factor', { as: user.token, body: { current_password: PASSWORD } }))
    .body;
  const next = () => {
    clock.time += STEP;
    return codeAt(String(secret), clock.time);
  };
  const confirmed = await ask('POST /auth/second-factor/confirm', { as: user.token, body: { code: next() } });
  const recovery: string[] = confirmed.body.recovery_codes;
  return { ...user, next, recovery };
}

const send = (fields: Record<string, string>, headers = {}) => postForm(app, PATH, { lang: 'en', ...fields }, headers);
const codesOf = (body: string) => [...body.matchAll(/<li><code>([\w-]+)<\/code><\/li>/g)].map(([, code = '']) => code);

test('the page asks in either language, and gives ten new codes in place of the old', async () => {
  const asked = await app.inject({ url: PATH, headers: { 'accept-language': 'sv' } });
  assert.equal(asked.statusCode, 200);
  assert.match(asked.body, /<h1>Nya återställningskoder<\/h1>/);
  const { email, next, recovery } = await guarded();
  const done = await send({ email, current_password: PASSWORD, code: next() });
  assert.deepEqual([done.statusCode, done.headers['cache-control']], [200, 'no-store'], done.body);
  const codes = codesOf(done.body);
  assert.equal(new Set([...codes, ...recovery]).size, 20);
  const login = (code = '') => ask('POST /auth/login', { body: { email, password: PASSWORD, code } });
  assert.equal((await login(recovery[0])).status, 401);
  assert.equal((await login(codes[0])).status, 200);
  const again = await send({ email, current_password: PASSWORD, code: codes[1] ?? '' });
  assert.equal(codesOf(again.body).length, 10, 'a recovery code renews them too');
});

test('what is missing or wrong is named, and no codes are given', async () => {
  const { email, next, recovery } = await guarded();
  const empty = await send({ email });
  assert.equal(empty.statusCode, 400);
  assert.deepEqual(Object.keys(errorsOf(empty.body)), ['current_password', 'code']);
  assert.match(empty.body, new RegExp(`value="${email}"`));
  const wrongPassword = await send({ email, current_password: 'not the password', code: recovery[0] ?? '' });
  const wrongCode = await send({ email, current_password: PASSWORD, code: '000000' });
  const unknown = await send({ email: 'nobody@example.org', current_password: PASSWORD, code: '000000' });
  assert.deepEqual([wrongPassword.statusCode, wrongCode.statusCode, unknown.statusCode], [401, 401, 401]);
  assert.equal(unknown.body.replaceAll('nobody@example.org', email), wrongPassword.body, 'for every account');
  assert.match(wrongCode.body, /role="alert">The e-mail address, the password or the code is wrong/);
  const plain = await signUp();
  const none = await send({ email: plain.email, current_password: PASSWORD, code: '000000' });
  assert.deepEqual([none.statusCode, none.body.includes('has no two-step verification')], [409, true]);
  const foreign = await send({ email, current_password: PASSWORD, code: next() }, { 'sec-fetch-site': 'cross-site' });
  assert.equal(foreign.statusCode, 403);
  for (const { body } of [wrongPassword, wrongCode, unknown, none, foreign]) assert.deepEqual(codesOf(body), []);
});

test('guesses of the code lock the account, as at the sign-in', async () => {
  const { email, recovery } = await guarded();
  const statuses: number[] = [];
  for (let guess = 0; guess < 11; guess += 1) {
    statuses.push((await send({ email, current_password: PASSWORD, code: '000000' })).statusCode);
  }
  assert.deepEqual(statuses, [...Array(10).fill(401), 429]);
  assert.equal((await send({ email, current_password: PASSWORD, code: recovery[0] ?? '' })).statusCode, 429);
});
