// Numbers as written: noted beside their objects, and checked by the validator.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readResourceText } from '../resources/resource-text.ts';
import { validateResource } from '../validation/validate.ts';
import { countDigits, writtenNumbers } from './written-numbers.ts';

const issuesOf = (text: string): (string | undefined)[] =>
  validateResource(readResourceText(text).resource).map(({ field }) => field);
const observation = (value: string, more = ''): string =>
  `{"resourceType":"Observation","status":"final","code":{"text":"1.0, 2e3"},"valueQuantity":{"value":${value}}${more}}`;
const patient = (multiple: string): string => `{"resourceType":"Patient","multipleBirthInteger":${multiple}}`;

test('decimals have at most 18 digits; zeros before them and exponents do not count', () => {
  for (const right of [
    '1.0',
    '1e3',
    '123456789012345678',
    '0.00000000000000000001',
    '-1234567890.12345678',
    '1.5E-200',
  ])
    assert.deepEqual(issuesOf(observation(right)), [], right);
  for (const wrong of ['1234567890123456789', '1.234567890123456789', '1234567890123456789e-5'])
    assert.deepEqual(issuesOf(observation(wrong)), ['Observation.value.value'], wrong);
  assert.deepEqual(['0', '-0.010', '00', '12.50e10'].map(countDigits), [1, 2, 1, 4]);
});

test('whole numbers are written as such', () => {
  for (const right of ['0', '1', '-7', '2147483647']) assert.deepEqual(issuesOf(patient(right)), [], right);
  for (const wrong of ['1.0', '1e0', '-0', '10E-1', '2.00'])
    assert.deepEqual(issuesOf(patient(wrong)), ['Patient.multipleBirth'], wrong);
});

test('each error names its place, also in lists, contained resources and entries', () => {
  const contained = `,"contained":[${patient('1.0').replace('{', '{"id":"p",')}],"subject":{"reference":"#p"}`;
  assert.deepEqual(issuesOf(observation('7', contained)), ['Observation.contained[0].multipleBirth']);
  const entry = (text: string): string =>
    `{"fullUrl":"urn:uuid:0190aaaa-0000-7000-8000-000000000001","resource":${text}}`;
  const bundle = `{"resourceType":"Bundle","total":3,"type":"collection","entry":[${entry(patient('1.0'))},{"resource":${patient('1')}},{"resource":${patient('3.0')}}]}`;
  assert.deepEqual(
    issuesOf(bundle).filter((field) => field?.includes('multipleBirth')),
    ['Bundle.entry[0].resource.multipleBirth', 'Bundle.entry[2].resource.multipleBirth'],
  );
  const claim = '{"resourceType":"Claim","item":[{"sequence":1,"careTeamSequence":[1,2.0,3]}]}';
  assert.ok(issuesOf(claim).includes('Claim.item[0].careTeamSequence[1]'));
});

test('the ends of a range are as exact as they are written', () => {
  const range = ([low, high]: readonly [low: string, high: string]): string =>
    `{"resourceType":"Observation","status":"final","code":{"text":"a"},"valueRange":{"low":{"value":${low}},"high":{"value":${high}}}}`;
  for (const rounded of [
    ['5', '4'],
    ['5.5', '5.4'],
    ['1.6e1', '15'],
    ['-4', '-5'],
    ['1e2', '60'],
  ] as const)
    assert.deepEqual(issuesOf(range(rounded)), ['Observation.value.low'], String(rounded));
  for (const wrong of [
    ['5.0', '4.0'],
    ['1.50e-1', '1.45e-1'],
    ['5.50', '5.40'],
    ['5', '3'],
    ['1.60e1', '15.0'],
    ['-4.0', '-5.0'],
  ] as const)
    assert.deepEqual(issuesOf(range(wrong)), ['Observation.value'], String(wrong));
});

test('members with numeric names, which JSON.parse moves, give no wrong note', () => {
  const { resource } = readResourceText('{"resourceType":"Patient","a":[1.0,2],"7":5,"b":{"c":3.0}}');
  assert.equal(writtenNumbers(resource), undefined);
  const texts = ['{"resourceType":"Patient","a":1,"b":[[2.0],{"c":3.0}]}'].map(
    (text) => readResourceText(text).resource,
  );
  assert.deepEqual(writtenNumbers(texts[0] ?? {}), [{ name: 'b', index: 0, text: '2.0' }]);
});
