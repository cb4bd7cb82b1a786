import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { copyLine } from '#lib/db/copy.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { ALL_ACCESS } from '../store/access.ts';

const hooks = lastFirst({ after });
const { store, db, clock, put, find } = await createTestStore(hooks);
const guid = (index: number) => `019a0000-0000-7000-8000-${String(index).padStart(12, '0')}`;
const everyOne = () => true;
const copies = { copies: true };

function item(resource: Readonly<Record<string, unknown>> & { id: string }, organisation: string | null = null) {
  return store.prepareBulk({ source: readResourceText(JSON.stringify(resource)), id: resource.id, organisation });
}

const patient = (index: number, family: string, more: object = {}) =>
  item({ resourceType: 'Patient', id: guid(index), name: [{ family }], ...more });

/** Every row of the index and of the store, without times. */
async function rowsOf(table: string, rid: string): Promise<string[]> {
  const { rows } = await db.query<{ row: string }>(
    `SELECT (to_jsonb(t) - 'rid' - 'updated_at' - 'content')::text AS row FROM ${table} t WHERE rid = $1 ORDER BY 1`,
    [rid],
  );
  return rows.map(({ row }) => row.replaceAll(rid, 'the id'));
}

const TABLES = `fhir_resource fhir_history fhir_token fhir_reference fhir_string fhir_date fhir_quantity fhir_uri fhir_composite`;

test('the rows are those of single writes', async () => {
  const odd = 'Back\\slash\ttab\nline\r"quote" \\N ÅÄÖ';
  const resource = {
    resourceType: 'Observation',
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }], text: odd },
    subject: { reference: `Patient/${guid(1)}` },
    effectiveDateTime: '2026-01-02T03:04:05Z',
    valueQuantity: { value: 70.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
    instantiatesUri: ['http://example.org/a\\b'],
  };
  const [single, bulk] = [guid(11), guid(12)];
  const written = await put({ ...resource, id: single });
  const outcome = await db.transaction(
    async (tx) => store.writeBulk(tx, [await item({ ...resource, id: bulk })], everyOne),
    copies,
  );
  assert.deepEqual(outcome, { created: 1, updated: 0, unchanged: 0, hidden: [], erased: [] });
  for (const table of TABLES.split(' ')) {
    assert.deepEqual(await rowsOf(table, bulk), await rowsOf(table, single), table);
  }
  const read = await store.read(db, { resourceType: 'Observation', id: bulk }, ALL_ACCESS);
  assert.equal(read.content, written.content.replace(single, bulk));
});

test('what is there gets a new version, what is the same does not, what was deleted comes back', async () => {
  const [same, other, gone] = [guid(21), guid(22), guid(23)];
  for (const id of [same, other, gone]) await put({ resourceType: 'Patient', id, name: [{ family: 'Berg' }] });
  await db.transaction((tx) => store.delete(tx, { resourceType: 'Patient', id: gone, access: ALL_ACCESS }));
  clock.time += 1_000;
  const items = await Promise.all([patient(21, 'Berg'), patient(22, 'Dahl'), patient(23, 'Berg'), patient(24, 'Ek')]);
  const outcome = await db.transaction((tx) => store.writeBulk(tx, items, everyOne), copies);
  assert.deepEqual(outcome, { created: 1, updated: 2, unchanged: 1, hidden: [], erased: [] });
  const versions = await Promise.all(
    [same, other, gone, guid(24)].map((id) => store.read(db, { resourceType: 'Patient', id }, ALL_ACCESS)),
  );
  assert.deepEqual(
    versions.map(({ version }) => version),
    [1, 2, 3, 1],
  );
  assert.match(versions[1]?.content ?? '', /"versionId":"2".*Dahl/);
  assert.deepEqual(await find('Patient', 'family=Dahl'), [other]);
  assert.deepEqual(await find('Patient', 'family=Berg'), [same, gone]);
  const { versions: history } = await store.history(db, { resourceType: 'Patient', id: gone, count: 10 }, ALL_ACCESS);
  assert.deepEqual(
    history.map(({ version, isDeleted }) => [version, isDeleted]),
    [
      [3, false],
      [2, true],
      [1, false],
    ],
  );
});

test('a record of others is left as it is and named', async () => {
  const [ours, theirs] = [guid(901), guid(902)];
  await put({ resourceType: 'Patient', id: guid(31) }, theirs);
  const items = await Promise.all([
    item({ resourceType: 'Patient', id: guid(31), active: false }, ours),
    item({ resourceType: 'Patient', id: 'not-a-guid' }, ours),
  ]);
  const outcome = await db.transaction(
    (tx) => store.writeBulk(tx, items, ({ organisation }) => organisation === ours),
    copies,
  );
  assert.deepEqual([outcome.created, outcome.hidden], [1, items.slice(0, 1)]);
  assert.equal((await store.read(db, { resourceType: 'Patient', id: guid(31) }, ALL_ACCESS)).version, 1);
  assert.equal((await store.read(db, { resourceType: 'Patient', id: 'not-a-guid' }, ALL_ACCESS)).organisation, ours);
});

test('what was read by older definitions of search parameters is noted to be indexed again', async () => {
  await db.query('UPDATE fhir_search_version SET extraction = extraction + 1');
  const items = await Promise.all([patient(41, 'Fors'), patient(42, 'Gran')]);
  await db.transaction((tx) => store.writeBulk(tx, items, everyOne), copies);
  const { rows } = await db.query<{ rid: string }>('SELECT rid FROM fhir_late_index ORDER BY rid');
  assert.deepEqual(
    rows.map(({ rid }) => rid),
    [guid(41), guid(42)],
  );
});

test('a transaction that fails leaves nothing, and its connection stays of use', async () => {
  const write = db.transaction(async (tx) => {
    await store.writeBulk(tx, [await patient(51, 'Holm')], everyOne);
    await tx.copy({ table: 'fhir_token', columns: ['type', 'param'] }, [copyLine([1, 'no number'])]);
  }, copies);
  await assert.rejects(write, /invalid input syntax/);
  assert.deepEqual(await find('Patient', 'family=Holm'), []);
  await db.transaction(async (tx) => store.writeBulk(tx, [await patient(51, 'Holm')], everyOne), copies);
  assert.deepEqual(await find('Patient', 'family=Holm'), [guid(51)]);
});
