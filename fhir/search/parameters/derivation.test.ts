// SearchParameter.derivedFrom: type and base resources of a parameter that derives from an official one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCustomParameter } from './custom-parameter.ts';
import { loadSearchParameters } from './definitions.ts';

const derived = (changes: object): (string | undefined)[] =>
  readCustomParameter(
    {
      resourceType: 'SearchParameter',
      url: 'http://example.org/fhir/SearchParameter/born',
      name: 'Born',
      status: 'active',
      code: 'born',
      type: 'date',
      base: ['Patient'],
      expression: 'Patient.birthDate',
      derivedFrom: 'http://hl7.org/fhir/SearchParameter/individual-birthdate',
      ...changes,
    },
    loadSearchParameters(),
  ).issues.map(({ field }) => field);

test('a derived parameter has the type of the original, and all or some of its base resources', () => {
  assert.deepEqual(derived({}), []);
  assert.deepEqual(derived({ derivedFrom: 'http://hl7.org/fhir/SearchParameter/individual-birthdate|5.0.0' }), []);
  assert.deepEqual(derived({ type: 'string', expression: 'Patient.name.family' }), ['SearchParameter.type']);
  assert.deepEqual(derived({ base: ['Observation'], expression: 'Observation.issued' }), ['SearchParameter.base']);
  assert.deepEqual(derived({ derivedFrom: 'http://example.org/fhir/SearchParameter/other', type: 'date' }), []);
});
