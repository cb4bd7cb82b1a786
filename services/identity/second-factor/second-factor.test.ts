// Set-up, replacement and removal of a second factor, and what is stored of it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ADMIN, handClock, startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents, makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { codeAt, codesFrom, makeGuarded, setUpSecondFactor } from '#test/support/identity/totp.ts';

const PATH = '/api/auth/second-factor';
const clock = handClock();
const identity = await startIdentity({ after }, { clock });
const { app, database, lines } = identity;
type Headers = Record<string, string>;
const now = () => clock.now();
const post = (path: string, headers: Headers, payload: object) =>
  app.inject({ method: 'POST', url: `${PATH}${path}`, headers, payload });
const state = async (headers: Headers) => (await app.inject({ url: PATH, headers })).json();
const isSignedIn = async (headers: Headers) => (await app.inject({ url: '/api/auth/me', headers })).statusCode === 200;
const withPassword = { current_password: PASSWORD };

test('begin, confirm: on, with ten recovery codes; the user’s other sessions end, this one stays', async () => {
  const { headers, email, userGuid } = await makeProfessional(identity);
  const other = await identity.signIn(email, PASSWORD);
  assert.deepEqual(await state(headers), { enabled: false, required: false });
  const begun = await post('', headers, withPassword);
  assert.equal(begun.statusCode, 200);
  assert.equal(begun.headers['cache-control'], 'no-store');
  const { secret, otpauth_uri, expires_at } = begun.json();
  assert.equal(new URL(otpauth_uri).searchParams.get('secret'), secret);
  assert.match(expires_at, /\+00:00$/);
  assert.deepEqual(await state(headers), { enabled: false, required: false }, 'not before it is confirmed');
  const confirmed = await post('/confirm', headers, { code: codeAt(secret, now()) });
  assert.equal(confirmed.statusCode, 200);
  assert.equal(confirmed.json().recovery_codes.length, 10);
  const { enabled_at, ...rest } = await state(headers);
  assert.match(enabled_at, /^\d{4}-\d\d-\d\dT[\d:.]+$/);
  assert.deepEqual(rest, { enabled: true, required: false, recovery_codes_left: 10 });
  assert.deepEqual([await isSignedIn(headers), await isSignedIn(other)], [true, false]);
  const { rows } = await database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const ofUser = rows.map((row) => row.resource).filter((resource) => resource.includes(userGuid));
  for (const event of ['second-factor.begin', 'second-factor.enable']) {
    assert.equal(ofUser.filter((resource) => resource.includes(`"${event}"`)).length, 1, event);
  }
});

test('it needs the password, the right code, and a set-up that has not expired', async () => {
  const { headers } = await makeProfessional(identity);
  const nothing = await post('/confirm', headers, { code: '123456' });
  assert.deepEqual([nothing.statusCode, nothing.json().error], [409, 'conflict']);
  const wrong = await post('', headers, { current_password: 'not my password' });
  assert.deepEqual([wrong.statusCode, wrong.json().error], [401, 'authentication_failed']);
  const { secret } = (await post('', headers, withPassword)).json();
  const late = codeAt(secret, now() + 16 * 60_000);
  for (const code of [late, 'no code', 'AAAA-BBBB-CCCC-DDDD']) {
    const answer = await post('/confirm', headers, { code });
    assert.deepEqual([answer.statusCode, answer.json().error], [401, 'authentication_failed']);
  }
  clock.advance(16 * 60_000);
  assert.equal((await post('/confirm', headers, { code: codeAt(secret, now()) })).statusCode, 409);
  const invalid = await post('', headers, { password: 'x' });
  assert.deepEqual([invalid.statusCode, invalid.json().error], [400, 'validation_error']);
});

test('guesses of the first code lock the account as failed sign-ins do', async () => {
  const { headers } = await makeProfessional(identity);
  const { secret } = (await post('', headers, withPassword)).json();
  const valid = new Set([-1, 0, 1, 2].map((step) => codeAt(secret, now() + step * 30_000)));
  const guesses = Array.from({ length: 20 }, (_, index) => String(100_000 + index)).filter((code) => !valid.has(code));
  const statuses: number[] = [];
  for (const code of guesses.slice(0, 11)) statuses.push((await post('/confirm', headers, { code })).statusCode);
  assert.deepEqual(statuses, [...Array(10).fill(401), 429]);
  assert.equal((await post('/confirm', headers, { code: codeAt(secret, now()) })).statusCode, 429);
});

test('of 50 confirmations of one set-up one counts', async () => {
  const { headers } = await makeProfessional(identity);
  const { secret } = (await post('', headers, withPassword)).json();
  const code = codeAt(secret, now());
  const answers = await Promise.all(Array.from({ length: 50 }, () => post('/confirm', headers, { code })));
  assert.equal(answers.filter((answer) => answer.statusCode === 200).length, 1);
  assert.ok(answers.every((answer) => [200, 409, 503].includes(answer.statusCode)));
});

test('a second factor is replaced with a code of the first, and the first then counts no more', async () => {
  const { headers, codes, recoveryCodes, email } = await makeGuarded(identity, clock);
  const without = await post('', headers, withPassword);
  assert.deepEqual([without.statusCode, without.json().messages?.length], [400, 1]);
  const { secret } = (await post('', headers, { ...withPassword, code: codes[0] })).json();
  const [, first, second] = codesFrom(secret, now());
  assert.equal((await post('/confirm', headers, { code: first })).statusCode, 200);
  const signIn = async (code: string | undefined) =>
    (await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: PASSWORD, code } }))
      .statusCode;
  assert.deepEqual([await signIn(codes[1]), await signIn(recoveryCodes[0]), await signIn(second)], [401, 401, 200]);
});

test('new recovery codes replace the old', async () => {
  const { headers, codes, recoveryCodes } = await makeGuarded(identity, clock);
  const [old = ''] = recoveryCodes;
  const renew = (code: string, current_password = PASSWORD) =>
    post('/recovery-codes', headers, { current_password, code });
  assert.equal((await renew(codes[0], 'not my password')).statusCode, 401);
  const renewed = await renew(codes[0]);
  assert.equal(renewed.statusCode, 200);
  const [fresh = '']: string[] = renewed.json().recovery_codes;
  assert.equal((await renew(old)).statusCode, 401);
  assert.equal((await renew(fresh)).statusCode, 200);
  assert.equal((await renew(fresh)).statusCode, 401, 'used');
});

test('disabling needs password and code, ends other sessions, and sign-in asks for no code again', async () => {
  const { headers, codes, email } = await makeGuarded(identity, clock);
  const disable = (payload: object) => post('/disable', headers, payload);
  assert.equal((await disable(withPassword)).statusCode, 400);
  assert.equal((await disable({ ...withPassword, code: '000000' })).statusCode, 401);
  assert.equal((await disable({ current_password: 'wrong', code: codes[0] })).statusCode, 401);
  assert.equal((await disable({ ...withPassword, code: codes[0] })).statusCode, 200);
  assert.deepEqual(await state(headers), { enabled: false, required: false });
  assert.ok(await isSignedIn(await identity.signIn(email, PASSWORD)));
  assert.equal((await disable({ ...withPassword, code: codes[1] })).statusCode, 409);
});

test('an SU admin takes it away for a user who lost the device, not for themself', async () => {
  const { headers, userGuid, email } = await makeGuarded(identity, clock);
  const admin = await identity.asAdmin();
  const reset = (guid: string, by: Headers = admin) =>
    app.inject({ method: 'DELETE', url: `/api/admin/users/${guid}/second-factor`, headers: by });
  assert.equal((await reset(userGuid, (await makeProfessional(identity)).headers)).statusCode, 403);
  const answer = await reset(userGuid);
  const { message, ...rest } = answer.json();
  assert.ok(message.length > 0);
  assert.deepEqual([answer.statusCode, rest], [200, { user_guid: userGuid }]);
  assert.equal(await isSignedIn(headers), false);
  assert.ok(await isSignedIn(await identity.signIn(email, PASSWORD)));
  assert.ok((await auditedEvents(identity)).includes('second-factor.reset'));
  for (const nobody of [userGuid, 'none', '01900000-0000-7000-8000-000000000000']) {
    assert.equal((await reset(nobody)).statusCode, 404);
  }
  const me = (await app.inject({ url: '/api/auth/me', headers: admin })).json();
  assert.equal((await reset(me.user_guid)).statusCode, 409);
});

test('patients may have one, too: their sign-in asks for its code', async () => {
  const { headers, email } = await makePatient(identity);
  assert.deepEqual((await app.inject({ url: PATH, headers })).json(), { enabled: false, required: false });
  const { codes } = await setUpSecondFactor(identity, { headers, password: PASSWORD }, clock);
  const payload = { email, password: PASSWORD };
  const asked = (await app.inject({ method: 'POST', url: '/api/auth/login', payload })).json();
  assert.deepEqual([asked.second_factor_required, asked.token], [true, undefined]);
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/login/second-factor',
    payload: { challenge: asked.challenge, code: codes[0] },
  });
  assert.equal(answer.statusCode, 200, answer.body);
});

test('deleting the user deletes all of it', async () => {
  const { headers, userGuid, email, codes } = await makeGuarded(identity, clock);
  await post('', headers, { ...withPassword, code: codes[0] });
  const asked = await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: PASSWORD } });
  await app.inject({ method: 'DELETE', url: `/api/admin/users/${userGuid}`, headers: await identity.asAdmin() });
  for (const table of ['second_factor_setup', 'recovery_code', 'sign_in_challenge']) {
    const left = await database.query(`SELECT FROM ${table} WHERE user_guid = $1`, [userGuid]);
    assert.equal(left.rowCount, 0, table);
  }
  const { challenge } = asked.json();
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/login/second-factor',
    payload: { challenge, code: codes[1] },
  });
  assert.deepEqual([answer.statusCode, answer.json().error], [401, 'authentication_failed']);
});

test('neither database, audit record nor log contains a secret or a code in the clear', async () => {
  const { headers, secret, recoveryCodes, codes, email } = await makeGuarded(identity, clock);
  const begun = await post('', headers, { ...withPassword, code: codes[0] });
  const login = await app.inject({ method: 'POST', url: '/api/auth/login', payload: { email, password: PASSWORD } });
  await app.inject({
    method: 'POST',
    url: '/api/auth/login/second-factor',
    payload: { challenge: login.json().challenge, code: 'WRONG-CODE' },
  });
  const tables = ['app_user', 'second_factor_setup', 'recovery_code', 'sign_in_challenge', 'audit_event'];
  const dumps = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await database.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
      return rows.map(({ row }) => row).join('\n');
    }),
  );
  const written = [...dumps, ...lines].join('\n').toUpperCase();
  const plain = recoveryCodes.flatMap((code) => [code, code.replaceAll('-', '')]);
  const texts = [secret, begun.json().secret, login.json().challenge, 'WRONG-CODE', ADMIN.password, ...plain];
  for (const text of texts) {
    assert.ok(!written.includes(text.toUpperCase()), 'in clear');
    assert.ok(!written.includes(Buffer.from(text).toString('hex').toUpperCase()), 'as bytes');
  }
});
