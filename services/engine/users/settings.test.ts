// The configuration of the engine's users: registration, the first administrator, rate limits, and the life of tokens.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PASSWORD, startEngineContract } from '#test/support/engine/engine-contract.ts';
import { eventually } from '#test/support/http.ts';
import type { AccountSettings } from '../accounts.ts';

const SETTINGS = { registration: 'approval', tokenTtlSeconds: 60, rateLimitLogin: 3, rateLimitRegister: 2 } as const;
const ADMIN = { email: 'Root@example.org', password: 'a phrase to begin with' };

function startWith(t: TestContext, changes: Partial<AccountSettings> = {}) {
  return startEngineContract(t, { accounts: { ...SETTINGS, ...changes } });
}
const body = { email: 'kim@example.org', password: PASSWORD, name: 'Kim' };
const login = { body: { email: body.email, password: PASSWORD } };

test('approval: who registers signs in when an administrator has approved it; the token lasts as long as configured', async (t) => {
  const { ask, refuse, clock } = await startWith(t);
  const { user_guid: guid, status } = (await ask('POST /auth/register', { body })).body;
  assert.equal(status, 'pending');
  await refuse('POST /auth/login', login, 403, 'forbidden');
  const approved = { email: body.email, name: body.name, role: 'clinician', status: 'active' };
  assert.equal((await ask(`PUT /users/${guid}`, { as: 'admin', body: approved })).status, 200);
  const session = await ask('POST /auth/login', login);
  assert.equal(Date.parse(session.body.expires_at), clock.time + 60_000);
});

test('closed: nobody registers', async (t) => {
  const { refuse } = await startWith(t, { registration: 'closed' });
  await refuse('POST /auth/register', { body }, 403, 'forbidden');
});

test('sign-ins and registrations of an address are counted for each minute', async (t) => {
  const { ask, clock } = await startWith(t);
  for (const [address, limit, call] of [
    ['POST /auth/login', 3, login],
    ['POST /auth/register', 2, { body }],
  ] as const) {
    for (let request = 1; request <= limit; request += 1) assert.notEqual((await ask(address, call)).status, 429);
    const { status, headers } = await ask(address, call);
    assert.deepEqual([status, headers['ratelimit-limit'], headers['ratelimit-remaining']], [429, String(limit), '0']);
    assert.ok(Number(headers['retry-after']) > 0);
  }
  clock.time += 60_000;
  assert.equal((await ask('POST /auth/login', login)).status, 403);
});

test('the first administrator is made at the start, and only when there is none', async (t) => {
  const { engine, ask, database } = await startWith(t, { administrator: ADMIN, registration: 'open' });
  await engine.start();
  await engine.start();
  const { rows } = await database.query('SELECT name, role, status FROM engine_user');
  assert.deepEqual(rows, [{ name: 'Administrator', role: 'admin', status: 'active' }]);
  const { token } = (
    await ask('POST /auth/login', { body: { email: ADMIN.email.toLowerCase(), password: ADMIN.password } })
  ).body;
  assert.equal((await ask('GET /users', { as: token })).status, 200);
});

test('sessions that have ended and old failures are forgotten', async (t) => {
  const { engine, ask, clock, database } = await startWith(t, { registration: 'open', rateLimitLogin: 100 });
  await ask('POST /auth/register', { body });
  await ask('POST /auth/login', login);
  await ask('POST /auth/login', { body: { ...login.body, password: 'wrong' } });
  clock.time += 16 * 60_000;
  await engine.start();
  for (const table of ['engine_session', 'login_failure']) {
    await eventually(`${table} is empty`, async () =>
      (await database.query(`SELECT FROM ${table}`)).rowCount === 0 ? true : undefined,
    );
  }
});
