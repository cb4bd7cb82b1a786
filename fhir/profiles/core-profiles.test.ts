// The profiles of R5: resources that conform to them, and broken ones.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateResource } from '../validation/validate.ts';
import { r5Profiles } from './registry.ts';
import { type Json, testProfiled } from './test-profiles.ts';

const R5 = 'http://hl7.org/fhir/StructureDefinition/';
const coding = (system: string, code: string): Json => ({ coding: [{ system, code }] });
const loinc = (code: string): Json => coding('http://loinc.org', code);
const quantity = (value: number, code: string): Json => ({
  value,
  unit: code,
  system: 'http://unitsofmeasure.org',
  code,
});
const VITAL: Json = {
  resourceType: 'Observation',
  status: 'final',
  category: [coding('http://terminology.hl7.org/CodeSystem/observation-category', 'vital-signs')],
  subject: { reference: 'Patient/p1' },
  effectiveDateTime: '2026-11-21',
};
const WEIGHT: Json = { ...VITAL, code: loinc('29463-7'), valueQuantity: quantity(70, 'kg') };
const component = (code: string, value: number): Json => ({
  code: loinc(code),
  valueQuantity: quantity(value, 'mm[Hg]'),
});
const SYSTOLIC = component('8480-6', 120);
const DIASTOLIC = component('8462-4', 80);
const PRESSURE: Json = { ...VITAL, code: loinc('85354-9'), component: [SYSTOLIC, DIASTOLIC] };
const value = 'Observation.value';

testProfiled(r5Profiles(), [
  ['a body weight', `${R5}bodyweight`, WEIGHT, []],
  ['the base definition itself', `${R5}Observation`, WEIGHT, []],
  ['the base definition with its version', `${R5}Observation|5.0.0`, WEIGHT, []],
  ['the base of the type', `${R5}DomainResource`, WEIGHT, []],
  ['the version that there is', `${R5}bodyweight|5.0.0`, WEIGHT, []],
  ['another version than there is', `${R5}bodyweight|4.0.1`, WEIGHT, ['?Observation.meta.profile[0] not-found']],
  ['an unknown profile', 'http://example.org/none', WEIGHT, ['?Observation.meta.profile[0] not-found']],
  ['a profile of another type', `${R5}lipidprofile`, WEIGHT, ['Observation.meta.profile[0] value']],
  ['the definition of another type', `${R5}Patient`, WEIGHT, ['Observation.meta.profile[0] value']],
  [
    'a weight in pounds of another unit',
    `${R5}bodyweight`,
    { ...WEIGHT, valueQuantity: quantity(70, 'mg') },
    [`${value}.code code-invalid`],
  ],
  [
    'a weight without its unit',
    `${R5}bodyweight`,
    { ...WEIGHT, valueQuantity: { value: 70 } },
    [`${value}.unit required`, `${value}.system required`, `${value}.code required`],
  ],
  [
    'a body mass index in words',
    `${R5}bmi`,
    { ...WEIGHT, code: loinc('39156-5'), valueQuantity: undefined, valueString: 'heavy' },
    [`${value} structure`, `${value} structure`, `${value} required`],
  ],
  ['a weight without subject', `${R5}bodyweight`, { ...WEIGHT, subject: undefined }, ['Observation.subject required']],
  [
    'a weight of a device',
    `${R5}bodyweight`,
    { ...WEIGHT, subject: { reference: 'Device/d1' } },
    ['Observation.subject value'],
  ],
  [
    'a weight of another code',
    `${R5}bodyweight`,
    { ...WEIGHT, code: loinc('8302-2') },
    ['Observation.code.coding required'],
  ],
  [
    'a weight without category',
    `${R5}bodyweight`,
    { ...WEIGHT, category: undefined },
    ['Observation.category required', 'Observation.category required'],
  ],
  [
    'a weight of another category',
    `${R5}bodyweight`,
    { ...WEIGHT, category: [coding('http://terminology.hl7.org/CodeSystem/observation-category', 'exam')] },
    ['Observation.category required'],
  ],
  [
    'a weight that is neither there nor missing for a reason',
    `${R5}bodyweight`,
    { ...WEIGHT, valueQuantity: undefined },
    ['Observation invariant'],
  ],
  [
    'a weight of a month',
    `${R5}bodyweight`,
    { ...WEIGHT, effectiveDateTime: '2026-11' },
    ['Observation.effective invariant'],
  ],
  [
    'a weight of some time',
    `${R5}bodyweight`,
    { ...WEIGHT, effectiveDateTime: undefined, effectiveTiming: { event: ['2026-11-21'] } },
    ['Observation.effective structure'],
  ],
  ['a blood pressure', `${R5}bp`, PRESSURE, []],
  [
    'a blood pressure with its mean',
    `${R5}bp`,
    { ...PRESSURE, component: [SYSTOLIC, DIASTOLIC, component('8478-0', 93)] },
    [],
  ],
  [
    'a blood pressure without diastolic',
    `${R5}bp`,
    { ...PRESSURE, component: [SYSTOLIC, component('8478-0', 93)] },
    ['Observation.component required'],
  ],
  [
    'a blood pressure with one component',
    `${R5}bp`,
    { ...PRESSURE, component: [SYSTOLIC] },
    ['Observation.component required', 'Observation.component required'],
  ],
  [
    'a blood pressure with two systolic',
    `${R5}bp`,
    { ...PRESSURE, component: [SYSTOLIC, SYSTOLIC, DIASTOLIC] },
    ['Observation.component structure'],
  ],
  [
    'a blood pressure with a value',
    `${R5}bp`,
    { ...PRESSURE, valueQuantity: quantity(1, '%') },
    ['Observation.value structure'],
  ],
  [
    'a systolic pressure without value or reason',
    `${R5}bp`,
    { ...PRESSURE, component: [{ code: loinc('8480-6') }, DIASTOLIC] },
    ['Observation.component[0] invariant'],
  ],
  [
    'a systolic pressure in another unit',
    `${R5}bp`,
    { ...PRESSURE, component: [{ ...SYSTOLIC, valueQuantity: quantity(16, 'kPa') }, DIASTOLIC] },
    [
      'Observation.component[0].value code-invalid',
      'Observation.component[0].value code-invalid',
      'Observation.component[0].value.code value',
    ],
  ],
]);

test('an error of a slice names the slice and the profile', () => {
  const issues = validateResource({
    ...PRESSURE,
    component: [SYSTOLIC, component('8478-0', 93)],
    meta: { profile: [`${R5}bp`] },
  });
  assert.deepEqual(
    issues.map(({ message }) => message),
    [
      `Observation.component must have at least one entry of the slice DiastolicBP (slice DiastolicBP of the profile ${R5}bp)`,
    ],
  );
});
