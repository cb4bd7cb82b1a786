// Searches by canonical URLs, chains and _has along them, with the versions that they name
// (hl7.org/fhir/R5/references.html#canonical).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestStore } from '#test/support/fhir/fhir-store.ts';
import type { Access } from '../access.ts';

const { put, find } = await createTestStore({ after });
const HEART = 'http://example.org/plans/heart';
const FALL = 'http://example.org/plans/fall';

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
  for (const version of ['1', '1.0', '1.2', '1.2.3', '10', '1-draft'])
    await by(`fall-${version}`, `${FALL}|${version}`);
  await by('fall', FALL);
  await by('fall-both', FALL, `${FALL}|2`);
  await put({ resourceType: 'Basic', id: 'profiled', code: { text: 'x' }, meta: { profile: [`${FALL}|1.2`] } });
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

const ALL_FALLS = ['fall', 'fall-1', 'fall-1-draft', 'fall-1.0', 'fall-1.2', 'fall-1.2.3', 'fall-10', 'fall-both'];
const VERSIONS = [
  [`instantiates-canonical:below=${FALL}`, ALL_FALLS],
  [`instantiates-canonical:below=${FALL}|1`, ['fall-1', 'fall-1-draft', 'fall-1.0', 'fall-1.2', 'fall-1.2.3']],
  [`instantiates-canonical:below=${FALL}|1.2`, ['fall-1.2', 'fall-1.2.3']],
  [`instantiates-canonical:below=${FALL}|3`, []],
  [`instantiates-canonical:below=${FALL}|2,${FALL}|1.0`, ['fall-1.0', 'fall-both']],
  // What names no version means them all.
  [`instantiates-canonical:above=${FALL}|1.2.3`, ['fall', 'fall-1', 'fall-1.2', 'fall-1.2.3', 'fall-both']],
  [`instantiates-canonical:above=${FALL}|10.1`, ['fall', 'fall-10', 'fall-both']],
  [`instantiates-canonical:above=${FALL}|1-draft`, ['fall', 'fall-1', 'fall-1-draft', 'fall-both']],
  [`instantiates-canonical:above=${FALL}`, ['fall', 'fall-both']],
  ['instantiates-canonical:below=http://example.org/plans', []],
].map(([query, ids]) => ['ServiceRequest', String(query), ids as string[]] as const);

for (const [type, query, ids] of [
  ...CASES,
  ...VERSIONS,
  ['Observation', 'based-on:ServiceRequest.instantiates-canonical:PlanDefinition.name=first', ['o']],
  ['Observation', 'based-on:ServiceRequest.instantiates-canonical:PlanDefinition.name=second', []],
  ['Basic', `_profile:below=${FALL}|1`, ['profiled']],
  ['Basic', `_profile:above=${FALL}|1.2.9`, ['profiled']],
  ['Basic', `_profile:above=${FALL}|1`, []],
  ['PlanDefinition', 'url:contains=/PLANS/', []],
  ['PlanDefinition', 'url:contains=plans/b', ['bare']],
  ['PlanDefinition', 'url:contains=_lans', []],
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
