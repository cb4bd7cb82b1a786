// Changes of indexes that migrations leave to the nodes, on a real database. They run while others write, on many nodes
// at once, and after an aborted run.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTestDatabase } from '#test/support/database/database.ts';
import { makeIndexChanges } from './index-change.ts';

const { url, database } = await createTestDatabase({ after });
let schemas = 0;

/** A schema of its own with a table and an index to be replaced. */
async function site() {
  schemas += 1;
  const schema = `changes_${schemas}`;
  const db = database(schema, { maxConnections: 4 });
  await db.query(`CREATE SCHEMA ${schema}`);
  await db.query('CREATE TABLE person (id int PRIMARY KEY, ward int NOT NULL)');
  await db.query('CREATE INDEX person_ward ON person (ward)');
  await db.query('INSERT INTO person SELECT n, n % 7 FROM generate_series(1, 500) n');
  await db.query(
    'CREATE TABLE index_change (number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, definition text)',
  );
  const later = (name: string, definition: string | null) =>
    db.query('INSERT INTO index_change (name, definition) VALUES ($1, $2)', [name, definition]);
  const change = (signal?: AbortSignal) =>
    makeIndexChanges({ url, schema, ...(signal === undefined ? {} : { signal }) });
  const indexes = async () =>
    (
      await db.query<{ text: string }>(
        `SELECT concat_ws(' ', indexrelid::regclass::text, CASE WHEN NOT indisvalid THEN 'broken' END) AS text
         FROM pg_index WHERE indrelid = 'person'::regclass ORDER BY 1`,
      )
    ).rows.map(({ text }) => text);
  return { schema, db, later, change, indexes };
}

async function untilWaiting(db: ReturnType<typeof database>, statement: string): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1 AND datname = current_database()`,
      [`${statement}%`],
    );
    if (rowCount !== 0) return;
    await new Promise((done) => setTimeout(done, 10));
  }
}

const REPLACED = ['person_pkey', 'person_ward_id'];

test('a schema without such changes is current, with the table and without it', async () => {
  const { schema, db, change, indexes } = await site();
  assert.equal(await change(), 'current');
  await db.query('DROP TABLE index_change');
  assert.equal(await makeIndexChanges({ url, schema }), 'current');
  assert.deepEqual(await indexes(), ['person_pkey', 'person_ward']);
});

test('nodes that start at once make each change once, in order, while others write', async () => {
  const { db, later, change, indexes } = await site();
  await later('person_ward_id', 'ON person (ward, id)');
  await later('person_ward', null);
  let isOver = false;
  const writer = (async () => {
    for (let id = 1_000; !isOver; id += 1) await db.query('INSERT INTO person VALUES ($1, 1)', [id]);
  })();
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => change()));
  isOver = true;
  await writer;
  assert.equal(outcomes.filter((outcome) => outcome === 'changed').length, 1, outcomes.join());
  assert.ok(outcomes.every((outcome) => ['changed', 'current', 'busy'].includes(outcome)));
  assert.deepEqual(await indexes(), REPLACED);
  assert.equal(await change(), 'current');
});

test('an index that an aborted run left broken is made again', async () => {
  const { db, later, change, indexes } = await site();
  await assert.rejects(db.query('CREATE UNIQUE INDEX CONCURRENTLY person_ward_id ON person (ward)'), /unique/);
  assert.deepEqual(await indexes(), ['person_pkey', 'person_ward', 'person_ward_id broken']);
  await later('person_ward_id', 'ON person (ward, id)');
  await later('person_ward', null);
  assert.equal(await change(), 'changed');
  assert.deepEqual(await indexes(), REPLACED);
});

test('what was made before the change was noted as made is not made twice', async () => {
  const { db, later, change, indexes } = await site();
  await db.query('CREATE INDEX person_ward_id ON person (ward, id)');
  await db.query('DROP INDEX person_ward');
  const { rows: before } = await db.query(`SELECT 'person_ward_id'::regclass::oid::int AS oid`);
  await later('person_ward_id', 'ON person (ward, id)');
  await later('person_ward', null);
  assert.equal(await change(), 'changed');
  assert.deepEqual(await indexes(), REPLACED);
  assert.deepEqual((await db.query(`SELECT 'person_ward_id'::regclass::oid::int AS oid`)).rows, before);
});

test('a node that is stopped leaves the old index until the next one has made the new one', async () => {
  const { db, later, change, indexes } = await site();
  await later('person_ward_id', 'ON person (ward, id)');
  await later('person_ward', null);
  const abort = new AbortController();
  await db.transaction(async (tx) => {
    await tx.query('UPDATE person SET ward = 9 WHERE id = 1');
    const running = change(abort.signal);
    await untilWaiting(db, 'CREATE INDEX CONCURRENTLY');
    abort.abort();
    assert.equal(await running, 'busy');
    assert.ok((await indexes()).includes('person_ward'));
  });
  let outcome = await change();
  // The server ends what its closed connection was doing within a second or two.
  while (outcome === 'busy') {
    await new Promise((done) => setTimeout(done, 50));
    outcome = await change();
  }
  assert.deepEqual(await indexes(), REPLACED);
});

test('a change that fails is reported, and those before it stay', async () => {
  const { db, later, change, indexes } = await site();
  await later('person_ward_id', 'ON person (ward, id)');
  await later('person_nothing', 'ON person (nothing)');
  await assert.rejects(change(), /column "nothing" does not exist/);
  assert.deepEqual(await indexes(), ['person_pkey', 'person_ward', 'person_ward_id']);
  assert.deepEqual((await db.query('SELECT name FROM index_change')).rows, [{ name: 'person_nothing' }]);
});
