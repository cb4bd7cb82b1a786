// Patients in words, and what a search means.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Patient } from 'fhir/r5';
import { nameOf } from '../../clinical/patient-name.ts';
import { ageOf, maskedNumber, notesOf, personnummerOf, soughtIn } from './patient.ts';

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
  assert.deepEqual(soughtIn('900118\u20119811'), { kind: 'number', number: '900118-9811' });
  assert.deepEqual(soughtIn('19121212 – 1212'), { kind: 'number', number: '19121212-1212' });
  assert.deepEqual(soughtIn('121212+1212'), { kind: 'number', number: '121212+1212' });
  for (const wrong of ['900118-981', '900118-98111', '19900118-98111'])
    assert.deepEqual(soughtIn(wrong), { kind: 'number', number: wrong }, 'it stays out of the address');
  assert.deepEqual(soughtIn('1990-01-18'), { kind: 'birthDate', date: '1990-01-18' });
  assert.deepEqual(soughtIn('19900118'), { kind: 'birthDate', date: '1990-01-18' });
  assert.deepEqual(soughtIn('Berg'), { kind: 'name', name: 'Berg' });
  assert.equal(soughtIn('  '), undefined);
});

test('what must be known of a patient is told: protected, dead, replaced', () => {
  const none = { isProtected: false, death: undefined, replacedBy: undefined, isInactive: false };
  const notes = (more: Partial<Patient>) => notesOf({ resourceType: 'Patient', ...more });
  assert.deepEqual(notes({}), none);
  assert.deepEqual(notes({ active: true, deceasedBoolean: false }), none);
  const labelled = (system: string, code: string) => notes({ meta: { security: [{ system, code }] } }).isProtected;
  assert.deepEqual(
    [
      labelled('http://hl7.se/fhir/ig/base/CodeSystem/SecurityLabel', 'sekretessmarkering'),
      labelled('http://terminology.hl7.org/CodeSystem/v3-Confidentiality', 'V'),
      labelled('http://terminology.hl7.org/CodeSystem/v3-Confidentiality', 'N'),
      labelled('constructor', 'R'),
    ],
    [true, true, false, false],
  );
  assert.equal(notes({ deceasedBoolean: true }).death, true);
  assert.equal(notes({ deceasedDateTime: '2026-11-01' }).death, '2026-11-01');
  const link: Patient['link'] = [{ type: 'replaced-by', other: { reference: 'Patient/p-2' } }];
  assert.deepEqual(notes({ active: false, link }), { ...none, isInactive: true, replacedBy: 'p-2' });
});

test('nobody grows older than at their death', () => {
  const today = new Date(2026, 0, 17);
  assert.equal(ageOf({ birthDate: '1940-01-18', deceasedDateTime: '2020-06-01' }, today), 80);
  assert.equal(ageOf({ birthDate: '1940-01-18', deceasedBoolean: true }, today), undefined);
});
