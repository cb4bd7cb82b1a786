// Databases that share connections: all get their turn, together they never hold more, and what one schema leaves in a
// session reaches no other.
import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '#lib/errors.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { testServer } from '#test/support/database/server.ts';
import { eventually } from '#test/support/http.ts';
import { createRequestTime, runWithRequestTime } from '../../jobs/request-time.ts';
import { serverOf } from '../connection.ts';
import type { Database } from '../database.ts';
import { createDatabase } from '../pool.ts';
import { createSharedConnections, type SharedConnections } from './shared-connections.ts';

const { url, database } = await createTestDatabase({ after });
const observer = database('public');
const LONG_MS = 300_000;

interface Asked {
  readonly schema?: string;
  readonly url?: string;
  readonly isFrugal?: () => boolean;
}

function on(shared: SharedConnections, asked: Asked = {}): Database {
  const options = { url, schema: 'public', applicationName: 'limited', maxConnections: 3, shared, ...asked };
  const made = createDatabase(options);
  after(() => made.close());
  return made;
}

/** Pools of addresses that differ, so that none can use another's connections. */
function poolsOf(count: number, perServer: number, waitMs?: number): Database[] {
  const shared = createSharedConnections({ perServer, ...(waitMs === undefined ? {} : { waitMs }) });
  return Array.from({ length: count }, (_, index) => on(shared, { url: `${url}?options=-c%20kedja.pool%3D${index}` }));
}

const pidOf = async (db: Pick<Database, 'query'>): Promise<number> =>
  (await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;

async function open(): Promise<number> {
  const text = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'limited'";
  return (await observer.query<{ n: number }>(text)).rows[0]?.n ?? 0;
}

test('twelve pools with three statements each share five connections, idle ones too', async () => {
  const pools = poolsOf(12, 5, LONG_MS);
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
  const [holder, other] = poolsOf(2, 1, 200) as [Database, Database];
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
  const [busy, other] = poolsOf(2, 1, LONG_MS) as [Database, Database];
  let isDone = false;
  const working = Array.from({ length: 3 }, async () => {
    while (!isDone) await busy.query('SELECT 1');
  });
  for (let turn = 0; turn < 5; turn += 1) assert.equal((await other.query('SELECT 1')).rowCount, 1);
  isDone = true;
  await Promise.all(working);
});

test('a transaction that fails, a statement that fails and a lost connection give their turns back', async () => {
  const [first, second] = poolsOf(2, 1) as [Database, Database];
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

/** Two schemas of one address, with a table of the same name each. */
async function twoSchemas(shared: SharedConnections): Promise<[Database, Database]> {
  for (const schema of ['east', 'west']) {
    await observer.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await observer.query(`CREATE TABLE IF NOT EXISTS ${schema}.item (name text)`);
    await observer.query(`TRUNCATE ${schema}.item`);
    await observer.query(`INSERT INTO ${schema}.item VALUES ('${schema}')`);
  }
  return [on(shared, { schema: 'east' }), on(shared, { schema: 'west' })];
}

test('schemas of one address use one connection in turn, each with its own tables and statements', async () => {
  const [east, west] = await twoSchemas(createSharedConnections({ perServer: 5, idleMs: LONG_MS }));
  const pid = await pidOf(east);
  for (let turn = 0; turn < 3; turn += 1) {
    for (const each of [east, west]) {
      // The same name, and another text for each schema.
      const statement = { name: 'items', text: `SELECT name, '${each.schema}' AS text, $1::int AS n FROM item` };
      const { rows } = await each.query(statement, [turn]);
      assert.deepEqual(rows, [{ name: each.schema, text: each.schema, n: turn }]);
      assert.equal(await pidOf(each), pid);
    }
  }
});

test('settings, temporary tables and locks of a schema are gone when the next gets its connection', async () => {
  const [east, west] = await twoSchemas(createSharedConnections({ perServer: 1, idleMs: LONG_MS }));
  await east.query("SET lock_timeout = '1h'");
  await east.query('CREATE TEMP TABLE item (name text)');
  await east.query('SELECT pg_advisory_lock(77)');
  const { rows } = await west.query(
    `SELECT current_setting('lock_timeout') AS lock, current_setting('TimeZone') AS zone,
            current_setting('statement_timeout') AS limit, current_setting('search_path') AS path,
            (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
            (SELECT string_agg(name, ',') FROM item) AS items`,
  );
  const path = 'west, public';
  assert.deepEqual(rows, [{ lock: '0', zone: 'UTC', limit: '30s', path, locks: 0, items: 'west' }]);
});

test('an address with another role has connections of its own', async () => {
  const shared = createSharedConnections({ perServer: 5, idleMs: LONG_MS });
  const { adminUrl } = await testServer();
  const admin = new URL(adminUrl);
  admin.pathname = new URL(url).pathname;
  const pids = [await pidOf(on(shared)), await pidOf(on(shared, { url: admin.href }))];
  assert.equal(new Set(pids).size, 2);
});

test('a transaction that was left open does not reach the next', async () => {
  const shared = createSharedConnections({ perServer: 1, idleMs: LONG_MS });
  const log = () => undefined;
  const of = (schema: string) => shared.of({ url, schema, max: 1, maxCopying: 1, log });
  const [first, second] = [of('public'), of('pg_catalog')];
  const client = await first.checkOut({ copies: false });
  await client.query('BEGIN');
  client.release();
  assert.throws(() => client.release(), /released already/);
  const next = await second.checkOut({ copies: false });
  assert.equal(next.getTransactionStatus(), 'I');
  assert.notEqual(next, client);
  next.release();
  await Promise.all([first.close(), second.close()]);
});

test('who is frugal waits for a connection that is in use, and opens one when it takes too long', async () => {
  const shared = createSharedConnections({ perServer: 5, idleMs: LONG_MS, frugalMs: 50 });
  const frugal = on(shared, { isFrugal: () => true });
  const patient = on(createSharedConnections({ perServer: 5, idleMs: LONG_MS, frugalMs: LONG_MS }), {
    isFrugal: () => true,
  });
  const pids = await Promise.all(Array.from({ length: 20 }, () => pidOf(patient)));
  assert.equal(new Set(pids).size, 1);
  const inner = await frugal.transaction(async (transaction) => [await pidOf(transaction), await pidOf(frugal)]);
  assert.equal(new Set(inner).size, 2);
});

test('a connection copies, then runs statements, then copies again', async () => {
  const [east] = await twoSchemas(createSharedConnections({ perServer: 1, idleMs: LONG_MS }));
  for (let turn = 1; turn <= 2; turn += 1) {
    const target = { table: 'item', columns: ['name'] };
    await east.transaction((transaction) => transaction.copy(target, ['a', 'b']), { copies: true });
    const counted = await east.query<{ n: number }>('SELECT count(*)::int AS n FROM item');
    assert.equal(counted.rows[0]?.n, 1 + 2 * turn);
  }
});

test('an idle connection that the server has ended is replaced', async () => {
  const [east, west] = await twoSchemas(createSharedConnections({ perServer: 1, idleMs: LONG_MS }));
  for (const each of [east, west, east]) {
    const pid = await pidOf(each);
    await observer.query('SELECT pg_terminate_backend($1)', [pid]);
    assert.notEqual(await pidOf(each === east ? west : east), pid);
  }
});

test('where the server has no connection left, one waits until there is', async () => {
  const { adminUrl } = await testServer();
  const admin = createDatabase({ url: adminUrl, schema: 'public', maxConnections: 1 });
  const role = `kedja_few_${process.pid}`;
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'few' CONNECTION LIMIT 1`);
  after(async () => {
    await admin.query(`DROP ROLE ${role}`);
    await admin.close();
  });
  const address = new URL(url);
  Object.assign(address, { username: role, password: 'few' });
  const make = () => on(createSharedConnections({ perServer: 5, waitMs: LONG_MS }), { url: address.href });
  const [holder, other] = [make(), make()];
  const asked = await holder.transaction(async (transaction) => {
    await pidOf(transaction);
    const waiting = pidOf(other);
    const refused = await Promise.race([waiting.then(String, String), delay(300, 'waits')]);
    assert.equal(refused, 'waits');
    return { waiting };
  });
  await holder.close();
  assert.ok((await asked.waiting) > 0);
  await other.close();
});

test('the connection of an aborted request is closed, and its place is free again', async () => {
  const [east, west] = await twoSchemas(createSharedConnections({ perServer: 1, idleMs: LONG_MS, waitMs: LONG_MS }));
  const time = createRequestTime();
  const pid = await pidOf(east);
  const asked = runWithRequestTime(time, () => east.query('SELECT pg_sleep(300)'));
  const refused = assert.rejects(asked);
  await eventually('it runs', async () => {
    const text = "SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active'";
    return (await observer.query(text, [pid])).rowCount === 1 ? true : undefined;
  });
  const waiting = pidOf(west);
  time.end(new ServiceError('unavailable', 'The request was aborted'));
  await refused;
  assert.notEqual(await waiting, pid);
});

test('a connection that is not made in time is tried again', async () => {
  const { hostname, port } = new URL(url);
  let attempts = 0;
  // The first attempt is accepted, and nothing answers.
  const proxy = createServer((socket) => {
    attempts += 1;
    socket.on('error', () => undefined);
    if (attempts === 1) return;
    const server = connect(Number(port), hostname);
    server.on('error', () => socket.destroy());
    socket.on('close', () => server.destroy());
    socket.pipe(server).pipe(socket);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  after(() => proxy.close());
  const address = new URL(url);
  Object.assign(address, { hostname: '127.0.0.1', port: String((proxy.address() as AddressInfo).port) });
  const shared = createSharedConnections({ perServer: 1, connectMs: 3_000, waitMs: LONG_MS });
  const slow = on(shared, { url: address.href });
  assert.ok((await pidOf(slow)) > 0);
  assert.ok(attempts > 1);
  await slow.close();
});

test('a database that is closed lets what runs end, and refuses what waits and what comes', async () => {
  const closing = on(createSharedConnections({ perServer: 1, waitMs: LONG_MS }));
  const held = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const running = closing.transaction(async (transaction) => {
    began.resolve();
    await held.promise;
    return pidOf(transaction);
  });
  await began.promise;
  const waiting = assert.rejects(pidOf(closing), ServiceError);
  const closed = closing.close();
  await waiting;
  await assert.rejects(pidOf(closing), ServiceError);
  held.resolve();
  assert.ok((await running) > 0);
  await closed;
});

test('the server of an address is its host and port, or the folder of its socket', () => {
  assert.equal(serverOf('postgresql://a:b@db.example.org:5433/one'), 'db.example.org:5433');
  assert.equal(serverOf('postgresql:///one?host=/run/postgresql'), '/run/postgresql');
});
