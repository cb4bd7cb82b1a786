// The rows of "Authentication, users, API keys" about users and sessions (contract: engine; decision E8).
import assert from 'node:assert/strict';
import { hkdfSync } from 'node:crypto';
import { after, test } from 'node:test';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { HOUR_MS } from '#lib/clock.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { INSTANT, nextEmail, PASSWORD, startEngineContract, UNKNOWN } from '#test/support/engine/engine-contract.ts';
import { GUID, type Shape } from '#test/support/shape.ts';

const KEY = Buffer.alloc(32, 7);
const contract = await startEngineContract({ after }, { sealingKeys: fixedKeys(KEY) });
const { ask, expect, refuse, expectPage, signUp, clock, database, logLines } = contract;
const OTHER_PASSWORD = 'another fine phrase';

const USER: Shape = {
  user_guid: GUID,
  email: /@/,
  name: /./,
  role: /^(admin|clinician|reader|provider)$/,
  status: /^(pending|active|disabled)$/,
  provider_guid: null,
  last_login_at: null,
  created_at: INSTANT,
  updated_at: INSTANT,
};
const SIGNED_IN: Shape = { ...USER, last_login_at: INSTANT };
const SESSION: Shape = { token: /^[\w-]+\.[\w-]+\.[\w-]+$/, user_guid: GUID, expires_at: INSTANT };
const login = (email: string, password: string) => ask('POST /auth/login', { body: { email, password } });

test('register: 201, the user, without the password', async () => {
  const body = { email: nextEmail(), password: PASSWORD, name: 'Kim' };
  const { headers, body: user } = await expect('POST /auth/register', { body }, 201, USER);
  assert.deepEqual([user.role, user.status], ['reader', 'active']);
  assert.equal(headers['location'], `/api/v1/users/${user.user_guid}`);
});

test('register: 400 validation_error naming every error', async () => {
  const { body } = await refuse(
    'POST /auth/register',
    { body: { email: 'x', password: 'password', extra: 1 } },
    400,
    'validation_error',
  );
  for (const field of ['email', 'password', 'name', 'extra'])
    assert.match(body.messages.join(), new RegExp(`'${field}'`));
});

test('register: 409 conflict for an address that is taken, whatever its case; of 8 at once one', async () => {
  const body = { email: nextEmail(), password: PASSWORD, name: 'Kim' };
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask('POST /auth/register', { body })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)]);
  await refuse('POST /auth/register', { body: { ...body, email: body.email.toUpperCase() } }, 409, 'conflict');
});

test('register: nobody chooses the own role', async () => {
  const body = { email: nextEmail(), password: PASSWORD, name: 'Kim', role: 'admin' };
  await refuse('POST /auth/register', { body }, 400, 'validation_error');
});

test('login: 200, a JWT of the user', async () => {
  const { guid, email } = await signUp();
  const { body, headers } = await expect(
    'POST /auth/login',
    { body: { email: email.toUpperCase(), password: PASSWORD } },
    200,
    SESSION,
  );
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(body.user_guid, guid);
  assert.equal(Date.parse(body.expires_at), clock.time + HOUR_MS);
  const secret = Buffer.from(hkdfSync('sha256', KEY, '', 'kedja engine session token', 32));
  const { payload } = await jwtVerify(body.token, secret, {
    currentDate: new Date(clock.time),
    issuer: 'kedja-engine',
  });
  assert.deepEqual([payload.sub, payload.exp], [guid, Date.parse(body.expires_at) / 1000]);
  assert.equal(decodeProtectedHeader(body.token).alg, 'HS256');
});

test('login: 401 authentication_failed, the same for an unknown address and a wrong password', async () => {
  const { email } = await signUp();
  const wrong = await refuse('POST /auth/login', { body: { email, password: 'wrong' } }, 401, 'authentication_failed');
  const unknown = await refuse(
    'POST /auth/login',
    { body: { email: nextEmail(), password: PASSWORD } },
    401,
    'authentication_failed',
  );
  assert.equal(wrong.text, unknown.text);
});

test('login: 400 validation_error for a body without password', async () => {
  await refuse('POST /auth/login', { body: { email: 'a@example.org' } }, 400, 'validation_error');
});

test('login: 403 forbidden for a disabled user who knows the password, 401 for one who does not', async () => {
  const { guid, email } = await signUp();
  await ask(`PUT /users/${guid}`, { as: 'admin', body: { email, name: 'K', role: 'reader', status: 'disabled' } });
  await refuse('POST /auth/login', { body: { email, password: PASSWORD } }, 403, 'forbidden');
  await refuse('POST /auth/login', { body: { email, password: 'wrong' } }, 401, 'authentication_failed');
});

test('login: 429 rate_limited after ten failures, for an unknown address just the same', async () => {
  const { email } = await signUp();
  for (const address of [email, nextEmail()]) {
    for (let failure = 1; failure <= 10; failure += 1) assert.equal((await login(address, 'wrong')).status, 401);
    const locked = await refuse(
      'POST /auth/login',
      { body: { email: address, password: PASSWORD } },
      429,
      'rate_limited',
    );
    assert.equal(locked.headers['retry-after'], '30');
  }
  clock.time += 31_000;
  assert.equal((await login(email, PASSWORD)).status, 200);
});

test('me: 200, a user of the engine', async () => {
  const { token, guid, email } = await signUp('clinician');
  const { body } = await expect('GET /auth/me', { as: token }, 200, {
    user_guid: guid,
    issuer: 'engine',
    email,
    name: 'Kim Berg',
    role: 'clinician',
    status: 'active',
    provider_guid: null,
    created_at: INSTANT,
    must_change_password: false,
  });
  assert.equal(body.user_guid, guid);
});

test('me: 200, a user of identity', async () => {
  const unknown = { email: null, name: null, provider_guid: null, created_at: null, must_change_password: false };
  const shape = { user_guid: /./, issuer: 'identity', status: 'active', ...unknown };
  await expect('GET /auth/me', { as: 'admin' }, 200, { ...shape, role: 'admin' });
  await expect('GET /auth/me', { as: 'planner' }, 200, { ...shape, role: 'clinician' });
  await expect('GET /auth/me', { as: 'patient' }, 200, { ...shape, role: 'patient' });
});

test('me: 401 without a token, with a changed one, and after its end', async () => {
  const { token } = await signUp();
  await refuse('GET /auth/me', {}, 401, 'unauthorized');
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url');
  for (const text of [
    `${header}.${forged}.${signature}`,
    `${header}.${payload}.`,
    `${token}=`,
    `${header}.${payload}`,
    `${header}.`,
  ]) {
    await refuse('GET /auth/me', { as: text }, 401, 'unauthorized');
  }
  clock.time += HOUR_MS;
  await refuse('GET /auth/me', { as: token }, 401, 'unauthorized');
});

test('logout: 204, and the token counts no more; other sessions go on', async () => {
  const { token, email } = await signUp();
  const other = (await login(email, PASSWORD)).body.token;
  await expect('POST /auth/logout', { as: token }, 204);
  await refuse('GET /auth/me', { as: token }, 401, 'unauthorized');
  assert.equal((await ask('GET /auth/me', { as: other })).status, 200);
});

test('logout: 403 for a token of identity, which belongs to identity; 401 without one', async () => {
  await refuse('POST /auth/logout', { as: 'planner' }, 403, 'forbidden');
  await refuse('POST /auth/logout', {}, 401, 'unauthorized');
});

test('token: 200, the same session with a later end; logging out ends both tokens', async () => {
  const { token } = await signUp();
  clock.time += HOUR_MS / 2;
  const { body } = await expect('GET /auth/token', { as: token }, 200, SESSION);
  assert.equal(Date.parse(body.expires_at), clock.time + HOUR_MS);
  clock.time += HOUR_MS / 2;
  await refuse('GET /auth/me', { as: token }, 401, 'unauthorized');
  assert.equal((await ask('GET /auth/me', { as: body.token })).status, 200);
  await expect('POST /auth/logout', { as: body.token }, 204);
  await refuse('GET /auth/token', { as: body.token }, 401, 'unauthorized');
});

test('token: no session lasts longer than 30 days', async () => {
  let { token } = await signUp();
  const end = clock.time + 30 * 24 * HOUR_MS;
  for (;;) {
    clock.time += HOUR_MS - 60_000;
    const { status, body } = await ask('GET /auth/token', { as: token });
    if (status === 401) break;
    assert.ok(Date.parse(body.expires_at) <= end);
    token = body.token;
  }
  assert.ok(clock.time >= end - HOUR_MS);
});

test('token: 403 for a token of identity and for a patient', async () => {
  await refuse('GET /auth/token', { as: 'planner' }, 403, 'forbidden');
  await refuse('GET /auth/token', { as: 'patient' }, 403, 'forbidden');
});

test('users: 200, a page of users, by every filter', async () => {
  const { guid, email } = await signUp('clinician');
  const { body } = await expectPage(`GET /users?search=${email}`, { as: 'admin' }, SIGNED_IN);
  assert.deepEqual([body.page, body.per_page, body.total], [1, 20, 1]);
  const guids = async (query: string) =>
    (await ask(`GET /users?${query}`, { as: 'admin' })).body.data.map((user: { user_guid: string }) => user.user_guid);
  assert.deepEqual(await guids(`search=${email.toUpperCase()}`), [guid]);
  assert.deepEqual(await guids(`search=${email}&role=reader`), []);
  assert.deepEqual(await guids(`search=${email}&role=clinician&status=active`), [guid]);
  assert.deepEqual(await guids(`status=pending`), []);
  assert.deepEqual(await guids(`provider_guid=${UNKNOWN}`), []);
});

test('users: 400 validation_error for what is no page, no role, no filter', async () => {
  for (const query of ['page=0', 'per_page=0', 'per_page=201', 'role=boss', 'status=x', 'provider_guid=x', 'q=1']) {
    await refuse(`GET /users?${query}`, { as: 'admin' }, 400, 'validation_error');
  }
});

test('a user: 200 for oneself and for an administrator, 403 for others, 404 for an unknown one', async () => {
  const [one, other] = [await signUp(), await signUp()];
  await expect(`GET /users/${one.guid}`, { as: one.token }, 200, SIGNED_IN);
  await expect(`GET /users/${one.guid}`, { as: 'admin' }, 200, SIGNED_IN);
  await refuse(`GET /users/${one.guid}`, { as: other.token }, 403, 'forbidden');
  await refuse(`GET /users/${UNKNOWN}`, { as: 'admin' }, 404, 'not_found');
  await refuse(`GET /users/no-guid`, { as: 'admin' }, 404, 'not_found');
});

test('update: 200, by an administrator everything', async () => {
  const { guid } = await signUp();
  const provider = (await ask('POST /providers', { as: 'admin', body: { name: 'P', region: 'R' } })).body.provider_guid;
  const body = { email: nextEmail(), name: 'New', role: 'provider', status: 'active', provider_guid: provider };
  const { body: user } = await expect(`PUT /users/${guid}`, { as: 'admin', body }, 200, {
    ...(SIGNED_IN as object),
    provider_guid: provider,
  });
  assert.deepEqual({ ...user, ...body }, user);
  const signedIn = (await login(body.email, PASSWORD)).body.token;
  assert.equal((await ask('GET /provider-tasks/my', { as: signedIn })).status, 200);
  await ask(`PUT /providers/${provider}`, { as: 'admin', body: { name: 'P', region: 'R', status: 'inactive' } });
  clock.time += 1_000;
  await refuse('GET /provider-tasks/my', { as: signedIn }, 401, 'unauthorized');
});

test('update: 200 for the own name; 403 naming what else is an administrator’s to change', async () => {
  const { guid, email, token } = await signUp();
  const body = { email, name: 'New', role: 'reader', status: 'active' };
  assert.equal((await expect(`PUT /users/${guid}`, { as: token, body }, 200, SIGNED_IN)).body.name, 'New');
  const greedy = { ...body, email: nextEmail(), role: 'admin' };
  const { body: refused } = await refuse(`PUT /users/${guid}`, { as: token, body: greedy }, 403, 'forbidden');
  assert.match(refused.message, /email, role$/);
  const other = await signUp();
  await refuse(`PUT /users/${guid}`, { as: other.token, body }, 403, 'forbidden');
});

test('update: what changes the rights of a user ends their sessions', async () => {
  const { guid, email, token } = await signUp('clinician');
  const body = { email, name: 'K', role: 'reader', status: 'active' };
  assert.equal((await ask(`PUT /users/${guid}`, { as: 'admin', body })).status, 200);
  await refuse('GET /auth/me', { as: token }, 401, 'unauthorized');
});

test('update: 400 for a role without its provider and a provider without its role, and for an unknown one', async () => {
  const { guid, email } = await signUp();
  const body = { email, name: 'K', role: 'provider', status: 'active' };
  await refuse(`PUT /users/${guid}`, { as: 'admin', body }, 400, 'validation_error');
  await refuse(
    `PUT /users/${guid}`,
    { as: 'admin', body: { ...body, provider_guid: UNKNOWN } },
    400,
    'validation_error',
  );
  await refuse(
    `PUT /users/${guid}`,
    { as: 'admin', body: { ...body, role: 'reader', provider_guid: UNKNOWN } },
    400,
    'validation_error',
  );
});

test('update: 409 conflict for an address that is taken, and for an active user who would be pending; 404', async () => {
  const [one, other] = [await signUp(), await signUp()];
  const body = { email: other.email, name: 'K', role: 'reader', status: 'active' };
  await refuse(`PUT /users/${one.guid}`, { as: 'admin', body }, 409, 'conflict');
  await refuse(`PUT /users/${other.guid}`, { as: 'admin', body: { ...body, status: 'pending' } }, 409, 'conflict');
  await refuse(`PUT /users/${UNKNOWN}`, { as: 'admin', body: { ...body, email: nextEmail() } }, 404, 'not_found');
});

test('delete: 204, and the user is gone with every session; 404 again', async () => {
  const { guid, email, token } = await signUp();
  await expect(`DELETE /users/${guid}`, { as: 'admin' }, 204);
  await refuse('GET /auth/me', { as: token }, 401, 'unauthorized');
  await refuse('POST /auth/login', { body: { email, password: PASSWORD } }, 401, 'authentication_failed');
  await refuse(`DELETE /users/${guid}`, { as: 'admin' }, 404, 'not_found');
});

test('delete: 409 for oneself; of two last administrators who demote each other one stays', async () => {
  const [one, other] = [await signUp('admin'), await signUp('admin')];
  await refuse(`DELETE /users/${one.guid}`, { as: one.token }, 409, 'conflict');
  const body = (email: string) => ({ email, name: 'K', role: 'reader', status: 'active' });
  const answers = await Promise.all([
    ask(`PUT /users/${other.guid}`, { as: 'admin', body: body(other.email) }),
    ask(`PUT /users/${one.guid}`, { as: 'admin', body: body(one.email) }),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const { body: left } = await ask('GET /users?role=admin', { as: 'admin' });
  assert.equal(left.total, 1);
  await refuse(`DELETE /users/${left.data[0].user_guid}`, { as: 'admin' }, 409, 'conflict');
});

test('password: 204, the old one and the other sessions end, the caller’s goes on', async () => {
  const { guid, email, token } = await signUp();
  const other = (await login(email, PASSWORD)).body.token;
  const body = { current_password: PASSWORD, new_password: OTHER_PASSWORD };
  await expect(`PUT /users/${guid}/password`, { as: token, body }, 204);
  await refuse('GET /auth/me', { as: other }, 401, 'unauthorized');
  assert.equal((await ask('GET /auth/me', { as: token })).status, 200);
  assert.deepEqual([(await login(email, PASSWORD)).status, (await login(email, OTHER_PASSWORD)).status], [401, 200]);
});

test('password: 401 for a wrong one, 400 for an unfit, the same or a missing one, 403 for another’s', async () => {
  const [one, other] = [await signUp(), await signUp()];
  const address = `PUT /users/${one.guid}/password`;
  const body = { current_password: PASSWORD, new_password: OTHER_PASSWORD };
  await refuse(address, { as: one.token, body: { ...body, current_password: 'x' } }, 401, 'authentication_failed');
  for (const new_password of ['short', 'password1', PASSWORD, 'x'.repeat(257)]) {
    await refuse(address, { as: one.token, body: { ...body, new_password } }, 400, 'validation_error');
  }
  await refuse(address, { as: one.token, body: { new_password: OTHER_PASSWORD } }, 400, 'validation_error');
  await refuse(address, { as: other.token, body }, 403, 'forbidden');
  await refuse(address, { as: 'admin', body }, 403, 'forbidden');
});

test('password: of 8 changes at once one takes place', async () => {
  const { guid, token } = await signUp();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      ask(`PUT /users/${guid}/password`, {
        as: token,
        body: { current_password: PASSWORD, new_password: `a new phrase ${index}` },
      }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 204).length, 1);
  assert.ok(answers.every(({ status }) => [204, 401, 429].includes(status)));
});

test('reset: 200, a code that signs in once and lets its holder do nothing but choose a password', async () => {
  const { guid, email, token } = await signUp();
  const shape = { user_guid: guid, reset_code: /^([0-9A-Z]{5}-){3}[0-9A-Z]{5}$/, expires_at: INSTANT };
  const reset = await expect(`POST /users/${guid}/password/reset`, { as: 'admin' }, 200, shape);
  assert.equal(reset.headers['cache-control'], 'no-store');
  await refuse('GET /auth/me', { as: token }, 401, 'unauthorized');
  assert.equal((await login(email, PASSWORD)).status, 401);
  const code = reset.body.reset_code.toLowerCase();
  const answers = await Promise.all(Array.from({ length: 8 }, () => login(email, code)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(401)]);
  const opened = answers.find(({ status }) => status === 200)?.body;
  assert.equal(opened.must_change_password, true);
  assert.equal((await ask('GET /auth/me', { as: opened.token })).body.must_change_password, true);
  await refuse('GET /concepts', { as: opened.token }, 403, 'password_change_required');
  await refuse('GET /auth/token', { as: opened.token }, 403, 'password_change_required');
  await expect(`PUT /users/${guid}/password`, { as: opened.token, body: { new_password: OTHER_PASSWORD } }, 204);
  assert.equal((await ask('GET /concepts', { as: opened.token })).status, 200);
  assert.equal((await login(email, OTHER_PASSWORD)).status, 200);
});

test('reset: the code ends after a day, and with the next reset; 404 and 409', async () => {
  const { guid, email } = await signUp();
  const address = `POST /users/${guid}/password/reset`;
  const first = (await ask(address, { as: 'admin' })).body.reset_code;
  const second = (await ask(address, { as: 'admin' })).body.reset_code;
  assert.equal((await login(email, first)).status, 401);
  clock.time += 24 * HOUR_MS;
  assert.equal((await login(email, second)).status, 401);
  await refuse(`POST /users/${UNKNOWN}/password/reset`, { as: 'admin' }, 404, 'not_found');
  await ask(`PUT /users/${guid}`, { as: 'admin', body: { email, name: 'K', role: 'reader', status: 'disabled' } });
  await refuse(address, { as: 'admin' }, 409, 'conflict');
});

test('nothing that proves who somebody is is kept or logged as it is', async () => {
  const { guid, token } = await signUp();
  const { reset_code: code } = (await ask(`POST /users/${guid}/password/reset`, { as: 'admin' })).body;
  const tables = ['engine_user', 'engine_session', 'login_failure', 'audit_event', 'idempotency_key'];
  const rows: string[] = [...logLines];
  for (const table of tables) {
    const found = await database
      .query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${table} t`)
      .catch(() => ({ rows: [] }));
    rows.push(...found.rows.map(({ row }) => row));
  }
  const kept = rows.join('\n');
  assert.match(kept, /engine-user\.sign-in/);
  for (const secret of [PASSWORD, code, token, token.split('.')[2] ?? '']) assert.ok(!kept.includes(secret), secret);
});
