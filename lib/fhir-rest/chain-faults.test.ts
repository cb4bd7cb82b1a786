// A chain or `_has` that ends in nothing known is refused: to ignore it would find everything.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient', 'Observation']);

const FAULTS = [
  ['/Observation?subject.nonsense=x', /subject\.nonsense leads to no type that has the search parameter nonsense/],
  ['/Observation?subject:Group.birthdate=1950', /leads to no type that has the search parameter birthdate/],
  ['/Observation?subject.general-practitioner.nonsense=x', /has the search parameter general-practitioner\.nonsense/],
  ['/Patient?_has:Observation:subject=x', /must end with a search parameter of Observation/],
  ['/Patient?_has:Observation:subject:nonsense=x', /must end with a search parameter of Observation/],
  ['/Patient?_profile:below=http://example.org', /does not know the modifier :below/],
] as const;
for (const [path, expected] of FAULTS) {
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
