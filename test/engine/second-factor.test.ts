// The second factor of the engine's own users (docs/adr/0046): asked for at every sign-in, each code once, with the
// locks of passwords.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createPasswordHasher } from '#lib/auth/password-hasher.ts';
import { PASSWORD, startEngineContract } from '#test/support/engine/engine-contract.ts';
import { codeAt } from '#test/support/identity/totp.ts';

const contract = await startEngineContract(
  { after },
  {
    accounts: {
      registration: 'open',
      tokenTtlSeconds: 86_400,
      rateLimitLogin: 10_000,
      rateLimitRegister: 10_000,
      passwordLength: 15,
      renewsShortPasswords: true,
    },
  },
);
const { ask, refuse, signUp, clock, database } = contract;
const STEP = 30_000;
const FACTOR = '/auth/second-factor';

const login = (email: string, password: string, code?: string) =>
  ask('POST /auth/login', { body: { email, password, ...(code === undefined ? {} : { code }) } });
const me = async (token: string) => (await ask('GET /auth/me', { as: token })).status;

async function guarded() {
  const user = await signUp();
  const begun = await ask(`POST ${FACTOR}`, { as: user.token, body: { current_password: PASSWORD } });
  assert.equal(begun.status, 200, begun.text);
  const secret: string = begun.body.secret;
  const next = () => {
    clock.time += STEP;
    return codeAt(secret, clock.time);
  };
  const confirmed = await ask(`POST ${FACTOR}/confirm`, { as: user.token, body: { code: next() } });
  assert.equal(confirmed.status, 200, confirmed.text);
  const recovery: string[] = confirmed.body.recovery_codes;
  return { ...user, secret, next, recovery };
}

test('once it is on, the password alone opens nothing; a code of the app does, once, and a recovery code does, once', async () => {
  const { email, next, recovery } = await guarded();
  const asked = await login(email, PASSWORD);
  assert.deepEqual([asked.status, asked.body], [200, { second_factor_required: true }]);
  const code = next();
  const opened = await login(email, PASSWORD, code);
  assert.deepEqual([opened.status, await me(opened.body.token)], [200, 200]);
  assert.equal((await login(email, PASSWORD, code)).status, 401, 'used');
  assert.equal((await login(email, PASSWORD, recovery[0])).status, 200);
  assert.equal((await login(email, PASSWORD, recovery[0])).status, 401, 'used');
  assert.equal((await login(email, 'not the password', next())).status, 401);
  const state = await ask(`GET ${FACTOR}`, { as: opened.body.token });
  assert.deepEqual([state.body.enabled, state.body.recovery_codes_left], [true, 9]);
});

test('of many sign-ins with one code one is let in', async () => {
  const { email, next, recovery } = await guarded();
  for (const code of [next(), recovery[3]]) {
    const answers = await Promise.all(Array.from({ length: 6 }, () => login(email, PASSWORD, code)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.ok(answers.every(({ status }) => [200, 401].includes(status)));
  }
});

test('wrong codes lock the account as wrong passwords do, and the right password alone forgives none', async () => {
  const { email, secret, next } = await guarded();
  for (let failure = 0; failure < 10; failure += 1) {
    assert.equal((await login(email, PASSWORD)).status, 200, 'a code is asked for');
    assert.equal((await login(email, PASSWORD, '000000')).status, 401);
  }
  const locked = await login(email, PASSWORD, codeAt(secret, clock.time + STEP));
  assert.deepEqual([locked.status, locked.body.error], [429, 'rate_limited']);
  clock.time += STEP;
  assert.equal((await login(email, PASSWORD, next())).status, 200);
});

test('turning it on and off ends the other sessions, and asks for password and code', async () => {
  const user = await signUp();
  const other = (await login(user.email, PASSWORD)).body.token;
  const body = { current_password: PASSWORD };
  await refuse(`POST ${FACTOR}`, { as: user.token, body: { current_password: 'wrong' } }, 401, 'authentication_failed');
  await refuse(`POST ${FACTOR}/confirm`, { as: user.token, body: { code: '000000' } }, 409, 'conflict');
  const { secret } = (await ask(`POST ${FACTOR}`, { as: user.token, body })).body;
  await refuse(`POST ${FACTOR}/confirm`, { as: user.token, body: { code: '000000' } }, 401, 'authentication_failed');
  assert.equal((await login(user.email, PASSWORD)).body.second_factor_required, undefined, 'not on yet');
  await ask(`POST ${FACTOR}/confirm`, { as: user.token, body: { code: codeAt(secret, clock.time) } });
  assert.deepEqual([await me(user.token), await me(other)], [200, 401]);
  await refuse(`POST ${FACTOR}`, { as: user.token, body }, 400, 'validation_error');
  const off = (code: string, password = PASSWORD) => ({ as: user.token, body: { current_password: password, code } });
  await refuse(`POST ${FACTOR}/disable`, off('000000'), 401, 'authentication_failed');
  clock.time += STEP;
  assert.equal((await ask(`POST ${FACTOR}/disable`, off(codeAt(secret, clock.time)))).status, 204);
  assert.ok((await login(user.email, PASSWORD)).body.token);
});

test('new recovery codes take the place of the old, for password and code, and end no session', async () => {
  const { token, email, guid, next, recovery } = await guarded();
  const renew = (code: string, password = PASSWORD) => ({ as: token, body: { current_password: password, code } });
  await refuse(`POST ${FACTOR}/recovery-codes`, renew('000000'), 401, 'authentication_failed');
  await refuse(`POST ${FACTOR}/recovery-codes`, renew(next(), 'not the password'), 401, 'authentication_failed');
  const renewed = await ask(`POST ${FACTOR}/recovery-codes`, renew(recovery[0] ?? ''));
  assert.deepEqual([renewed.status, renewed.headers['cache-control']], [200, 'no-store']);
  const fresh: string[] = renewed.body.recovery_codes;
  assert.equal(new Set([...fresh, ...recovery]).size, 20);
  assert.equal((await login(email, PASSWORD, recovery[1])).status, 401, 'an old one counts no more');
  assert.equal((await login(email, PASSWORD, fresh[0])).status, 200);
  const state = await ask(`GET ${FACTOR}`, { as: token });
  assert.deepEqual([state.status, state.body.recovery_codes_left], [200, 9]);
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const events = rows.filter(({ resource }) => resource.includes(guid) && resource.includes('renew-recovery-codes'));
  assert.equal(events.length, 1);
  const plain = await signUp();
  await refuse(`POST ${FACTOR}/recovery-codes`, { ...renew('000000'), as: plain.token }, 409, 'conflict');
});

test('of many renewals with one code one counts', async () => {
  const { token, next } = await guarded();
  const body = { current_password: PASSWORD, code: next() };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => ask(`POST ${FACTOR}/recovery-codes`, { as: token, body })),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
});

test('a shorter password is taken with a second factor, which is then not given up before a longer one', async () => {
  const { guid, token, next } = await guarded();
  const change = (password: string, current = PASSWORD) =>
    ask(`PUT /users/${guid}/password`, { as: token, body: { current_password: current, new_password: password } });
  const plain = await signUp();
  const body = { current_password: PASSWORD, new_password: 'a fine phrase' };
  const short = await refuse(`PUT /users/${plain.guid}/password`, { as: plain.token, body }, 400, 'validation_error');
  assert.match(short.text, /'new_password' must have at least 15 characters/);
  assert.equal((await change('a fine phrase')).status, 204);
  const off = { as: token, body: { current_password: 'a fine phrase', code: next() } };
  await refuse(`POST ${FACTOR}/disable`, off, 409, 'conflict');
});

test('a password made of the own name or address is refused at registration and at a change', async () => {
  const names = { email: 'siv.lundmark@example.org', name: 'Siv Lundmark' };
  for (const password of ['Siv.Lundmark.2024', 'siv.lundmark@example.org', 'LundmarkLundmarkSiv']) {
    const { text } = await refuse('POST /auth/register', { body: { ...names, password } }, 400, 'validation_error');
    assert.match(text, /must not be made of a name, address or number/, password);
  }
  const { guid, token, email } = await signUp();
  const body = { current_password: PASSWORD, new_password: `${email} Kim Berg` };
  const { text } = await refuse(`PUT /users/${guid}/password`, { as: token, body }, 400, 'validation_error');
  assert.match(text, /must not be made of a name, address or number/);
});

test('the code of a reset does not pass by the second factor; an administrator takes that away for a lost device', async () => {
  const { guid, email, token, next } = await guarded();
  const reset = await ask(`POST /users/${guid}/password/reset`, { as: 'admin' });
  assert.deepEqual((await login(email, reset.body.reset_code)).body, { second_factor_required: true });
  const opened = await login(email, reset.body.reset_code, next());
  assert.equal(opened.body.must_change_password, true);
  assert.equal(await me(token), 401);
  const away = await ask(`DELETE /users/${guid}/second-factor`, { as: 'admin' });
  assert.equal(away.status, 204);
  assert.equal(await me(opened.body.token), 401, 'sessions end');
  await refuse(`DELETE /users/${guid}/second-factor`, { as: 'admin' }, 404, 'not_found');
  const { rows } = await database.query('SELECT FROM recovery_code WHERE user_guid = $1', [guid]);
  assert.equal(rows.length, 0);
});

test('secrets are kept sealed, and recovery codes as hashes', async () => {
  const { guid, secret, recovery } = await guarded();
  const { rows } = await database.query<{ sealed: Buffer; indexes: string }>(
    `SELECT second_factor_sealed AS sealed, (SELECT string_agg(encode(code_index, 'escape'), '') FROM recovery_code r
       WHERE r.user_guid = u.user_guid) AS indexes FROM engine_user u WHERE user_guid = $1`,
    [guid],
  );
  assert.ok(!rows[0]?.sealed.includes(secret));
  for (const code of recovery) assert.ok(!rows[0]?.indexes.includes(code.replaceAll('-', '')));
});

test('a user whose password is older than the rule of length chooses a longer one at the next sign-in, where that is asked', async () => {
  const { guid, email } = await signUp();
  // As from before the rule: eight characters were enough.
  const short = 'a phrase';
  const hash = await createPasswordHasher().hash(short);
  await database.query('UPDATE engine_user SET password_hash = $1 WHERE user_guid = $2', [hash, guid]);
  const opened = await login(email, short);
  assert.deepEqual(
    [opened.status, opened.body.must_change_password, opened.body.password_change_reason],
    [200, true, 'too_short'],
  );
  const { token } = opened.body;
  await refuse('GET /concepts', { as: token }, 403, 'password_change_required');
  const address = `PUT /users/${guid}/password`;
  await refuse(address, { as: token, body: { new_password: 'a much longer phrase' } }, 400, 'validation_error');
  const wrong = { current_password: 'not the password', new_password: 'a much longer phrase' };
  await refuse(address, { as: token, body: wrong }, 401, 'authentication_failed');
  const body = { current_password: short, new_password: 'a much longer phrase' };
  assert.equal((await ask(address, { as: token, body })).status, 204);
  assert.equal((await ask('GET /concepts', { as: token })).status, 200);
  assert.equal((await login(email, 'a much longer phrase')).body.must_change_password, undefined);
});
