// Every way of writing Patients notes them for identity (docs/adr/0068, docs/adr/0124).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { newGuid } from '#lib/guid.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { ALL_ACCESS } from '../access.ts';

const { db, store, put } = await createTestStore({ after });
const PATIENT = nameKey('Patient');

/** The noted keys in the order in which they are reported; they are then reported. */
async function noted(): Promise<string[]> {
  const { rows } = await db.query<{ rid: string }>('SELECT rid FROM fhir_patient_change ORDER BY change');
  await db.query('DELETE FROM fhir_patient_change');
  return rows.map(({ rid }) => rid);
}

function draft(resourceType: string, id = newGuid()) {
  return { id, source: readResourceText(JSON.stringify({ resourceType, id })), organisation: null };
}

test('new Patients of one statement are noted together, and no other type', async () => {
  const patients = [draft('Patient'), draft('Patient')];
  const others = [draft('Basic'), draft('Basic')];
  const inputs = [...patients, ...others];
  await db.transaction((tx) =>
    store.createMany(
      tx,
      inputs.map((each) => ({ ...each, isNewId: true })),
    ),
  );
  assert.deepEqual((await noted()).sort(), patients.map(({ id }) => id).sort());
});

test('a Patient whose id is taken is not noted again', async () => {
  const [first, second] = [draft('Patient'), draft('Patient')];
  await db.transaction((tx) => store.createMany(tx, [first]));
  assert.deepEqual(await noted(), [first.id]);
  await db.transaction((tx) => store.createMany(tx, [first, second]));
  assert.deepEqual(await noted(), [second.id]);
});

test('an import by COPY notes Patients', async () => {
  const patient = draft('Patient');
  const items = await Promise.all([patient, draft('Basic')].map((each) => store.prepareBulk(each)));
  await db.transaction((tx) => store.writeBulk(tx, items, () => true), { copies: true });
  assert.deepEqual(await noted(), [patient.id]);
});

test('an update, a change of the owner and a deletion note it again, with a higher number, in one row', async () => {
  const { id } = await put({ resourceType: 'Patient', id: newGuid() });
  const changeOf = async () => {
    const { rows } = await db.query<{ change: number }>('SELECT change FROM fhir_patient_change WHERE rid = $1', [id]);
    return rows[0]?.change ?? 0;
  };
  let before = await changeOf();
  assert.ok(before > 0);
  const address = { resourceType: 'Patient', id };
  for (const write of [
    () => put({ resourceType: 'Patient', id, active: true }),
    () => db.query('UPDATE fhir_resource SET organisation = $3 WHERE type = $1 AND rid = $2', [PATIENT, id, newGuid()]),
    () => db.transaction((tx) => store.delete(tx, { ...address, access: ALL_ACCESS })),
    () => put({ resourceType: 'Patient', id }),
  ]) {
    await write();
    const now = await changeOf();
    assert.ok(now > before, String(write));
    before = now;
  }
  // Where nobody reports, what waits does not grow with each write.
  assert.deepEqual(await noted(), [id]);
});
