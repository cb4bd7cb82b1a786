// The pool against a real PostgreSQL: values, transactions, races, notifications, and a database that goes away and
// comes back.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '#test/support/database/database.ts';
import { ServiceError } from '../errors.ts';
import type { Database } from './database.ts';
import { isUniqueViolation } from './failure.ts';
import { createDatabase } from './pool.ts';

const { url, database } = await createTestDatabase({ after });
const db = database('shop');
await db.query('CREATE SCHEMA shop');
await db.query('CREATE TABLE item (id int PRIMARY KEY, name text CONSTRAINT item_name_key UNIQUE, n int8 DEFAULT 0)');

function assertUnavailable(error: unknown): true {
  assert.ok(error instanceof ServiceError, String(error));
  assert.equal(error.code, 'unavailable');
  assert.equal(error.status, 503);
  assert.ok((error.retryAfterSeconds ?? 0) > 0);
  assert.doesNotMatch(error.message, /127\.0\.0\.1|kedja/);
  return true;
}

/** A promise and the function that fulfils it. */
function signal(): { reached: Promise<void>; reach: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { reached: promise, reach: resolve };
}

test('unqualified names mean the schema, and values come back unchanged', async () => {
  const { rows } = await db.query(
    `SELECT current_schema() AS schema, 9007199254740991::int8 AS big, ARRAY[1::int8, NULL] AS bigs, count(*) AS count,
            DATE '2024-02-29' AS day, ARRAY[DATE '2024-02-29'] AS days, 0.10::numeric AS amount,
            timestamptz '2024-03-31 01:30:00+01' AS at, '{"a": [1]}'::jsonb AS json, '{}'::int8[] AS none FROM item`,
  );
  assert.deepEqual(rows[0], {
    schema: 'shop',
    big: Number.MAX_SAFE_INTEGER,
    bigs: [1, null],
    count: 0,
    day: '2024-02-29',
    days: ['2024-02-29'],
    amount: '0.10',
    at: new Date('2024-03-31T00:30:00Z'),
    json: { a: [1] },
    none: [],
  });
});

test('an integer that no number can hold is an error, not a wrong value', async () => {
  await assert.rejects(db.query('SELECT 9007199254740993::int8'), RangeError);
  assert.equal((await db.query('SELECT 1')).rowCount, 1);
});

test('a named statement is prepared once per connection', async () => {
  const one = database('shop', { maxConnections: 1 });
  const statement = { name: 'double', text: 'SELECT $1::int * 2 AS n' };
  for (const n of [1, 2, 3]) assert.deepEqual((await one.query(statement, [n])).rows, [{ n: n * 2 }]);
  const { rows } = await one.query(
    "SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements WHERE name = 'double'",
  );
  assert.deepEqual(rows, [{ runs: 3 }]);
});

test('a unique violation is recognised, by constraint too, and costs no connection', async () => {
  const one = database('shop', { maxConnections: 1 });
  const backend = async () => (await one.query('SELECT pg_backend_pid() AS pid')).rows[0];
  const before = await backend();
  await one.query("INSERT INTO item (id, name) VALUES (10, 'ten')");
  const error = await one.query("INSERT INTO item (id, name) VALUES (11, 'ten')").catch((reason: unknown) => reason);
  assert.equal(isUniqueViolation(error), true);
  assert.equal(isUniqueViolation(error, 'item_name_key'), true);
  assert.equal(isUniqueViolation(error, 'item_pkey'), false);
  assert.equal(isUniqueViolation(new Error('23505')), false);
  const message = 'duplicate key value violates unique constraint "item_pkey_102008"';
  const atNode = Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: '23505' });
  assert.equal(isUniqueViolation(atNode, 'item_pkey'), true, 'a node of Citus adds the number of its part');
  assert.deepEqual(await backend(), before);
});

test('a transaction commits as a whole, then runs its effects', async () => {
  const seen: string[] = [];
  const result = await db.transaction(async (transaction) => {
    transaction.afterCommit(() => {
      throw new Error('an effect that fails hurts nobody');
    });
    transaction.afterCommit(() => seen.push('effect'));
    await Promise.all([20, 21].map((id) => transaction.query('INSERT INTO item (id) VALUES ($1)', [id])));
    assert.deepEqual(seen, []);
    return 'done';
  });
  assert.equal(result, 'done');
  assert.deepEqual(seen, ['effect']);
  assert.equal((await db.query('SELECT FROM item WHERE id IN (20, 21)')).rowCount, 2);
});

test('a transaction that fails leaves nothing and runs no effect', async () => {
  const issue = new Error('failure');
  const seen: string[] = [];
  const work = db.transaction(async (transaction) => {
    transaction.afterCommit(() => seen.push('effect'));
    await transaction.query('INSERT INTO item (id) VALUES (30)');
    throw issue;
  });
  await assert.rejects(work, issue);
  assert.deepEqual(seen, []);
  assert.equal((await db.query('SELECT FROM item WHERE id = 30')).rowCount, 0);
});

test('statements sent together with BEGIN belong to the transaction', async () => {
  const options = { sendsAtOnce: true };
  const add = (id: number, fails: boolean) =>
    db.transaction(async (tx) => {
      const [, { rows }] = await Promise.all([
        tx.query('INSERT INTO item (id) VALUES ($1)', [id]),
        tx.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id'),
      ]);
      const later = await tx.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
      assert.deepEqual(later.rows, rows);
      if (fails) throw new Error('no');
    }, options);
  await add(701, false);
  await assert.rejects(add(702, true), /^Error: no$/);
  await assert.rejects(add(701, false), (error) => isUniqueViolation(error));
  assert.deepEqual((await db.query('SELECT id FROM item WHERE id IN (701, 702)')).rows, [{ id: 701 }]);
  const ended = db.transaction((tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())'), options);
  await assert.rejects(ended, assertUnavailable);
  await assert.rejects(
    createDatabase({ url: 'postgres://kedja@127.0.0.1:1/kedja', schema: 'shop' }).transaction(
      (tx) => tx.query('SELECT 1'),
      options,
    ),
    assertUnavailable,
  );
});

test('a statement that nobody waits for belongs to the transaction, which fails with its error', async () => {
  const insert = 'INSERT INTO item (id, name) VALUES ($1, $2)';
  let committed = 0;
  await db.transaction(async (tx) => {
    tx.send(insert, [501, 'sent first']);
    tx.send(insert, [502, 'sent second']);
    tx.afterCommit(() => (committed += 1));
  });
  const sent = db.transaction(async (tx) => {
    tx.send(insert, [503, 'sent third']);
    tx.send(insert, [504, 'sent first']);
    tx.afterCommit(() => (committed += 1));
  });
  await assert.rejects(sent, (error) => isUniqueViolation(error, 'item_name_key'));
  await assert.rejects(
    db.transaction(async (tx) => {
      tx.send(insert, [505, 'sent fourth']);
      throw new Error('and then the work failed');
    }),
    /and then the work failed/,
  );
  assert.equal(committed, 1);
  const { rows } = await db.query('SELECT id FROM item WHERE id BETWEEN 501 AND 505 ORDER BY id');
  assert.deepEqual(rows, [{ id: 501 }, { id: 502 }]);
  await db.query('DELETE FROM item WHERE id IN (501, 502)');
});

test('a swallowed failure does not look like a commit', async () => {
  const work = db.transaction(async (transaction) => {
    await transaction.query('INSERT INTO item (id) VALUES (40)');
    await transaction.query('SELECT 1 / 0').catch(() => {});
  });
  await assert.rejects(work, /rolled back/);
  assert.equal((await db.query('SELECT FROM item WHERE id = 40')).rowCount, 0);
});

test('a transaction cannot be used after its end', async () => {
  const leaked = await db.transaction(async (transaction) => transaction);
  await assert.rejects(leaked.query('INSERT INTO item (id) VALUES (50)'), /has ended/);
  assert.equal((await db.query('SELECT FROM item WHERE id = 50')).rowCount, 0);
});

test('isolation and read-only are as asked', async () => {
  const settings = await db.transaction(
    async (transaction) =>
      (
        await transaction.query(
          "SELECT current_setting('transaction_isolation') AS i, current_setting('transaction_read_only') AS r",
        )
      ).rows[0],
    { isolation: 'repeatable read', readOnly: true },
  );
  assert.deepEqual(settings, { i: 'repeatable read', r: 'on' });
});

test('the loser of a serializable race runs again', async () => {
  await db.query('INSERT INTO item (id, n) VALUES (60, 0)');
  let runs = 0;
  const read = [signal(), signal()];
  const increment = (index: number) => async (transaction: Pick<Database, 'query'>) => {
    runs += 1;
    const { rows } = await transaction.query<{ n: number }>('SELECT n FROM item WHERE id = 60');
    read[index]?.reach();
    await Promise.all(read.map(({ reached }) => reached));
    await transaction.query('UPDATE item SET n = $1 WHERE id = 60', [(rows[0]?.n ?? 0) + 1]);
  };
  await Promise.all([0, 1].map((index) => db.transaction(increment(index), { isolation: 'serializable' })));
  assert.deepEqual((await db.query('SELECT n FROM item WHERE id = 60')).rows, [{ n: 2 }]);
  assert.equal(runs, 3);
});

test('of two single statements in a deadlock both get through', async () => {
  await db.query('INSERT INTO item (id, n) VALUES (75, 0), (76, 0)');
  const add = (id: number) => `UPDATE item SET n = n + 1 WHERE id = ${id};`;
  const both = (first: number, second: number) =>
    db.query(`DO $$ BEGIN ${add(first)} PERFORM pg_sleep(0.2); ${add(second)} END $$`);
  await Promise.all([both(75, 76), both(76, 75)]);
  assert.deepEqual((await db.query('SELECT n FROM item WHERE id IN (75, 76)')).rows, [{ n: 2 }, { n: 2 }]);
});

test('of two transactions in a deadlock both get through', async () => {
  await db.query('INSERT INTO item (id, n) VALUES (70, 0), (71, 0)');
  const locked = [signal(), signal()];
  const work = (first: number, second: number, index: number) =>
    db.transaction(async (transaction) => {
      await transaction.query('UPDATE item SET n = n + 1 WHERE id = $1', [first]);
      locked[index]?.reach();
      await Promise.all(locked.map(({ reached }) => reached));
      await transaction.query('UPDATE item SET n = n + 1 WHERE id = $1', [second]);
    });
  await Promise.all([work(70, 71, 0), work(71, 70, 1)]);
  assert.deepEqual((await db.query('SELECT n FROM item WHERE id IN (70, 71)')).rows, [{ n: 2 }, { n: 2 }]);
});

test('a transaction that always loses ends in 503 after six attempts', async () => {
  let runs = 0;
  const work = db.transaction(async (transaction) => {
    runs += 1;
    await transaction.query("DO $$ BEGIN RAISE EXCEPTION 'lost' USING ERRCODE = '40001'; END $$");
  });
  await assert.rejects(work, assertUnavailable);
  assert.equal(runs, 6);
});

test('a connection that is ended under a statement or a transaction is 503, and the next one works', async () => {
  const one = database('shop', { maxConnections: 1 });
  await assert.rejects(one.query('SELECT pg_terminate_backend(pg_backend_pid())'), assertUnavailable);
  assert.equal((await one.query('SELECT 1')).rowCount, 1);
  const work = one.transaction(async (transaction) => {
    await transaction.query('INSERT INTO item (id) VALUES (80)');
    await transaction.query('SELECT pg_terminate_backend(pg_backend_pid())');
  });
  await assert.rejects(work, assertUnavailable);
  assert.equal((await one.query('SELECT FROM item WHERE id = 80')).rowCount, 0);
});

test('terminated idle connections cause no error', async () => {
  const events: string[] = [];
  const one = database('shop', { maxConnections: 1, log: (_level, event) => events.push(event) });
  const { rows } = await one.query('SELECT pg_backend_pid() AS pid');
  await db.query('SELECT pg_terminate_backend($1)', [rows[0]?.['pid']]);
  while (events.length === 0) await new Promise(setImmediate);
  assert.deepEqual(events, ['database_connection_lost']);
  assert.equal((await one.query('SELECT 1')).rowCount, 1);
});

test('a statement that takes too long is 503', async () => {
  const hasty = database('shop', { statementTimeoutMs: 50 });
  await assert.rejects(hasty.query('SELECT pg_sleep(5)'), assertUnavailable);
});

test('a full disk is 503, and says so', async () => {
  const full = `DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`;
  await assert.rejects(db.query(full), (error) => assertUnavailable(error) && /its disk is full/.test(String(error)));
});

test('refused, silent and exhausted databases are 503 within seconds', async (t) => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as { port: number };
  const busy = database('shop', { maxConnections: 1 });
  const release = signal();
  const holding = busy.transaction(() => release.reached);
  const refused = createDatabase({ url: 'postgres://kedja@127.0.0.1:1/kedja', schema: 'shop' });
  const mute = createDatabase({ url: `postgres://kedja@127.0.0.1:${port}/kedja`, schema: 'shop' });
  const started = performance.now();
  await Promise.all([
    ...[refused, mute, busy].map((target) => assert.rejects(target.query('SELECT 1'), assertUnavailable)),
    assert.rejects(
      refused.transaction(async () => 1),
      assertUnavailable,
    ),
  ]);
  // Ten times as long as any of them waits.
  assert.ok(performance.now() - started < 30_000);
  release.reach();
  await Promise.all([holding, refused.close(), mute.close()]);
});

test('notifications arrive after the commit, by channel, until they are no longer wanted', async () => {
  const got: string[] = [];
  const arrived = signal();
  const stop = await db.listen('shop.news', (payload) => {
    got.push(payload);
    if (payload === 'last') arrived.reach();
  });
  await db.listen('other', () => got.push('wrong channel'));
  await db.transaction(async (transaction) => {
    await transaction.query("SELECT pg_notify('shop.news', 'first')");
    assert.deepEqual(got, []);
  });
  await db.query("SELECT pg_notify('shop.news', 'last')");
  await arrived.reached;
  assert.deepEqual(got, ['first', 'last']);
  await stop();
  const fence = signal();
  await db.listen('fence', fence.reach);
  await db.query("SELECT pg_notify('shop.news', 'unheard'), pg_notify('fence', '')");
  await fence.reached;
  assert.deepEqual(got, ['first', 'last']);
});

test('a lost LISTEN connection is opened again, and its listeners are notified', async (t) => {
  const own = createDatabase({ url, schema: 'shop', applicationName: 'to-be-cut' });
  t.after(() => own.close());
  const got: string[] = [];
  let heard = signal();
  await own.listen('news', (payload) => {
    got.push(payload);
    heard.reach();
  });
  await db.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'to-be-cut'");
  await heard.reached;
  assert.deepEqual(got, ['']);
  heard = signal();
  await db.query("SELECT pg_notify('news', 'again')");
  await heard.reached;
  assert.deepEqual(got, ['', 'again']);
});

test('a LISTEN connection that was lost while nobody listened is opened again when somebody does', async (t) => {
  const own = createDatabase({ url, schema: 'shop', applicationName: 'to-be-cut-idle' });
  t.after(() => own.close());
  await (await own.listen('news', () => {}))();
  await db.query(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'to-be-cut-idle'",
  );
  await own.query('SELECT 1');
  const heard = signal();
  await own.listen('news', heard.reach);
  await db.query("SELECT pg_notify('news', 'again')");
  await heard.reached;
});

test('settings in the address are kept beside our own', async (t) => {
  const own = createDatabase({ url: `${url}?options=-c%20work_mem%3D7MB`, schema: 'shop' });
  t.after(() => own.close());
  const { rows } = await own.query("SELECT current_setting('work_mem') AS work_mem, current_schema() AS schema");
  assert.deepEqual(rows, [{ work_mem: '7MB', schema: 'shop' }]);
});

test('an invalid schema name is refused', () => {
  assert.throws(() => createDatabase({ url, schema: 'shop; DROP' }), /no usable schema name/);
});

test('a database can be closed several times', async () => {
  const own = createDatabase({ url, schema: 'shop' });
  await own.query('SELECT 1');
  await Promise.all([own.close(), own.close()]);
  await assert.rejects(own.query('SELECT 1'), assertUnavailable);
});
