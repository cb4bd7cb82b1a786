import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasErrors, validateResource } from './validate.ts';
import { OBSERVATION, PATIENT, QUESTIONNAIRE, REQUEST, TRANSACTION } from './validation/broken-resources.ts';

const GOOD = { PATIENT, OBSERVATION, REQUEST, QUESTIONNAIRE, TRANSACTION };

for (const [name, resource] of Object.entries(GOOD)) {
  test(`the unbroken ${name} is valid`, () => assert.deepEqual(validateResource(resource), []));
}

test('what is no object, and another type than the path says, is refused', () => {
  for (const value of [null, undefined, 'a', 1, [PATIENT]])
    assert.equal(validateResource(value)[0]?.issue, 'structure');
  const faults = validateResource(PATIENT, { resourceType: 'Observation' });
  assert.deepEqual(
    faults.map(({ field }) => field),
    ['Patient.resourceType'],
  );
});

test('members of an object that are undefined are not there', () => {
  assert.deepEqual(
    validateResource({ ...PATIENT, gender: undefined, maritalStatus: undefined, surname: undefined }),
    [],
  );
});

test('all faults stand in one answer', () => {
  const faults = validateResource({ ...PATIENT, gender: 'x', birthDate: 'y', surname: 'z', name: [{ given: [1] }] });
  assert.deepEqual(faults.map(({ field }) => field).sort(), [
    'Patient.birthDate',
    'Patient.gender',
    'Patient.name[0].given[0]',
    'Patient.surname',
  ]);
});

test('messages hold no values of the resource', () => {
  const faults = validateResource({
    ...PATIENT,
    gender: 'SECRET',
    birthDate: 'SECRET',
    name: [{ period: { start: 'SECRET' } }],
  });
  assert.equal(faults.length, 3);
  assert.ok(!JSON.stringify(faults).includes('SECRET'));
});

test('advice is a warning and refuses nothing', () => {
  const faults = validateResource({ ...QUESTIONNAIRE, name: 'not a name' });
  assert.deepEqual(
    faults.map(({ field, severity }) => [field, severity]),
    [['Questionnaire', 'warning']],
  );
  assert.ok(!hasErrors(faults));
});
