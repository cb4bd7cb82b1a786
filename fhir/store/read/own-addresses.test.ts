// A resource of this server is the same whether it is named by its relative address or by the absolute one
// (hl7.org/fhir/R5/search.html#reference). That holds in the index, in what is asked for, in includes, chains, lists
// and the patients' compartments.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestStore, OWN_BASE } from '#test/support/fhir/fhir-store.ts';
import { type Access, ALL_ACCESS } from '../access.ts';

const { store, db, put, find } = await createTestStore({ after });
const ELSEWHERE = 'https://other.example.org/fhir';

before(async () => {
  const patient = { resourceType: 'Patient', name: [{ family: 'Berg' }] };
  await put({ ...patient, id: 'p1' });
  await put({ ...patient, id: 'p2' });
  await put({ resourceType: 'Location', id: 'house' });
  await put({ resourceType: 'Location', id: 'ward', partOf: { reference: `${OWN_BASE}/Location/house` } });
  const observation = { resourceType: 'Observation', status: 'final', code: { text: 'x' } };
  const about = (id: string, reference: string) => put({ ...observation, id, subject: { reference } });
  await about('relative', 'Patient/p1');
  await about('absolute', `${OWN_BASE}/Patient/p1`);
  await about('versioned', `${OWN_BASE}/Patient/p1/_history/1`);
  await about('elsewhere', `${ELSEWHERE}/Patient/p1`);
  await about('longer', `${OWN_BASE}/more/Patient/p1`);
  const other = { reference: `${OWN_BASE}/Location/ward` };
  await put({ resourceType: 'Encounter', id: 'e', status: 'planned', location: [{ location: other }] });
  const item = { reference: `${OWN_BASE}/Observation/absolute` };
  await put({ resourceType: 'List', id: 'list', status: 'current', mode: 'working', entry: [{ item }] });
  const both = ['Patient/p2', `${OWN_BASE}/Patient/p2`].map((reference) => ({
    actor: { reference },
    status: 'accepted',
  }));
  await put({ resourceType: 'Appointment', id: 'twice', status: 'booked', participant: both });
  await put({
    resourceType: 'DocumentReference',
    id: 'document',
    status: 'current',
    relatesTo: [
      { code: { coding: [{ code: 'replaces' }] }, target: { reference: `${OWN_BASE}/DocumentReference/old` } },
    ],
  });
});

const OWN = ['absolute', 'relative', 'versioned'];
const CASES: readonly (readonly [type: string, query: string, ids: readonly string[]])[] = [
  ['Observation', 'subject=Patient/p1', OWN],
  ['Observation', `subject=${OWN_BASE}/Patient/p1`, OWN],
  ['Observation', `subject:Patient=${OWN_BASE}/Patient/p1`, OWN],
  ['Observation', `patient=${OWN_BASE}/Patient/p1/_history/1`, OWN],
  ['Observation', `subject=${ELSEWHERE}/Patient/p1`, ['elsewhere']],
  ['Observation', `subject=${OWN_BASE}/more/Patient/p1`, ['longer']],
  ['Observation', 'subject.family=berg', OWN],
  ['Observation', `_filter=subject re "${OWN_BASE}/Patient/p1"`, OWN],
  ['Observation', '_list=list', ['absolute']],
  ['Observation', `_list=${OWN_BASE}/List/list`, ['absolute']],
  ['Patient', '_has:Observation:subject:_id=absolute', ['p1']],
  ['Patient', '_has:Observation:subject:_id=elsewhere', []],
  ['Encounter', `location:below=${OWN_BASE}/Location/house`, ['e']],
  ['Appointment', 'patient=p2', ['twice']],
  ['DocumentReference', 'relationship=replaces$DocumentReference/old', ['document']],
  ['DocumentReference', `relationship=replaces$${OWN_BASE}/DocumentReference/old`, ['document']],
];

for (const [type, query, ids] of CASES) {
  test(`${type}?${query}`, async () => assert.deepEqual((await find(type, query)).sort(), ids));
}

test('includes follow both, each resource once', async () => {
  const parsed = store.parse('Observation', new URLSearchParams('_id=absolute,relative&_include=Observation:subject'));
  const { included } = await store.search(db, parsed, { access: ALL_ACCESS });
  assert.deepEqual(
    included.map(({ resourceType, id }) => `${resourceType}/${id}`),
    ['Patient/p1'],
  );
});

test("what names a patient by the own address lies in the patient's compartment, what names one of another server does not", async () => {
  const ofPatient: Access = () => ({ kind: 'patient', patientGuid: 'p1' });
  assert.deepEqual((await find('Observation', '', ofPatient)).sort(), OWN);
  const version = await store.vread(db, { resourceType: 'Observation', id: 'absolute', version: 1 }, ofPatient);
  assert.match(version.content, new RegExp(`"reference":"${OWN_BASE}/Patient/p1"`), 'the text is what was written');
});

test('an update from the relative to the absolute address keeps the index', async () => {
  const observation = { resourceType: 'Observation', id: 'changing', status: 'final', code: { text: 'y' } };
  await put({ ...observation, subject: { reference: 'Patient/p2' } });
  await put({ ...observation, subject: { reference: `${OWN_BASE}/Patient/p2` } });
  assert.deepEqual(await find('Observation', 'subject=Patient/p2'), ['changing']);
});
