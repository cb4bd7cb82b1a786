// Sessions on two nodes of one database (decisions E8, G8). A session that ends on one node ends there at once. It ends
// within a second on the other, which has it in its cache.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { migrations } from '#services/engine/migrations.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { startEngineOn, type TestEngine } from '#test/support/engine/engine.ts';
import { lastFirst } from '#test/support/hooks.ts';

const PASSWORD = 'correct horse battery';
const OTHER_PASSWORD = 'a better phrase than that';
const clock = { time: Date.parse('2026-03-02T08:00:00Z'), now: () => clock.time };
const hooks = lastFirst({ after });
const { database } = await createTestDatabase(hooks, { schemas: [{ schema: 'engine', migrations }] });
const shared = { clock, sealingKeys: fixedKeys(randomBytes(32)) };
const one = await startEngineOn(hooks, database('engine'), shared);
const other = await startEngineOn(hooks, database('engine'), shared);

interface SignedIn {
  readonly guid: string;
  readonly email: string;
  readonly token: string;
}

let made = 0;
async function signUp(): Promise<SignedIn> {
  made += 1;
  const email = `node-${made}@example.org`;
  const registered = await one.call(undefined, 'POST', '/auth/register', { email, password: PASSWORD, name: 'Kim' });
  const login = await one.call(undefined, 'POST', '/auth/login', { email, password: PASSWORD });
  return { guid: registered.body.user_guid, email, token: login.body.token };
}

const me = async (node: TestEngine, token: string) => (await node.call(token, 'GET', '/auth/me')).status;

const put = (changes: object) => (node: TestEngine, user: SignedIn) =>
  node.call('admin', 'PUT', `/users/${user.guid}`, {
    email: user.email,
    name: 'Kim',
    role: 'reader',
    status: 'active',
    ...changes,
  });

type Ending = (node: TestEngine, user: SignedIn) => Promise<{ readonly status: number; readonly text: string }>;
const ENDINGS: readonly [what: string, end: Ending][] = [
  ['logging out', (node, { token }) => node.call(token, 'POST', '/auth/logout')],
  ['another role', put({ role: 'clinician' })],
  ['being disabled', put({ status: 'disabled' })],
  ['being deleted', (node, { guid }) => node.call('admin', 'DELETE', `/users/${guid}`)],
  ['a reset of the password', (node, { guid }) => node.call('admin', 'POST', `/users/${guid}/password/reset`)],
  [
    'a change of the password in another session',
    async (node, { guid, email }) => {
      const { body } = await node.call(undefined, 'POST', '/auth/login', { email, password: PASSWORD });
      const change = { current_password: PASSWORD, new_password: OTHER_PASSWORD };
      return node.call(body.token, 'PUT', `/users/${guid}/password`, change);
    },
  ],
];

for (const [what, end] of ENDINGS) {
  test(`${what} ends a session on the node that is asked at once, and on the other within a second`, async () => {
    for (const [asked, far] of [
      [one, other],
      [other, one],
    ] as const) {
      const user = await signUp();
      assert.deepEqual([await me(asked, user.token), await me(far, user.token)], [200, 200], 'both have it in mind');
      const ended = await end(asked, user);
      assert.ok(ended.status < 300, ended.text);
      assert.equal(await me(asked, user.token), 401);
      clock.time += 1_000;
      assert.equal(await me(far, user.token), 401);
    }
  });
}

test('a session that one node prolongs is prolonged on the other, and logging out there ends every token of it', async () => {
  const { token } = await signUp();
  clock.time += 1_800_000;
  const renewed = await one.call(token, 'GET', '/auth/token');
  assert.equal(renewed.status, 200, renewed.text);
  clock.time += 1_800_000;
  assert.deepEqual([await me(other, token), await me(other, renewed.body.token)], [401, 200]);
  assert.equal((await other.call(renewed.body.token, 'POST', '/auth/logout')).status, 204);
  clock.time += 1_000;
  assert.equal(await me(one, renewed.body.token), 401);
});
