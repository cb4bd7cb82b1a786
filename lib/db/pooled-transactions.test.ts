// Pools behind a PgBouncer that gives each transaction a connection: settings, prepared statements, time limits and
// notifications hold, and many clients share few connections. Skipped where there is no PgBouncer.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { keepsStatements, pgBouncerVersion, startPgBouncer } from '#test/support/database/pgbouncer.ts';
import { ServiceError } from '../errors.ts';
import type { DatabaseLog } from './connection.ts';
import type { Database } from './database.ts';
import { notify } from './listener.ts';
import { createDatabase } from './pool.ts';

const version = pgBouncerVersion();
const skip = version === undefined ? 'PgBouncer is not installed' : false;
const { url: directUrl, database } = await createTestDatabase({ after });

interface Logged {
  readonly event: string;
  readonly fields: Record<string, unknown>;
}

interface Behind {
  pool(schema: string, options?: { readonly maxConnections?: number; readonly statementTimeoutMs?: number }): Database;
  readonly logged: Logged[];
}

/** Pools through a PgBouncer of their own, closed before it stops. */
async function behind(
  t: { after(work: () => Promise<void>): void },
  settings: Readonly<Record<string, string | number>> = {},
): Promise<Behind> {
  const url = await startPgBouncer(t, directUrl, settings);
  const logged: Logged[] = [];
  const log: DatabaseLog = (_, event, fields) => logged.push({ event, fields });
  const pools: Database[] = [];
  // The last hook runs last.
  t.after(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
  });
  return {
    logged,
    pool(schema, options) {
      const pool = createDatabase({ url, directUrl, pooling: 'transaction', schema, log, ...options });
      pools.push(pool);
      return pool;
    },
  };
}

await database('one').query('CREATE SCHEMA one');
await database('two').query('CREATE SCHEMA two');
for (const schema of ['one', 'two']) {
  await database(schema).query('CREATE TABLE item (id int PRIMARY KEY, name text)');
  await database(schema).query('INSERT INTO item VALUES (1, $1)', [schema]);
}

test('two schemas share one connection, and each statement and transaction means its own', { skip }, async (t) => {
  const { pool } = await behind(t, { default_pool_size: 1 });
  const [one, two] = [pool('one'), pool('two')];
  const named = { name: 'item', text: 'SELECT name FROM item WHERE id = $1' };
  const settings = `SELECT current_setting('TimeZone') AS zone, current_setting('DateStyle') AS dates,
    current_setting('statement_timeout') AS limit, current_setting('client_connection_check_interval') AS checks`;
  for (let round = 0; round < 5; round += 1) {
    for (const [db, name] of [
      [one, 'one'],
      [two, 'two'],
    ] as const) {
      assert.deepEqual((await db.query(named, [1])).rows, [{ name }]);
      assert.deepEqual((await db.query('SELECT name FROM item WHERE id = $1', [1])).rows, [{ name }]);
      const inside = await db.transaction(async (tx) => [
        (await tx.query(named, [1])).rows,
        (await tx.query(settings)).rows,
      ]);
      assert.deepEqual(inside, [[{ name }], [{ zone: 'UTC', dates: 'ISO, MDY', limit: '30s', checks: '1s' }]]);
    }
  }
});

test('a pooler of sessions serves as well', { skip }, async (t) => {
  const { pool } = await behind(t, { pool_mode: 'session' });
  const db = pool('two');
  assert.deepEqual((await db.query('SELECT name FROM item WHERE id = 1')).rows, [{ name: 'two' }]);
});

test('nothing of a connection is left for the next client', { skip }, async (t) => {
  const { pool } = await behind(t, { default_pool_size: 1 });
  const other = pool('public', { statementTimeoutMs: 0 });
  await pool('one').query('SELECT 1');
  const { rows } = await other.query(
    `SELECT current_setting('search_path') AS path, current_setting('statement_timeout') AS limit`,
  );
  assert.deepEqual(rows, [{ path: 'public, public', limit: '0' }]);
});

test('prepared statements are used where the pooler keeps them, and left out with a warning where not', {
  skip,
}, async (t) => {
  const isKept = version !== undefined && keepsStatements(version);
  const { pool, logged } = await behind(t, {
    default_pool_size: 3,
    ...(isKept ? { max_prepared_statements: 100 } : {}),
  });
  const db = pool('one');
  const statement = { name: 'prepared', text: `SELECT count(*)::int AS n FROM pg_prepared_statements` };
  const rounds = await Promise.all(Array.from({ length: 30 }, () => db.query<{ n: number }>(statement)));
  assert.ok(rounds.every(({ rows: [row] }) => (row?.n ?? 0) > 0 === isKept));
  const warnings = logged.filter(({ event }) => event === 'database_pooler_without_prepared_statements');
  assert.equal(warnings.length, isKept ? 0 : 1);
});

test('a PgBouncer that keeps no prepared statements is noticed', {
  skip: skip || (version && !keepsStatements(version) ? 'this version never keeps them' : false),
}, async (t) => {
  const { pool, logged } = await behind(t, { default_pool_size: 3, max_prepared_statements: 0 });
  const db = pool('one');
  const statement = { name: 'item', text: 'SELECT name FROM item WHERE id = $1' };
  const all = await Promise.all(Array.from({ length: 30 }, () => db.query(statement, [1])));
  assert.ok(all.every(({ rowCount }) => rowCount === 1));
  assert.deepEqual(
    logged.map(({ event }) => event),
    ['database_pooler_without_prepared_statements'],
  );
});

test('an error rolls back and leaves the connection usable', { skip }, async (t) => {
  const { pool } = await behind(t, { default_pool_size: 1 });
  const db = pool('one');
  await assert.rejects(db.query('INSERT INTO item VALUES (1, $1)', ['again']), /item_pkey/);
  await assert.rejects(
    db.transaction(async (tx) => {
      await tx.query('INSERT INTO item VALUES (2, $1)', ['two']);
      throw new Error('changed my mind');
    }),
    /changed my mind/,
  );
  assert.deepEqual((await db.query('SELECT id FROM item')).rows, [{ id: 1 }]);
});

test('a statement is stopped at the time limit, by the server', { skip }, async (t) => {
  const { pool } = await behind(t, { default_pool_size: 1 });
  const db = pool('one', { statementTimeoutMs: 100 });
  await assert.rejects(
    db.query('SELECT pg_sleep(600)'),
    (error) => error instanceof ServiceError && error.code === 'unavailable',
  );
  // Its only connection is free again.
  assert.equal((await db.query('SELECT 1')).rowCount, 1);
});

test('500 clients share 20 connections, and none fails', { skip }, async (t) => {
  const { pool } = await behind(t, { default_pool_size: 20 });
  const pools = Array.from({ length: 10 }, (_, index) => pool(index % 2 === 0 ? 'one' : 'two', { maxConnections: 50 }));
  const statement = { name: 'slow', text: 'SELECT name, pg_sleep(0.005) FROM item WHERE id = $1' };
  const names = await Promise.all(
    pools.flatMap((db) =>
      Array.from({ length: 50 }, async () => {
        const seen = new Set<unknown>();
        for (let round = 0; round < 5; round += 1) {
          for (const row of (await db.query<{ name: string }>(statement, [1])).rows) seen.add(row.name);
          for (const row of await db.transaction(async (tx) => (await tx.query<{ name: string }>(statement, [1])).rows))
            seen.add(row.name);
        }
        return [...seen].join();
      }),
    ),
  );
  const { rows } = await database('one').query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'kedja-%' AND backend_type = 'client backend'`,
  );
  assert.deepEqual(
    names,
    pools.flatMap((_, index) => Array.from({ length: 50 }, () => (index % 2 === 0 ? 'one' : 'two'))),
  );
  assert.ok((rows[0]?.n ?? 0) <= 20 + 2, `${rows[0]?.n} connections`);
});

test('notifications arrive past the pooler', { skip }, async (t) => {
  const { pool, logged } = await behind(t);
  const db = pool('one');
  const heard = Promise.withResolvers<string>();
  await db.listen('shop', heard.resolve);
  await notify(db, 'shop');
  assert.equal(await heard.promise, '');
  assert.deepEqual(
    logged.filter(({ event }) => event === 'database_listen_without_echo'),
    [],
  );
});

test('rows are copied in a transaction', { skip }, async (t) => {
  const { pool } = await behind(t, { default_pool_size: 1 });
  const db = pool('two');
  await db.transaction((tx) => tx.copy({ table: 'item', columns: ['id', 'name'] }, ['7\tseven', '8\teight']), {
    copies: true,
  });
  assert.deepEqual((await db.query('SELECT id FROM item WHERE id > 6 ORDER BY id')).rows, [{ id: 7 }, { id: 8 }]);
});
