// The order of names on a real database. It changes to another language while others read and write, on many nodes at
// once, after an aborted run, and with another version of ICU.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { byName } from '../name-order.ts';
import { changeNameOrder } from './name-order-change.ts';

const { url, database } = await createTestDatabase({ after });
let schemas = 0;

const NAMES = ['Zorn', 'Åberg', 'Ängström', 'Adam', 'öberg', 'Östlund'];
const SWEDISH = ['Adam', 'Zorn', 'Åberg', 'Ängström', 'öberg', 'Östlund'];
const GERMAN = ['Åberg', 'Adam', 'Ängström', 'öberg', 'Östlund', 'Zorn'];

/** A schema of its own with one list, whose collation is as given. */
async function site(collation = `(provider = icu, locale = 'sv')`) {
  schemas += 1;
  const schema = `names_${schemas}`;
  const db = database(schema, { maxConnections: 4 });
  await db.query(`CREATE SCHEMA ${schema}`);
  await db.query(`CREATE COLLATION name_order ${collation}`);
  await db.query(`COMMENT ON COLLATION name_order IS 'sv'`);
  await db.query('CREATE TABLE person (id int PRIMARY KEY, ward int NOT NULL DEFAULT 1, name text NOT NULL)');
  await db.query('CREATE INDEX person_by_name ON person (name COLLATE name_order, id)');
  await db.query('CREATE UNIQUE INDEX person_by_ward ON person (ward, name COLLATE name_order, id)');
  await db.query('INSERT INTO person (id, name) SELECT * FROM unnest($1::int[], $2::text[])', [
    NAMES.keys().toArray(),
    NAMES,
  ]);
  const list = { name: 'persons', text: `SELECT name FROM person ORDER BY ${byName('name', 'id')}` };
  const names = async () => (await db.query<{ name: string }>(list)).rows.map(({ name }) => name);
  const change = (language: string, signal?: AbortSignal) =>
    changeNameOrder({ url, schema, language, ...(signal === undefined ? {} : { signal }) });
  const indexes = async () =>
    (
      await db.query<{ name: string; collation: string; ready: boolean }>(
        `SELECT i.indexrelid::regclass::text AS name, c.collname AS collation, i.indisvalid AND i.indisready AS ready
         FROM pg_index i JOIN pg_collation c ON c.oid = ANY (i.indcollation::oid[]) AND c.collname LIKE 'name_order%'
         WHERE i.indrelid = 'person'::regclass ORDER BY 1`,
      )
    ).rows;
  return { db, names, change, indexes };
}

const MADE = [
  { name: 'person_by_name', collation: 'name_order', ready: true },
  { name: 'person_by_ward', collation: 'name_order', ready: true },
];

test('a list is in the order of its language, and in that of another after the change, also by statements prepared before', async () => {
  const { names, change, indexes } = await site();
  await Promise.all([1, 2, 3, 4].map(names));
  assert.deepEqual(await names(), SWEDISH);
  assert.equal(await change('sv'), 'current');
  assert.equal(await change('de'), 'changed');
  for (const found of await Promise.all(Array.from({ length: 8 }, names))) assert.deepEqual(found, GERMAN);
  assert.deepEqual(await indexes(), MADE);
  assert.equal(await change('de'), 'current');
  assert.equal(await change('sv'), 'changed');
  assert.deepEqual(await names(), SWEDISH);
  assert.deepEqual(await indexes(), MADE);
});

test('the index serves the list, before and after', async () => {
  const { db, change } = await site();
  const plan = () =>
    db.transaction(async (tx) => {
      await tx.query('SET LOCAL enable_seqscan = off');
      const text = `EXPLAIN (FORMAT TEXT) SELECT name FROM person ORDER BY ${byName('name', 'id')} LIMIT 2`;
      return (await tx.query<{ 'QUERY PLAN': string }>(text)).rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  assert.match(await plan(), /Index Only Scan using person_by_name/);
  await change('nb');
  assert.match(await plan(), /Index Only Scan using person_by_name/);
});

test('nodes that start at once change it once, while others read and write', async () => {
  const { db, names, change, indexes } = await site();
  let isOver = false;
  const others = [0, 1].map(async (node) => {
    for (let turn = 0; !isOver; turn += 1) {
      const found = await names();
      const own = found.filter((name) => NAMES.includes(name));
      assert.ok([SWEDISH.join(), GERMAN.join()].includes(own.join()), own.join());
      await db.query('INSERT INTO person (id, ward, name) VALUES ($1, 2, $2)', [1000 * (node + 1) + turn, `x${turn}`]);
    }
  });
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => change('de')));
  isOver = true;
  await Promise.all(others);
  assert.equal(outcomes.filter((outcome) => outcome === 'changed').length, 1, outcomes.join());
  assert.ok(outcomes.every((outcome) => ['changed', 'current', 'busy'].includes(outcome)));
  assert.deepEqual(await indexes(), MADE);
});

test('a locked table is waited for, and no statement queues behind', async () => {
  const { db, names, change, indexes } = await site();
  const running = await db.transaction(async (tx) => {
    await tx.query('SELECT count(*) FROM person');
    const begun = change('de');
    await untilWaiting(db, 'DROP INDEX');
    assert.deepEqual(await names(), SWEDISH);
    return { begun };
  });
  assert.equal(await running.begun, 'changed');
  assert.deepEqual([await names(), await indexes()], [GERMAN, MADE]);
});

test('leftovers of an aborted run do not prevent the next', async () => {
  const { db, names, change, indexes } = await site();
  await db.query(`CREATE COLLATION name_order_next (provider = icu, locale = 'nb')`);
  await db.query('CREATE INDEX person_by_name_next ON person (name COLLATE name_order_next, id)');
  await db.query(`CREATE COLLATION name_order_before (provider = icu, locale = 'nb')`);
  assert.equal(await change('de'), 'changed');
  assert.deepEqual([await names(), await indexes()], [GERMAN, MADE]);
  await db.query(`CREATE COLLATION name_order_next (provider = icu, locale = 'sv')`);
  await db.query('CREATE INDEX person_by_name_next ON person (name COLLATE name_order_next, id)');
  assert.equal(await change('de'), 'current', 'the variable is what it was again');
  assert.deepEqual(await indexes(), MADE);
});

test('an aborted change leaves the list as it was, and the next run completes it', async () => {
  const { db, names, change, indexes } = await site();
  const abort = new AbortController();
  await db.transaction(async (tx) => {
    await tx.query(`UPDATE person SET ward = 3 WHERE id = 0`);
    const running = change('de', abort.signal);
    await untilWaiting(db, 'CREATE INDEX CONCURRENTLY');
    abort.abort();
    assert.equal(await running, 'busy');
    assert.deepEqual(await names(), SWEDISH);
  });
  let outcome = await change('de');
  // The server ends what its closed connection was doing within a second or two.
  while (outcome === 'busy') outcome = await change('de');
  assert.equal(outcome, 'changed');
  assert.deepEqual([await names(), await indexes()], [GERMAN, MADE]);
});

test('a collation of another ICU version is created again, with its indexes', async () => {
  const { db, names, change, indexes } = await site(`(provider = icu, locale = 'sv', version = '0')`);
  assert.equal(await change('sv'), 'changed');
  assert.equal(await change('sv'), 'current');
  assert.deepEqual([await names(), await indexes()], [SWEDISH, MADE]);
  const { rows } = await db.query(
    `SELECT 1 FROM pg_collation WHERE collname = 'name_order' AND collnamespace = current_schema()::regnamespace AND collversion <> '0'`,
  );
  assert.equal(rows.length, 1);
});

async function untilWaiting(db: ReturnType<typeof database>, statement: string): Promise<void> {
  for (;;) {
    const { rows } = await db.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kedja-name-order-' || current_schema()
         AND query LIKE $1 || '%' AND wait_event_type = 'Lock'`,
      [statement],
    );
    if (rows.length > 0) return;
  }
}

test('a schema that Citus has taken to a node keeps its order', async () => {
  const { db, names, change, indexes } = await site();
  await db.query('CREATE TABLE pg_dist_schema AS SELECT current_schema()::regnamespace::oid AS schemaid');
  await db.query('ALTER TABLE pg_dist_schema SET SCHEMA public');
  try {
    assert.equal(await change('sv'), 'current');
    assert.equal(await change('de'), 'unsupported');
  } finally {
    await db.query('DROP TABLE public.pg_dist_schema');
  }
  assert.deepEqual([await names(), await indexes()], [SWEDISH, MADE]);
  assert.equal(await change('de'), 'changed');
});
