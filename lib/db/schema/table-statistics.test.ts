// The planner's statistics are renewed of tables that have grown, on a real database whose autovacuum leaves them alone
// (docs/adr/0164).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { HOUR_MS } from '#lib/clock.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { pgBouncerVersion, startPgBouncer } from '#test/support/database/pgbouncer.ts';
import { testServer } from '#test/support/database/server.ts';
import type { Database } from '../database.ts';
import { createDatabase } from '../pool.ts';
import { createTableStatistics } from './table-statistics.ts';

const { url, database } = await createTestDatabase({ after });
let schemas = 0;

async function site() {
  schemas += 1;
  const schema = `statistics_${schemas}`;
  const db = database(schema, { maxConnections: 4 });
  await db.query(`CREATE SCHEMA ${schema}`);
  await db.query('CREATE TABLE person (id int, ward int) WITH (autovacuum_enabled = false)');
  await db.query('CREATE TABLE "Odd ""name" (id int, ward int) WITH (autovacuum_enabled = false)');
  const clock = { time: 0, now: () => clock.time };
  const events: [string, Record<string, unknown>][] = [];
  const node = () =>
    createTableStatistics({ database: db, clock, log: (_level, event, fields) => events.push([event, fields]) });
  const add = (rows: number, table = 'person') =>
    counted(db, `INSERT INTO ${table} SELECT n, n % 7 FROM generate_series(1, ${rows}) n`);
  return { db, clock, events, node, add };
}

/** A connection reports what it wrote at the latest when it has been idle for a while; this one at once. */
async function counted(db: Database, text: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(text);
    await tx.query('SELECT pg_stat_force_next_flush()');
  });
}

/** Only a superuser may reset them. */
async function loseCounters(db: Database): Promise<void> {
  const admin = new pg.Client({
    connectionString: new URL(new URL(url).pathname, (await testServer()).adminUrl).href,
  });
  await admin.connect();
  await admin.query('SELECT pg_stat_reset_single_table_counters($1::regclass)', [`${db.schema}.person`]);
  await admin.end();
}

async function expectedRows(db: Database, table = 'person'): Promise<number> {
  const { rows } = await db.query<{ count: unknown }>(
    `SELECT reltuples AS count FROM pg_class WHERE relname = $1 AND relnamespace = current_schema()::regnamespace`,
    [table],
  );
  return Number(rows[0]?.count);
}

test('a table that has grown by a quarter is analysed, and no other', async () => {
  const { db, events, node, add } = await site();
  const { renew } = node();
  assert.deepEqual(await renew(), []);
  await add(499);
  assert.deepEqual(await renew(), []);
  await add(1_501);
  assert.deepEqual(await renew(), ['person']);
  assert.equal(await expectedRows(db), 2_000);
  assert.deepEqual(
    events.map(([event, { tables }]) => [event, tables]),
    [['database_statistics_renewed', ['person']]],
  );
  assert.deepEqual(await renew(), []);
  await add(600);
  assert.deepEqual(await renew(), []);
  await add(100);
  assert.deepEqual(await renew(), ['person']);
  assert.equal(await expectedRows(db), 2_700);
});

test('a table is found by its name, whatever that is, and not that of another schema', async () => {
  const { node, add } = await site();
  const other = await site();
  await add(1_000, '"Odd ""name"');
  await other.add(1_000);
  assert.deepEqual(await node().renew(), ['Odd "name']);
  assert.deepEqual(await other.node().renew(), ['person']);
});

test('a queue that is nearly empty is left to autovacuum', async () => {
  const { db, node, add } = await site();
  await db.query('ANALYZE person');
  await add(5_000);
  await counted(db, 'DELETE FROM person WHERE id > 10');
  assert.deepEqual(await node().renew(), []);
});

test('a table that has lost its statistics is analysed', async () => {
  const { db, node, add } = await site();
  await add(10_000);
  // As an upgrade of PostgreSQL leaves it: neither counters nor statistics.
  await loseCounters(db);
  assert.deepEqual(await node().renew(), ['person']);
  // As after a crash: the statistics are still there.
  await loseCounters(db);
  assert.deepEqual(await node().renew(), []);
});

test('several nodes analyse a table once', async () => {
  const { db, events, node, add } = await site();
  await add(2_000);
  await Promise.all(Array.from({ length: 4 }, () => node().renew()));
  const { rows } = await db.query(`SELECT pg_stat_get_analyze_count('person'::regclass) AS count`);
  assert.deepEqual(rows, [{ count: 1 }]);
  assert.equal(events.length, 1);
});

test('a table that vacuum has is left for a minute, and nobody waits', async () => {
  const { db, clock, node, add } = await site();
  const { renew } = node();
  await add(2_000);
  await add(1_000, '"Odd ""name"');
  await db.transaction(async (tx) => {
    await tx.query('LOCK TABLE person IN SHARE UPDATE EXCLUSIVE MODE');
    assert.deepEqual(await renew(), ['Odd "name']);
  });
  assert.deepEqual(await renew(), []);
  clock.time = 60_000;
  assert.deepEqual(await renew(), ['person']);
});

test('a table that cannot be read in time is left for an hour, and the others follow', async () => {
  const { db, clock, events, node, add } = await site();
  const { schema } = db;
  // ANALYZE computes the expressions of indexes.
  await db.query(`CREATE TABLE is_slow ()`);
  await db.query(`CREATE FUNCTION slow(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM ${schema}.is_slow) THEN RAISE query_canceled; END IF; RETURN $1; END $$`);
  await db.query('CREATE INDEX ON person (slow(id))');
  await add(2_000);
  await add(1_000, '"Odd ""name"');
  await db.query('INSERT INTO is_slow DEFAULT VALUES');
  const { renew } = node();
  assert.deepEqual(await renew(), ['Odd "name']);
  const table = { schema, table: 'person' };
  assert.deepEqual(events.slice(0, 1), [['database_statistics_timed_out', table]]);
  await db.query('DELETE FROM is_slow');
  clock.time = HOUR_MS - 1;
  assert.deepEqual(await renew(), []);
  clock.time = HOUR_MS;
  assert.deepEqual(await renew(), ['person']);
});

test('an aborted node begins no further table', async () => {
  const { node, add } = await site();
  await add(2_000);
  assert.deepEqual(await node().renew(AbortSignal.abort()), []);
});

const skip = pgBouncerVersion() === undefined && 'pgbouncer is not installed';

test('behind a pooler of transactions, each schema has its own tables analysed', { skip }, async (t) => {
  const [first, second] = [await site(), await site()];
  await first.add(2_000);
  await second.add(1_000, '"Odd ""name"');
  const pooled = await startPgBouncer(t, url, { default_pool_size: 1 });
  const pools = [first, second].map(({ db: { schema } }) =>
    createDatabase({ url: pooled, directUrl: url, pooling: 'transaction', schema }),
  );
  // The last hook runs last.
  t.after(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
  });
  const renewed = pools.map((pool) => createTableStatistics({ database: pool, clock: first.clock }).renew());
  assert.deepEqual(await Promise.all(renewed), [['person'], ['Odd "name']]);
});
