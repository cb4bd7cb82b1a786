// A request that takes too long is answered, and what the database does for it ends, as it does for callers who have
// gone (docs/adr/0058).
import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#lib/db/database.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { makeTestApp, makeTestLogger } from '#test/support/http-app.ts';
import { createWorkerLoop } from '../jobs/worker-loop.ts';

const hooks = lastFirst({ after });
const { database } = await createTestDatabase(hooks);
/** One connection: a statement that does not release it blocks all others. */
const db = database('public', { maxConnections: 1 });
const watcher = database('public');
await watcher.query('CREATE TABLE written (name text PRIMARY KEY)');
const isPublic = { permission: 'public' } as const;
/** Whether a statement of the test still runs; the longest would take minutes. */
const isAsleep = async (): Promise<boolean> =>
  (await watcher.query(`SELECT FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(%' AND state = 'active'`))
    .rowCount > 0;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20);
}

async function makeApp(limitMs: number) {
  const app = await makeTestApp({}, { limitMs });
  const sleep = (queryable: Pick<Database, 'query'>) => queryable.query('SELECT pg_sleep(300)');
  const sleepInTransaction = () =>
    db.transaction(async (tx) => {
      await tx.query(`INSERT INTO written VALUES ('in time')`);
      await sleep(tx);
    });
  app.get('/statement', { config: isPublic }, () => sleep(db));
  app.post('/transaction', { config: isPublic }, sleepInTransaction);
  app.post('/all-or-nothing', { config: { ...isPublic, abortsOnDisconnect: true } }, sleepInTransaction);
  app.post('/kept', { config: isPublic }, async () => {
    await db.query('SELECT pg_sleep(1)');
    await db.query(`INSERT INTO written VALUES ('by one who has gone')`);
    return {};
  });
  app.get('/quick', { config: isPublic }, async () => (await db.query('SELECT 1 AS one')).rows[0]);
  app.post('/any-time', { config: { ...isPublic, hasNoTimeLimit: true } }, async () => {
    await delay(600);
    return { done: true };
  });
  return app;
}

test('a request that takes too long gets 503, and its database connection is released', async () => {
  const app = await makeApp(200);
  for (const [method, url] of [['GET', '/statement'] as const, ['POST', '/transaction'] as const]) {
    const answer = await app.inject({ method, url });
    assert.deepEqual(
      [answer.statusCode, answer.json().error, answer.headers['retry-after']],
      [503, 'unavailable', '5'],
    );
    assert.match(answer.json().message, /took longer than 0\.2 s/);
    await until(async () => !(await isAsleep()));
    const next = await makeApp(60_000);
    assert.deepEqual((await next.inject('/quick')).json(), { one: 1 });
    await next.close();
  }
  assert.equal((await watcher.query('SELECT FROM written')).rowCount, 0);
  assert.equal((await app.inject({ method: 'POST', url: '/any-time' })).statusCode, 200);
  await app.close();
});

test('a disconnect aborts reads and single transactions, and nothing else', async () => {
  const app = await makeApp(60_000);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const leave = async (method: string, path: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`);
    await until(isAsleep);
    socket.destroy();
    await until(async () => !(await isAsleep()));
  };
  await leave('GET', '/statement');
  await leave('POST', '/all-or-nothing');
  assert.equal((await watcher.query('SELECT FROM written')).rowCount, 0);
  await leave('POST', '/kept');
  await until(async () => (await watcher.query('SELECT FROM written')).rowCount === 1);
  await app.close();
});

test('background work that a request has woken goes on after it', async () => {
  let steps = 0;
  const step = async () => {
    await db.query('SELECT 1');
    steps += 1;
    return false;
  };
  const loop = createWorkerLoop({ name: 'woken', intervalMs: 10, log: makeTestLogger(), step });
  const app = await makeTestApp({}, { limitMs: 100 });
  app.get('/wake', { config: isPublic }, () => {
    loop.wake();
    return new Promise(() => {});
  });
  assert.equal((await app.inject('/wake')).statusCode, 503);
  const before = steps;
  await until(async () => steps > before + 2);
  await loop.stop();
  await app.close();
});
