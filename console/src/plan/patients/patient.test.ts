// Patients in words, and what a search means.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf } from '../../clinical/patient-name.ts';
import { ageOf, maskedNumber, personnummerOf, soughtIn } from './patient.ts';

test('name, age and number are written as Swedes write them', () => {
  assert.equal(
    nameOf({
      name: [
        { use: 'old', family: 'Ek' },
        { use: 'official', given: ['Maj', 'Britt'], family: 'Ek' },
      ],
    }),
    'Maj Britt Ek',
  );
  assert.equal(nameOf({ name: [{ text: 'Maj Ek' }] }), 'Maj Ek');
  assert.equal(nameOf({}), '');
  const today = new Date(2026, 0, 17);
  assert.equal(ageOf({ birthDate: '1990-01-18' }, today), 35);
  assert.equal(ageOf({ birthDate: '1990-01-17' }, today), 36);
  assert.equal(ageOf({ birthDate: '1990' }, today), undefined);
  const number = { system: 'http://electronichealth.se/identifier/personnummer', value: '19900118-9811' };
  assert.equal(personnummerOf({ identifier: [{ system: 'urn:other', value: '1' }, number] }), '19900118-9811');
  assert.equal(maskedNumber('19900118-9811'), '19900118-••••');
});

test('a number, a birth date and a name are distinguished', () => {
  assert.deepEqual(soughtIn(' 19900118-9811 '), { kind: 'number', number: '19900118-9811' });
  assert.deepEqual(soughtIn('900118 9811'), { kind: 'number', number: '9001189811' });
  assert.deepEqual(soughtIn('1990-01-18'), { kind: 'birthDate', date: '1990-01-18' });
  assert.deepEqual(soughtIn('19900118'), { kind: 'birthDate', date: '1990-01-18' });
  assert.deepEqual(soughtIn('Berg'), { kind: 'name', name: 'Berg' });
  assert.equal(soughtIn('  '), undefined);
});
