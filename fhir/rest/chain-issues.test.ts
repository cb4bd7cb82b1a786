// A chain or `_has` that ends in nothing known is refused: to ignore it would find everything.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient', 'Observation']);

const ISSUES = [
  ['/Observation?subject.nonsense=x', /subject\.nonsense leads to no type that has the search parameter nonsense/],
  ['/Observation?subject:Group.birthdate=1950', /leads to no type that has the search parameter birthdate/],
  ['/Observation?subject.general-practitioner.nonsense=x', /has the search parameter general-practitioner\.nonsense/],
  ['/Patient?_has:Observation:subject=x', /must end with a search parameter of Observation/],
  ['/Patient?_has:Observation:subject:nonsense=x', /must end with a search parameter of Observation/],
  ['/Patient?_profile:contains=example', /does not know the modifier :contains/],
  ['/Patient?_has:Observation:subject:_profile:contains=example', /does not know the modifier :contains/],
] as const;
for (const [path, expected] of ISSUES) {
  test(`${path} is refused`, async () => {
    const { status, body } = await call('GET', path);
    assert.equal(status, 400);
    assert.match(body.issue[0].details.text, expected);
  });
}

test('a chain that some type of the reference knows is followed', async () => {
  assert.equal((await call('GET', '/Observation?subject.birthdate=1950')).status, 200);
  assert.equal((await call('GET', '/Observation?encounter.subject.general-practitioner.name=x')).status, 200);
});

test('the versions of a canonical are no chain: _profile has :above and :below, and finds by them', async () => {
  const profile = 'http://example.org/fhir/StructureDefinition/heart|1.2';
  const body = { resourceType: 'Patient', id: 'profiled', meta: { profile: [profile] } };
  assert.equal((await call('PUT', '/Patient/profiled', { body })).status, 201);
  for (const [query, total] of [
    ['_profile:below=http://example.org/fhir/StructureDefinition/heart|1', 1],
    ['_profile:above=http://example.org/fhir/StructureDefinition/heart|1.2.3', 1],
    ['_profile:below=http://example.org/fhir/StructureDefinition/heart|2', 0],
    ['_profile:below=http://example.org', 0],
  ] as const) {
    const answer = await call('GET', `/Patient?${query}`);
    assert.deepEqual([answer.status, answer.body.total], [200, total], query);
  }
});
