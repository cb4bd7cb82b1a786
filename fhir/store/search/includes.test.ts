// Includes of every reference, of versions that references name, and sorting by what refers
// (hl7.org/fhir/R5/search.html#include, #sort).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import { type Access, ALL_ACCESS } from '../access.ts';

const { store, db, put, find } = await createTestStore({ after });

before(async () => {
  await put({ resourceType: 'Organization', id: 'org', name: 'Old name' });
  await put({ resourceType: 'Organization', id: 'org', name: 'New name' });
  await put({ resourceType: 'Practitioner', id: 'g1' });
  await put({
    resourceType: 'Patient',
    id: 'p1',
    generalPractitioner: [{ reference: 'Practitioner/g1' }],
    managingOrganization: { reference: 'Organization/org/_history/1' },
  });
  await put({ resourceType: 'Patient', id: 'p2', managingOrganization: { reference: 'Organization/org' } });
  const observation = { resourceType: 'Observation', status: 'final', code: { text: 'x' } };
  await put({ ...observation, id: 'o1', subject: { reference: 'Patient/p2' } });
  await put({ ...observation, id: 'o2', subject: { reference: 'Patient/p1' } });
  await put({ ...observation, id: 'o3' });
  await put({ resourceType: 'AuditEvent', id: 'look', patient: { reference: 'Patient/p1' } });
  const definition = { resourceType: 'ActivityDefinition', url: 'http://example.org/a', status: 'active' };
  await put({ ...definition, id: 'a1', version: '1' });
  await put({ ...definition, id: 'a2', version: '2' });
  const plan = { resourceType: 'PlanDefinition', status: 'active' };
  await put({ ...plan, id: 'any', action: [{ definitionCanonical: 'http://example.org/a' }] });
  await put({ ...plan, id: 'second', action: [{ definitionCanonical: 'http://example.org/a|2' }] });
});

async function included(type: string, query: string, access: Access = ALL_ACCESS): Promise<string[]> {
  const found = await store.search(db, store.parse(type, new URLSearchParams(query), { isStrict: true }), { access });
  return found.included.map(({ resourceType, id, version }) => `${resourceType}/${id}/${version}`).sort();
}

const CASES: readonly (readonly [type: string, query: string, addresses: readonly string[]])[] = [
  ['Patient', '_id=p1&_include=*', ['Organization/org/1', 'Practitioner/g1/1']],
  ['Patient', '_id=p2&_include=*', ['Organization/org/2']],
  ['Patient', '_id=p1,p2&_include=*', ['Organization/org/2', 'Practitioner/g1/1']],
  ['Patient', '_id=p1&_include=Patient:organization', ['Organization/org/1']],
  ['Observation', '_id=o2&_include=*', ['Patient/p1/1']],
  ['Observation', '_id=o2&_include:iterate=*', ['Organization/org/1', 'Patient/p1/1', 'Practitioner/g1/1']],
  ['Patient', '_id=p1&_revinclude=*', ['Observation/o2/1']],
  // Every access to a resource leaves one: they come when they are named.
  ['Patient', '_id=p1&_revinclude=AuditEvent:*', ['AuditEvent/look/1']],
  ['Practitioner', '_id=g1&_revinclude:iterate=*', ['Observation/o2/1', 'Patient/p1/1']],
  [
    'PlanDefinition',
    '_id=any&_include=PlanDefinition:definition',
    ['ActivityDefinition/a1/1', 'ActivityDefinition/a2/1'],
  ],
  ['PlanDefinition', '_id=second&_include=PlanDefinition:definition', ['ActivityDefinition/a2/1']],
  ['PlanDefinition', '_id=second&_include=*', ['ActivityDefinition/a2/1']],
  ['ActivityDefinition', '_id=a1&_revinclude=*', ['PlanDefinition/any/1']],
];

for (const [type, query, addresses] of CASES) {
  test(`${type}?${query}`, async () => assert.deepEqual(await included(type, query), addresses));
}

test('what one may not see is not included by * either', async () => {
  const access: Access = (type) => (type === 'Patient' ? { kind: 'all' } : { kind: 'none' });
  assert.deepEqual(await included('Patient', '_id=p1&_include=*', access), []);
  assert.deepEqual(await included('Patient', '_id=p1&_revinclude=*', access), []);
});

test('sorting by a reference keeps together what refers to the same, what refers to nothing last', async () => {
  const [first, second, last] = await find('Observation', '_sort=subject,_id');
  assert.deepEqual([new Set([first, second]), last], [new Set(['o1', 'o2']), 'o3']);
  assert.deepEqual(await find('Observation', '_sort=-subject,_id'), [second, first, 'o3']);
  assert.deepEqual(await find('PlanDefinition', '_sort=definition'), ['any', 'second']);
  assert.deepEqual(await find('PlanDefinition', '_sort=-definition'), ['second', 'any']);
});

for (const query of [
  '_sort=_score',
  '_score=true',
  '_contained=true',
  '_containedType=container',
  '_maxresults=5',
  '_sort=_filter',
]) {
  test(`${query} is refused`, async () => {
    await assert.rejects(
      find('Patient', query),
      (error: unknown) => error instanceof ServiceError && error.code === 'validation_error',
    );
  });
}
