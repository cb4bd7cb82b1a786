// What updates change in the index: exactly what differs, and everything when it is not known what is there.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { ALL_ACCESS } from '../access.ts';
import { INDEX_TABLES } from './index-tables.ts';

const { store, db, put, find } = await createTestStore({ after });

type Json = Readonly<Record<string, unknown>>;

/** The index rows of a resource by table, with where they lie when asked for. */
async function rowsOf(type: string, id: string, withPlaces = false): Promise<unknown[]> {
  const place = withPlaces ? 'ctid::text AS place, ' : '';
  const all: unknown[] = [];
  for (const { table, columns } of INDEX_TABLES) {
    const names = columns.map(([name]) => `${name}::text`).join(', ');
    const text = `SELECT ${place}${names} FROM ${table} WHERE type = $1 AND rid = $2 ORDER BY ${columns.map(([name]) => name).join(', ')}`;
    const { rows } = await db.query(text, [nameKey(type), resourceKey(id)]);
    all.push(rows);
  }
  return all;
}

const patient = (id: string, more: Json): Json => ({ resourceType: 'Patient', id, ...more });
const word = fc.constantFrom('Anna', 'Bo', 'anna maria', 'Ö', 'x');
const person = fc.record(
  {
    active: fc.boolean(),
    gender: fc.constantFrom('male', 'female'),
    birthDate: fc.constantFrom('2000', '2000-01-01', '1999-12-31'),
    name: fc.array(fc.record({ family: word, given: fc.array(word, { maxLength: 2 }) }), { maxLength: 2 }),
    identifier: fc.array(fc.record({ system: fc.constantFrom('urn:a', 'urn:b'), value: word }), { maxLength: 2 }),
    link: fc.array(
      fc.constantFrom('Patient/1', 'RelatedPerson/2').map((reference) => ({ other: { reference } })),
      {
        maxLength: 2,
      },
    ),
    meta: fc.record({
      tag: fc.array(
        word.map((code) => ({ code })),
        { maxLength: 1 },
      ),
    }),
  },
  { requiredKeys: [] },
);

test('after any updates the index holds what it would hold had the resource been made so', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(person, { minLength: 2, maxLength: 4 }), async (versions) => {
      const id = newGuid();
      for (const version of versions) await put(patient(id, version));
      const changed = await rowsOf('Patient', id);
      await db.transaction((tx) => store.delete(tx, { resourceType: 'Patient', id, access: ALL_ACCESS }));
      assert.ok((await rowsOf('Patient', id)).flat().length === 0);
      await put(patient(id, versions.at(-1) ?? {}));
      assert.deepEqual(await rowsOf('Patient', id), changed);
    }),
    { numRuns: 40 },
  );
});

test('an update that changes nothing to be searched by writes no index row, and another one only those of what changed', async () => {
  const id = newGuid();
  const base = { gender: 'male', birthDate: '2000', name: [{ family: 'Berg', given: ['Bo'] }] };
  await put(patient(id, base));
  const before = await rowsOf('Patient', id, true);
  await put(patient(id, { ...base, photo: [{ title: 'new' }] }));
  assert.deepEqual(await rowsOf('Patient', id, true), before);
  await put(patient(id, { ...base, gender: 'female' }));
  const after = await rowsOf('Patient', id, true);
  assert.deepEqual(after.slice(1), before.slice(1));
  assert.notDeepEqual(after[0], before[0]);
  assert.deepEqual(await find('Patient', `_id=${id}&gender=female&family=berg`), [id]);
  assert.deepEqual(await find('Patient', `_id=${id}&gender=male`), []);
});

test('where it is not known by what the index was made, all of it is made again', async () => {
  const id = newGuid();
  const base = { gender: 'male', name: [{ family: 'Berg' }] };
  await put(patient(id, base));
  const whole = await rowsOf('Patient', id);
  for (const extraction of [null, 1]) {
    // As another code would have left it.
    await db.query('DELETE FROM fhir_string WHERE rid = $1', [id]);
    await db.query('UPDATE fhir_token SET code = $2 WHERE rid = $1', [id, 'other']);
    await db.query('UPDATE fhir_resource SET extraction = $2 WHERE rid = $1', [id, extraction]);
    await put(patient(id, base));
    assert.deepEqual(await rowsOf('Patient', id), whole);
  }
});

test('many are updated in few statements: each is decided by itself', async () => {
  const ids = Array.from({ length: 30 }, () => newGuid());
  for (const id of ids.slice(0, 20)) await put(patient(id, { gender: 'male' }), ids[0]);
  const gone = ids[2] ?? '';
  await db.transaction((tx) => store.delete(tx, { resourceType: 'Patient', id: gone, access: ALL_ACCESS }));
  const inputs = ids.map((id, place) => ({
    resourceType: 'Patient',
    id,
    source: readResourceText(JSON.stringify(patient(place === 4 ? 'other' : id, { gender: 'female' }))),
    organisation: null,
    access: place === 1 ? () => ({ kind: 'organisations', guids: [newGuid()] }) as const : ALL_ACCESS,
    ...(place === 3 ? { ifMatch: [7] } : {}),
  }));
  const statements: string[] = [];
  const outcomes = await db.transaction((tx) => {
    const query: typeof tx.query = (statement, values) => {
      statements.push(typeof statement === 'string' ? statement : statement.name);
      return tx.query(statement, values);
    };
    return store.updateMany({ ...tx, query }, [...inputs, ...inputs.slice(0, 1)], { busy: 'wait' });
  });
  const reported = outcomes.map((outcome) =>
    outcome === undefined ? 'left' : 'kind' in outcome ? outcome.kind : outcome.code,
  );
  assert.deepEqual(reported, [
    'updated',
    'left',
    'created',
    'precondition_failed',
    'invalid_request',
    ...Array.from({ length: 15 }, () => 'updated'),
    ...Array.from({ length: 10 }, () => 'created'),
    'left',
  ]);
  assert.equal(statements.length, 4);
  assert.deepEqual((await find('Patient', 'gender=female&_count=100')).filter((id) => ids.includes(id)).length, 27);
  const kept = await store.vread(db, { resourceType: 'Patient', id: ids[5] ?? '', version: 1 }, ALL_ACCESS);
  assert.match(kept.content, /"male"/);
  assert.equal((await store.read(db, { resourceType: 'Patient', id: ids[5] ?? '' }, ALL_ACCESS)).organisation, ids[0]);
});

test('what another transaction is changing is left, when it is not to be waited for', async () => {
  const [busy, free] = [newGuid(), newGuid()];
  for (const id of [busy, free]) await put(patient(id, { gender: 'male' }));
  const inputOf = (id: string) => ({
    resourceType: 'Patient',
    id,
    source: readResourceText(JSON.stringify(patient(id, { gender: 'female' }))),
    organisation: null,
    access: ALL_ACCESS,
  });
  await db.transaction(async (other) => {
    await store.update(other, inputOf(busy));
    const outcomes = await db.transaction((tx) => store.updateMany(tx, [busy, free].map(inputOf), { busy: 'leave' }));
    assert.deepEqual(
      outcomes.map((outcome) => outcome && 'kind' in outcome && outcome.kind),
      [undefined, 'updated'],
    );
  });
});
