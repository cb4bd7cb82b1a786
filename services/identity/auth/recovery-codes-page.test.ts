// The page that renews recovery codes: by address, password and a code, with the limits and locks of a sign-in.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { errorsOf, postForm } from '#test/support/dispatch/form.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { makeGuarded } from '#test/support/identity/totp.ts';

const identity = await startIdentity(lastFirst({ after }));
const { app, database } = identity;
const PATH = '/recovery-codes';

const send = (fields: Record<string, string>, headers = {}) => postForm(app, PATH, { lang: 'en', ...fields }, headers);
const codesOf = (body: string) => [...body.matchAll(/<li><code>([\w-]+)<\/code><\/li>/g)].map(([, code = '']) => code);
const signIn = async (email: string, code = '') =>
  (await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: PASSWORD, code } }))
    .statusCode;

test('the page asks in either language, and gives ten new codes in place of the old; one is signed in no less than before', async () => {
  const asked = await app.inject({ url: PATH, headers: { 'accept-language': 'sv' } });
  assert.equal(asked.statusCode, 200);
  assert.match(asked.body, /<h1>Nya återställningskoder<\/h1>/);
  const { email, headers, codes, recoveryCodes } = await makeGuarded(identity);
  const done = await send({ email, current_password: PASSWORD, code: codes[0] });
  assert.deepEqual([done.statusCode, done.headers['cache-control']], [200, 'no-store'], done.body);
  const renewed = codesOf(done.body);
  assert.equal(new Set([...renewed, ...recoveryCodes]).size, 20);
  assert.deepEqual([await signIn(email, recoveryCodes[0]), await signIn(email, renewed[0])], [401, 200]);
  const again = await send({ email, current_password: PASSWORD, code: renewed[1] ?? '' });
  assert.equal(codesOf(again.body).length, 10, 'a recovery code renews them too');
  assert.equal((await app.inject({ url: '/api/auth/me', headers })).statusCode, 200);
  const events = (await auditedEvents(identity)).filter((event) => event === 'second-factor.renew-recovery-codes');
  assert.equal(events.length, 2);
});

test('missing and wrong fields are reported, and no codes are issued', async () => {
  const { email, recoveryCodes } = await makeGuarded(identity);
  const [code = ''] = recoveryCodes;
  const empty = await send({ email });
  assert.equal(empty.statusCode, 400);
  assert.deepEqual(Object.keys(errorsOf(empty.body)), ['current_password', 'code']);
  assert.match(empty.body, new RegExp(`value="${email}"`));
  const wrongPassword = await send({ email, current_password: 'not the password', code });
  const wrongCode = await send({ email, current_password: PASSWORD, code: '000000' });
  const unknown = await send({ email: 'nobody@example.org', current_password: PASSWORD, code: '000000' });
  assert.deepEqual([wrongPassword.statusCode, wrongCode.statusCode, unknown.statusCode], [401, 401, 401]);
  assert.equal(unknown.body.replaceAll('nobody@example.org', email), wrongPassword.body, 'for every account');
  const plain = await makeProfessional(identity);
  const none = await send({ email: plain.email, current_password: PASSWORD, code: '000000' });
  assert.deepEqual([none.statusCode, none.body.includes('has no two-step verification')], [409, true]);
  const foreign = await send({ email, current_password: PASSWORD, code }, { 'sec-fetch-site': 'cross-site' });
  assert.equal(foreign.statusCode, 403);
  await database.query(`UPDATE app_user SET must_change_password = true WHERE email = $1`, [email]);
  const temporary = await send({ email, current_password: PASSWORD, code });
  assert.deepEqual([temporary.statusCode, temporary.body.includes('Change the password first')], [403, true]);
  for (const { body } of [wrongPassword, wrongCode, unknown, none, foreign, temporary])
    assert.deepEqual(codesOf(body), []);
});

test('guesses of the code lock the account, as at the sign-in', async () => {
  const { email, recoveryCodes } = await makeGuarded(identity);
  const from = (guess: number) => ({ 'x-forwarded-for': `192.0.2.${guess}` });
  const statuses: number[] = [];
  for (let guess = 0; guess < 11; guess += 1) {
    statuses.push((await send({ email, current_password: PASSWORD, code: '000000' }, from(guess))).statusCode);
  }
  assert.deepEqual(statuses, [...Array(10).fill(401), 429]);
  const right = { email, current_password: PASSWORD, code: recoveryCodes[0] ?? '' };
  assert.equal((await send(right, from(99))).statusCode, 429);
});
