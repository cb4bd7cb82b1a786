// Chains and _has along canonical URLs, with the versions that they name (hl7.org/fhir/R5/references.html#canonical).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestStore } from '#test/support/fhir-store.ts';
import type { Access } from './access.ts';

const { put, find } = await createTestStore({ after });
const HEART = 'http://example.org/plans/heart';

before(async () => {
  const plan = (id: string, rest: object, organisation?: string) =>
    put({ resourceType: 'PlanDefinition', id, status: 'active', ...rest }, organisation);
  await plan('heart1', { url: HEART, version: '1', name: 'First' });
  await plan('heart2', { url: HEART, version: '2', name: 'Second' });
  await plan('bare', { url: 'http://example.org/plans/bare', name: 'Bare' });
  await put({ resourceType: 'ActivityDefinition', id: 'walk', status: 'active', url: HEART, name: 'First' });
  const request = { resourceType: 'ServiceRequest', status: 'active', intent: 'order' };
  const by = (id: string, ...instantiatesCanonical: string[]) => put({ ...request, id, instantiatesCanonical });
  await by('any', HEART);
  await by('first', `${HEART}|1`);
  await by('second', `${HEART}|2`);
  await by('third', `${HEART}|3`);
  await by('any-and-second', HEART, `${HEART}|2`);
  await by('second-and-any', `${HEART}|2`, HEART);
  await by('bare', 'http://example.org/plans/bare|7');
  await put({
    resourceType: 'Observation',
    id: 'o',
    status: 'final',
    basedOn: [{ reference: 'ServiceRequest/first' }],
  });
});

const CASES: readonly (readonly [type: string, query: string, ids: readonly string[]])[] = [
  ['instantiates-canonical:PlanDefinition.name=first', ['any', 'any-and-second', 'first', 'second-and-any']],
  ['instantiates-canonical:PlanDefinition.name=second', ['any', 'any-and-second', 'second', 'second-and-any']],
  ['instantiates-canonical:PlanDefinition.name=bare', ['bare']],
  ['instantiates-canonical:PlanDefinition._id=heart2', ['any', 'any-and-second', 'second', 'second-and-any']],
  // The ActivityDefinition has no version: every one means it.
  [
    'instantiates-canonical:ActivityDefinition.name=first',
    ['any', 'any-and-second', 'first', 'second', 'second-and-any', 'third'],
  ],
  [
    'instantiates-canonical:PlanDefinition.name=first&instantiates-canonical=http://example.org/plans/heart|1',
    ['first'],
  ],
].map(([query, ids]) => ['ServiceRequest', String(query), ids as string[]] as const);

for (const [type, query, ids] of [
  ...CASES,
  ['Observation', 'based-on:ServiceRequest.instantiates-canonical:PlanDefinition.name=first', ['o']],
  ['Observation', 'based-on:ServiceRequest.instantiates-canonical:PlanDefinition.name=second', []],
  ['PlanDefinition', '_has:ServiceRequest:instantiates-canonical:_id=first', ['heart1']],
  ['PlanDefinition', '_has:ServiceRequest:instantiates-canonical:_id=any', ['heart1', 'heart2']],
  ['PlanDefinition', '_has:ServiceRequest:instantiates-canonical:status=active', ['bare', 'heart1', 'heart2']],
  ['PlanDefinition', '_has:ServiceRequest:instantiates-canonical:_id=third', []],
  ['ActivityDefinition', '_has:ServiceRequest:instantiates-canonical:_id=third', ['walk']],
] as const) {
  test(`${type}?${query}`, async () => assert.deepEqual((await find(type, query)).sort(), ids));
}

test('a chain does not pass through a definition that the caller may not see', async () => {
  const blind: Access = (type) => (type === 'PlanDefinition' ? { kind: 'none' } : { kind: 'all' });
  assert.deepEqual(await find('ServiceRequest', 'instantiates-canonical:PlanDefinition.name=first', blind), []);
});
