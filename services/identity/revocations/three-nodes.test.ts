// Revocation on three nodes and a verifier like that of engine and dispatch (decision G8). A revocation is effective at
// once on its node and within two seconds everywhere. A node that is cut off asks, then returns 503, and never trusts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createIdentityClient } from '#clients/identity-client.ts';
import { createAuthenticator } from '#lib/auth/authenticator.ts';
import { createIdentityLink } from '#lib/auth/identity-link.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { injectFetch, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import type { TestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually, promptly } from '#test/support/http.ts';
import { makeTestLogger } from '#test/support/http-app.ts';
import { handClock, type Identity, identityDatabase, SERVICE, startIdentity } from '#test/support/identity/identity.ts';
import { makeProfessional, PASSWORD } from '#test/support/identity/identity-people.ts';
import { createIdentityRecords } from '#test/support/identity/identity-records.ts';

type Headers = { readonly authorization: string };

const hooks = lastFirst({ after });
const clock = handClock();
const cut = { database: false, feed: false, identity: false };
const on = await identityDatabase(hooks);

/** The same database, through a connection that the test can cut. */
function fragile(real: TestDatabase): TestDatabase {
  const whole = <T>(work: () => Promise<T>): Promise<T> =>
    cut.database ? Promise.reject(new ServiceError('unavailable', 'cut off')) : work();
  return {
    ...real,
    database(schema, options): Database {
      const database = real.database(schema, options);
      return {
        ...database,
        query: (statement, values) => whole(() => database.query(statement, values)),
        transaction: (work, settings) => whole(() => database.transaction(work, settings)),
      };
    },
  };
}

const [a, b] = [await startIdentity(hooks, { on, clock }), await startIdentity(hooks, { on, clock })];
const c = await startIdentity(hooks, { on: fragile(on), clock });
const records = createIdentityRecords(a.database);
const admin = await a.asAdmin();

function startVerifier(): (headers: Headers) => Promise<number> {
  const whole = injectFetch(() => b.app);
  const fetch: ServiceFetch = (path, init) =>
    cut.identity || (cut.feed && path.startsWith('/api/auth/revocations'))
      ? Promise.reject(new ServiceError('upstream_unavailable', 'cut off'))
      : whole(path, init);
  const client = createIdentityClient({ fetch, credentials: SERVICE });
  const { revocations: revocationSource, keys, blobs } = client;
  const link = createIdentityLink({ keys, revocationSource, clock, log: makeTestLogger() });
  const { tokens, revocations } = link;
  link.loop.start();
  hooks.after(() => link.loop.stop());
  const authenticator = createAuthenticator({ tokens, revocations, blobs, serviceClients: [], clock });
  return ({ authorization }) =>
    authenticator.authenticate({ authorization }).then(
      () => 200,
      (error: { status: number }) => error.status,
    );
}
const verify = startVerifier();

const statusAt = async (node: Identity, headers: Headers, url = '/api/auth/me') =>
  (await node.app.inject({ url, headers })).statusCode;
const post = (node: Identity, url: string, headers: Headers, payload: object = {}) =>
  node.app.inject({ method: 'POST', url, headers, payload });
const remove = (node: Identity, url: string, headers: Headers) => node.app.inject({ method: 'DELETE', url, headers });
const untilStatus = (what: string, attempt: () => Promise<number>, status: number) =>
  promptly(what, async () => ((await attempt()) === status ? true : undefined), 2_000);

interface Change {
  readonly name: string;
  /** Runs on the first node, on the user of the token. */
  readonly run: (user: Awaited<ReturnType<typeof makeProfessional>>) => Promise<{ statusCode: number }>;
}

const CHANGES: readonly Change[] = [
  { name: 'a sign-out', run: ({ headers }) => post(a, '/api/auth/logout', headers) },
  { name: 'a deletion', run: ({ userGuid }) => remove(a, `/api/admin/users/${userGuid}`, admin) },
  {
    name: 'a change of the password in another session',
    run: async ({ email }) => {
      const passwords = { current_password: PASSWORD, new_password: PASSWORD };
      return post(a, '/api/auth/change-password', await a.signIn(email, PASSWORD), passwords);
    },
  },
  {
    name: 'the end of all other sessions',
    run: async ({ email }) => remove(a, '/api/auth/sessions', await a.signIn(email, PASSWORD)),
  },
  {
    name: 'an SU admin’s end of all sessions',
    run: ({ userGuid }) => remove(a, `/api/admin/users/${userGuid}/sessions`, admin),
  },
];

for (const { name, run } of CHANGES) {
  test(`${name} takes effect on its node at once, and everywhere within two seconds`, async () => {
    const user = await makeProfessional(b);
    const { headers } = user;
    for (const node of [a, b, c]) assert.equal(await statusAt(node, headers), 200);
    assert.equal(await verify(headers), 200);
    assert.equal((await run(user)).statusCode, 200);
    assert.equal(await statusAt(a, headers), 401);
    await untilStatus('the second node refuses', () => statusAt(b, headers), 401);
    await untilStatus('the third node refuses', () => statusAt(c, headers), 401);
    await untilStatus('the verifier refuses', () => verify(headers), 401);
  });
}

test('a group’s admin who loses the group has no admin rights anywhere within two seconds', async () => {
  const { headers, userGuid } = await makeProfessional(b);
  const group = await records.group();
  await records.membership({ group, user: userGuid, status: 'approved', isAdmin: true });
  const administers = (node: Identity) => statusAt(node, headers, '/api/groups/admin/pending');
  for (const node of [a, b, c]) assert.equal(await administers(node), 200);
  await remove(a, `/api/admin/groups/${group}`, admin);
  assert.equal(await administers(a), 403);
  for (const node of [b, c]) await untilStatus('a node refuses', () => administers(node), 403);
});

test('a node without its database returns 503 as soon as its list is stale, and is up to date when it is back', async () => {
  const [revoked, living] = [await makeProfessional(a), await makeProfessional(a)];
  for (const { headers } of [revoked, living]) assert.equal(await statusAt(c, headers), 200);
  cut.database = true;
  await post(a, '/api/auth/logout', revoked.headers);
  clock.advance(2_001);
  for (const { headers } of [revoked, living]) assert.equal(await statusAt(c, headers), 503);
  assert.equal((await c.app.inject('/readyz')).statusCode, 503);
  cut.database = false;
  assert.equal(await statusAt(c, revoked.headers), 401, 'it asks, before it has read what it missed');
  assert.equal(await statusAt(c, living.headers), 200);
  await eventually('ready again', async () => ((await c.app.inject('/readyz')).statusCode === 200 ? true : undefined));
  assert.equal(await statusAt(c, revoked.headers), 401);
});

test('a verifier without the feed asks identity about each token, and returns 503 without identity', async () => {
  const [revoked, living] = [await makeProfessional(a), await makeProfessional(a)];
  for (const { headers } of [revoked, living]) assert.equal(await verify(headers), 200);
  cut.feed = true;
  await post(a, '/api/auth/logout', revoked.headers);
  clock.advance(2_001);
  await untilStatus('node b knows', () => statusAt(b, revoked.headers), 401);
  assert.deepEqual([await verify(revoked.headers), await verify(living.headers)], [401, 200]);
  cut.identity = true;
  assert.deepEqual([await verify(revoked.headers), await verify(living.headers)], [503, 503]);
  cut.feed = false;
  cut.identity = false;
  await eventually('the verifier is back', async () => ((await verify(living.headers)) === 200 ? true : undefined));
  assert.equal(await verify(revoked.headers), 401);
});
