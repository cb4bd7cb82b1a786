// Revocation across nodes (decision G8): effective at once on the node that handled it, within two seconds elsewhere;
// stale data is never trusted.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createIdentityClient, SEQUENCE_HEADER } from '#clients/identity-client.ts';
import { injectFetch } from '#lib/http/upstream/service-fetch.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { promptly } from '#test/support/http.ts';
import { asService, identityDatabase, SERVICE, startIdentity } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { createRevocations } from './service.ts';

const hooks = lastFirst({ after });
const on = await identityDatabase(hooks);
let notified = 0;
const onRevoked = async () => {
  notified += 1;
};
const [one, two] = await Promise.all([startIdentity(hooks, { on, onRevoked }), startIdentity(hooks, { on })]);
const client = createIdentityClient({ fetch: injectFetch(() => one.app), credentials: SERVICE });

const me = async (node: typeof one, headers: Record<string, string>) =>
  (await node.app.inject({ url: '/api/auth/me', headers })).statusCode;

/** The limit of decision G8. */
const withinTwoSeconds = (what: string, condition: () => Promise<boolean>) =>
  promptly(what, async () => ((await condition()) ? true : undefined), 2_000);

test('two nodes that start at once share one key and one administrator', async () => {
  const { rows } = await one.database.query('SELECT FROM signing_key');
  const admins = await one.database.query('SELECT FROM app_user WHERE is_su_admin');
  assert.deepEqual([rows.length, admins.rowCount], [1, 1]);
  assert.equal(await me(two, await one.asAdmin()), 200);
});

test('a token signed out on one node is refused there at once and on the other within two seconds', async () => {
  const headers = await two.asAdmin();
  assert.deepEqual([await me(one, headers), await me(two, headers)], [200, 200]);
  notified = 0;
  await one.app.inject({ method: 'POST', url: '/api/auth/logout', headers });
  assert.equal(notified, 1, 'the services beside it were notified before the answer');
  assert.equal(await me(one, headers), 401);
  await withinTwoSeconds('the other node refuses it', async () => (await me(two, headers)) === 401);
});

test('a changed blob is seen at once here and within two seconds there', async () => {
  const { headers, userGuid } = await makeProfessional(one);
  const admin = await one.asAdmin();
  assert.equal((await two.app.inject({ url: '/api/groups/admin/pending', headers })).statusCode, 403);
  const groups = (await one.app.inject('/api/public/groups')).json();
  const { membership_guid } = (
    await one.app.inject({
      method: 'POST',
      url: '/api/groups/request-membership',
      headers,
      payload: { group_guid: groups[0].group_guid },
    })
  ).json();
  const payload = { membership_guid, decision: 'approved' };
  const feed = await client.revocations.readAfter(0);
  await one.app.inject({ method: 'POST', url: '/api/groups/admin/decide', headers: admin, payload });
  const page = await client.revocations.readAfter(feed.sequence);
  assert.deepEqual(page.events, [{ kind: 'user_changed', userGuid }]);
});

test('me is answered from memory and yet shows each change at once where it was made; a service ahead of a node is not answered by it', async () => {
  const { headers, userGuid } = await makeProfessional(one);
  const admin = await one.asAdmin();
  const groupsAt = async (node: typeof one, more: Record<string, string> = {}) => {
    const url = Object.keys(more).length > 0 ? '/api/auth/me/service' : '/api/auth/me';
    return (await node.app.inject({ url, headers: { ...headers, ...more } })).json().groups.length;
  };
  const [group] = (await one.app.inject('/api/public/groups')).json();
  const payload = { group_guid: group.group_guid };
  assert.deepEqual([await groupsAt(one), await groupsAt(one, asService), await groupsAt(two)], [0, 0, 0]);
  await one.app.inject({ method: 'POST', url: '/api/groups/request-membership', headers, payload });
  const { sequence } = await client.revocations.readAfter(0);
  assert.deepEqual([await groupsAt(one), await groupsAt(one, asService)], [1, 1]);
  assert.equal(await groupsAt(two, { ...asService, [SEQUENCE_HEADER]: String(sequence) }), 1);
  await one.app.inject({ method: 'DELETE', url: `/api/admin/users/${userGuid}`, headers: admin });
  assert.equal(await me(one, headers), 401);
});

test('the feed is for services only', async () => {
  const ask = (headers: Record<string, string>) => one.app.inject({ url: '/api/auth/revocations?after=0', headers });
  assert.equal((await ask({})).statusCode, 401);
  assert.equal((await ask(await one.asAdmin())).statusCode, 403);
  assert.equal((await ask({ ...asService, 'x-sso-client-secret': 'wrong' })).statusCode, 403);
  assert.equal((await ask(asService)).statusCode, 200);
  for (const after of ['-1', '99999999999999999999']) {
    const url = `/api/auth/revocations?after=${after}`;
    assert.equal((await one.app.inject({ url, headers: asService })).statusCode, 400, after);
  }
});

test('while 40 sign-outs commit at once, a reader of the feed misses none', async () => {
  const { email } = await makeProfessional(one);
  const tokens: Array<{ authorization: string }> = [];
  for (let index = 0; index < 40; index += 1) tokens.push(await one.signIn(email, PASSWORD));
  let { sequence } = await client.revocations.readAfter(0);
  const seen: string[] = [];
  let isDone = false;
  const reader = (async () => {
    for (let last = false; !last; ) {
      last = isDone;
      const page = await client.revocations.readAfter(sequence);
      assert.ok(page.sequence >= sequence);
      sequence = page.sequence;
      for (const event of page.events) if (event.kind === 'token_revoked') seen.push(event.tokenId);
    }
  })();
  await Promise.all(
    tokens.map((headers, index) =>
      (index % 2 === 0 ? one : two).app.inject({ method: 'POST', url: '/api/auth/logout', headers }),
    ),
  );
  isDone = true;
  await reader;
  assert.deepEqual([seen.length, new Set(seen).size], [40, 40]);
});

test('another service’s link learns of keys and revocations through the client', async () => {
  const headers = await one.asAdmin();
  const token = headers.authorization.slice(7);
  assert.equal((await client.keys.load()).keys.length, 1);
  const blob = await client.blobs.read(token, {} as never, 0);
  assert.equal(blob?.is_su_admin, true);
  await one.app.inject({ method: 'POST', url: '/api/auth/logout', headers });
  assert.equal(await client.blobs.read(token, {} as never, 0), undefined);
});

test('expired entries are deleted, active ones are kept', async () => {
  const headers = await one.asAdmin();
  await one.app.inject({ method: 'POST', url: '/api/auth/logout', headers });
  let now = Date.now();
  const revocations = createRevocations({ database: one.database, clock: { now: () => now } });
  const count = async (table: string) => (await one.database.query(`SELECT FROM ${table}`)).rowCount;
  const before = await count('revoked_token');
  await revocations.sweep();
  assert.deepEqual([await count('revoked_token'), before > 0], [before, true]);
  now += 3600_000 + 61_000;
  await revocations.sweep();
  assert.deepEqual([await count('issued_token'), await count('revoked_token'), await count('user_change')], [0, 0, 0]);
});

test('a failing service in the same process does not make a sign-out fail', async () => {
  const failing = await startIdentity(hooks, { on, onRevoked: () => Promise.reject(new Error('not there')) });
  const headers = await failing.asAdmin();
  assert.equal((await failing.app.inject({ method: 'POST', url: '/api/auth/logout', headers })).statusCode, 200);
  assert.equal(await me(failing, headers), 401);
  assert.ok(failing.lines.some((line) => line.includes('revocation.not-told')));
});

test('a reader ahead of the counter starts again, and expired tokens are left out', async () => {
  const ahead = await client.revocations.readAfter(1_000_000);
  assert.ok(ahead.events.length > 0 && ahead.sequence < 1_000_000);
  await one.database.query("UPDATE revoked_token SET expires_at = now() - interval '1 hour'");
  const page = await client.revocations.readAfter(0);
  assert.ok(page.events.every((event) => event.kind === 'user_changed'));
});
