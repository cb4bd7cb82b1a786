// Users of identity sign in at the engine by identity's rules. The engine has no accounts of its own with the addresses
// of identity's users (docs/adr/0046).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEngineWithIdentity } from '#test/support/engine/engine-with-identity.ts';
import { ADMIN } from '#test/support/identity/identity.ts';
import { makePatient, makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { codeAt, setUpSecondFactor } from '#test/support/identity/totp.ts';

const { identity, engine, clock, follow, line } = await startEngineWithIdentity({ after });
const OTHER = 'a password at the engine';
let made = 0;
const nextOwn = () => `own-${++made}@example.net`;

const login = (email: string, password: string, more: object = {}) =>
  engine.call(undefined, 'POST', '/auth/login', { email, password, ...more });
const register = (email: string, password = OTHER) =>
  engine.call(undefined, 'POST', '/auth/register', { email, password, name: 'Kim' });
const me = async (token: string) => (await engine.call(token, 'GET', '/auth/me')).status;
const asIdentity = async (method: 'POST' | 'DELETE', url: string, payload: object = {}) =>
  identity.app.inject({ method, url, headers: await identity.asAdmin(), ...(method === 'POST' ? { payload } : {}) });
/** An account of the engine from the time before, with the address of an account of identity. */
async function ownAccount(email: string): Promise<string> {
  const own = nextOwn();
  const { body } = await register(own);
  await engine.database.query('UPDATE engine_user SET email = $2, email_key = lower($2) WHERE user_guid = $1', [
    body.user_guid,
    email,
  ]);
  return body.user_guid;
}
/** The failures that identity has counted, once they are so many: the engine waits for none of its calls about them. */
async function untilFailures(count: number): Promise<void> {
  while ((await failuresAtIdentity()) !== count) await new Promise(setImmediate);
}
async function failuresAtIdentity(): Promise<number> {
  const text = 'SELECT coalesce(sum(cardinality(failed_at)), 0)::int AS n FROM login_failure';
  return (await identity.database.query<{ n: number }>(text)).rows[0]?.n ?? 0;
}

test('an account of identity signs in at the engine: the token is identity’s and opens as much', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const { status, body, headers } = await login(email.toUpperCase(), PASSWORD);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ['expires_at', 'token', 'user_guid']);
  assert.equal(body.user_guid, userGuid);
  assert.equal(headers['cache-control'], 'no-store');
  const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString());
  assert.ok(Math.abs(claims.exp - Date.parse(body.expires_at) / 1000) <= 1);
  const who = await engine.call(body.token, 'GET', '/auth/me');
  assert.deepEqual([who.status, who.body.issuer, who.body.user_guid], [200, 'identity', userGuid]);
  const admin = await login(ADMIN.email, ADMIN.password);
  assert.equal(
    (await engine.call(admin.body.token, 'GET', '/users')).status,
    200,
    'an SU admin administers the engine',
  );
});

test('the session of identity that the engine has opened is shown and ended at the engine', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const { token, expires_at } = (await login(email, PASSWORD)).body;
  const shown = await engine.call(token, 'GET', '/auth/token');
  assert.equal(shown.headers['cache-control'], 'no-store');
  assert.deepEqual([shown.status, shown.body.token, shown.body.user_guid], [200, token, userGuid]);
  assert.ok(Math.abs(Date.parse(shown.body.expires_at) - Date.parse(expires_at)) <= 1_000);
  assert.equal((await engine.call(token, 'POST', '/auth/logout')).status, 204);
  await follow();
  assert.deepEqual([await me(token), (await engine.call(token, 'POST', '/auth/logout')).status], [401, 401]);
  const atIdentity = await identity.app.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } });
  assert.equal(atIdentity.statusCode, 401);
});

test('a second factor at identity is asked for at the engine, whatever password the engine keeps for the address', async () => {
  const { email, headers } = await makeProfessional(identity);
  const guid = await ownAccount(email);
  const { secret, recoveryCodes } = await setUpSecondFactor(identity, { headers, password: PASSWORD }, clock);
  assert.equal((await login(email, OTHER)).status, 401, 'the engine’s own password opens nothing');
  const asked = await login(email, PASSWORD);
  assert.deepEqual([asked.status, asked.body], [200, { second_factor_required: true }]);
  assert.equal((await login(email, PASSWORD, { code: '000000' })).status, 401);
  clock.advance(60_000);
  const opened = await login(email, PASSWORD, { code: codeAt(secret, clock.now()) });
  assert.equal(opened.status, 200, opened.text);
  assert.equal(await me(opened.body.token), 200);
  assert.equal((await login(email, PASSWORD, { code: recoveryCodes[0] })).status, 200, 'a recovery code does too');
  const { rows } = await engine.database.query('SELECT status FROM engine_user WHERE user_guid = $1', [guid]);
  assert.deepEqual(rows, [{ status: 'disabled' }]);
});

test('a change of password and a deletion at identity reach what was signed in at the engine', async () => {
  const { email, headers } = await makeProfessional(identity);
  const before = (await login(email, PASSWORD)).body.token;
  const payload = { current_password: PASSWORD, new_password: 'yet another long phrase' };
  await identity.app.inject({ method: 'POST', url: '/api/auth/change-password', headers, payload });
  await follow();
  assert.equal(await me(before), 401);
  assert.equal((await login(email, PASSWORD)).status, 401);
  const after = await login(email, payload.new_password);
  assert.equal(after.status, 200);
  assert.equal((await asIdentity('DELETE', `/api/admin/users/${after.body.user_guid}`)).statusCode, 200);
  await follow();
  assert.equal(await me(after.body.token), 401);
  assert.equal((await login(email, payload.new_password)).status, 401);
});

test('an address that becomes identity’s ends the sessions of the engine’s account within a second, and for good', async () => {
  const email = nextOwn();
  assert.equal((await register(email)).status, 201);
  const { token } = (await login(email, OTHER)).body;
  assert.equal(await me(token), 200);
  const { organisation_guid, personnummer, ...patient } = await makePatient(identity);
  await identity.database.query('UPDATE app_user SET email = $2, email_key = lower($2) WHERE user_guid = $1', [
    patient.answer.user_guid,
    email,
  ]);
  clock.advance(1_000);
  assert.equal(await me(token), 401);
  assert.equal((await login(email, OTHER)).status, 401, 'identity’s password counts');
  assert.equal((await asIdentity('DELETE', `/api/admin/users/${patient.answer.user_guid}`)).statusCode, 200);
  assert.equal((await login(email, OTHER)).status, 403, 'the account of the engine stays disabled');
});

test('accounts from the time before are disabled at the start, and enabled only where identity has no such address', async () => {
  const { email, userGuid } = await makeProfessional(identity);
  const guid = await ownAccount(email);
  await engine.engine.start();
  const change = (status: string) =>
    engine.call('admin', 'PUT', `/users/${guid}`, { email, name: 'Kim', role: 'reader', status });
  const read = await engine.call('admin', 'GET', `/users/${guid}`);
  assert.equal(read.body.status, 'disabled');
  const refused = await change('active');
  assert.deepEqual([refused.status, refused.body.error], [409, 'conflict']);
  assert.equal((await asIdentity('DELETE', `/api/admin/users/${userGuid}`)).statusCode, 200);
  assert.equal((await change('active')).status, 200);
  assert.equal((await login(email, OTHER)).status, 200);
});

test('registering an address of identity’s is refused as one of the engine’s is, to the letter', async () => {
  const { email } = await makePatient(identity);
  const own = nextOwn();
  await register(own);
  const [one, other] = [await register(email.toUpperCase()), await register(own)];
  assert.deepEqual([one.status, one.text], [409, other.text]);
});

test('wrong passwords are answered alike for addresses of identity, of the engine and of nobody, and lock alike at both', async () => {
  const { email: known } = await makeProfessional(identity);
  const own = nextOwn();
  await register(own);
  const answers = new Map<string, unknown>();
  for (const address of [known, own, nextOwn()]) {
    const before = await failuresAtIdentity();
    const seen: unknown[] = [];
    for (let failure = 0; failure < 11; failure += 1) {
      const { status, body, headers } = await login(address, 'not the password');
      seen.push([status, body, headers['retry-after'], headers['ratelimit-limit'], headers['cache-control']]);
      await untilFailures(before + Math.min(failure + 1, 10));
    }
    const atIdentity = await identity.app.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { email: address, password: PASSWORD },
    });
    seen.push([atIdentity.statusCode, atIdentity.json(), atIdentity.headers['retry-after']]);
    answers.set(address, seen);
  }
  const [first, ...others] = answers.values();
  for (const other of others) assert.deepEqual(other, first);
  assert.deepEqual(
    (first as unknown[][]).map(([status]) => status),
    [...Array(10).fill(401), 429, 429],
  );
});

test('a right password of the engine’s own account forgives its failures at identity too', async () => {
  const own = nextOwn();
  await register(own);
  const before = await failuresAtIdentity();
  await login(own, 'not the password');
  await untilFailures(before + 1);
  assert.equal((await login(own, OTHER)).status, 200);
  await untilFailures(before);
});

test('while identity cannot be asked nobody signs in or registers at the engine, and no session of its own is trusted', async () => {
  const own = nextOwn();
  await register(own);
  const { token } = (await login(own, OTHER)).body;
  line.isCut = true;
  try {
    assert.deepEqual([(await login(own, OTHER)).status, (await register(nextOwn())).status], [503, 503]);
    clock.advance(1_000);
    assert.equal(await me(token), 503);
  } finally {
    line.isCut = false;
  }
  clock.advance(1_000);
  assert.equal(await me(token), 200);
});

test('nobody but a service asks identity whose an address is', async () => {
  const admin = await identity.asAdmin();
  for (const path of ['sign-in', 'known', 'outcomes']) {
    const ask = (headers: Record<string, string>) =>
      identity.app.inject({ method: 'POST', url: `/api/auth/accounts/${path}`, headers, payload: {} });
    assert.equal((await ask({})).statusCode, 401, path);
    assert.equal((await ask(admin)).statusCode, 403, path);
  }
});
