// Pools that share a limit of connections: all get their turn, and together they never hold more.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { serverOf } from '../connection.ts';
import { createDatabase } from '../pool.ts';
import { createConnectionLimit } from './connection-limit.ts';

const { url, database } = await createTestDatabase({ after });
const observer = database('public');

function poolsOf(count: number, perServer: number, waitMs?: number) {
  const limit = createConnectionLimit({ perServer, ...(waitMs === undefined ? {} : { waitMs }) });
  const pools = Array.from({ length: count }, () =>
    createDatabase({ url, schema: 'public', applicationName: 'limited', maxConnections: 3, limit }),
  );
  after(() => Promise.all(pools.map((pool) => pool.close())));
  return pools;
}

async function open(): Promise<number> {
  const text = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'limited'";
  return (await observer.query<{ n: number }>(text)).rows[0]?.n ?? 0;
}

test('twelve pools with three statements each share five connections, idle ones too', async () => {
  const pools = poolsOf(12, 5, 300_000);
  let isDone = false;
  let most = 0;
  const watching = (async () => {
    while (!isDone) most = Math.max(most, await open());
  })();
  const answers = await Promise.all(
    pools.flatMap((pool, index) => [1, 2, 3].map((n) => pool.query('SELECT $1::int AS n', [index * n]))),
  );
  isDone = true;
  await watching;
  assert.deepEqual(
    answers.map(({ rows }) => (rows[0] as { n: number }).n),
    pools.flatMap((_, index) => [1, 2, 3].map((n) => index * n)),
  );
  // The server needs a moment to end a process whose connection is closed: it counts those, too.
  assert.ok(most <= 10, `${most} connections`);
  await Promise.all(pools.map((pool) => pool.close()));
});

test('who finds none free is refused after the wait, and served again later', async () => {
  const [holder, other] = poolsOf(2, 1, 200) as [ReturnType<typeof createDatabase>, ReturnType<typeof createDatabase>];
  const held = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const holding = holder.transaction(async (transaction) => {
    await transaction.query('SELECT 1');
    began.resolve();
    await held.promise;
  });
  await began.promise;
  await assert.rejects(other.query('SELECT 1'), (error) => error instanceof ServiceError && error.status === 503);
  held.resolve();
  await holding;
  assert.equal((await other.query('SELECT 1')).rowCount, 1);
});

test('a pool that is always busy leaves others their turn', async () => {
  const [busy, other] = poolsOf(2, 1, 300_000) as [
    ReturnType<typeof createDatabase>,
    ReturnType<typeof createDatabase>,
  ];
  let isDone = false;
  const working = Array.from({ length: 3 }, async () => {
    while (!isDone) await busy.query('SELECT 1');
  });
  for (let turn = 0; turn < 5; turn += 1) assert.equal((await other.query('SELECT 1')).rowCount, 1);
  isDone = true;
  await Promise.all(working);
});

test('a transaction that fails, a statement that fails and a lost connection give their turns back', async () => {
  const [first, second] = poolsOf(2, 1) as [ReturnType<typeof createDatabase>, ReturnType<typeof createDatabase>];
  await assert.rejects(first.query('SELECT 1 / 0'));
  await assert.rejects(
    first.transaction(() => Promise.reject(new Error('no'))),
    /no/,
  );
  await assert.rejects(first.query('SELECT pg_terminate_backend(pg_backend_pid())'));
  assert.equal((await second.query('SELECT 1')).rowCount, 1);
  await second.close();
  assert.equal((await first.query('SELECT 1')).rowCount, 1, 'a closed pool holds none');
});

test('the server of an address is its host and port, or the folder of its socket', () => {
  assert.equal(serverOf('postgresql://a:b@db.example.org:5433/one'), 'db.example.org:5433');
  assert.equal(serverOf('postgresql:///one?host=/run/postgresql'), '/run/postgresql');
});
