// The limit on the errors of a validation, and linear time for large bodies (docs/adr/0042).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import { readResourceText } from '../resources/resource-text.ts';
import { extractSearchValues } from '../search/extract/extract.ts';
import { loadSearchParameters } from '../search/parameters/definitions.ts';
import { OBSERVATION, PATIENT } from './broken-resources.ts';
import { MAX_ISSUES } from './issue-list.ts';
import { hasErrors, validateResource } from './validate.ts';

/** Work in quadratic time would take minutes. */
const timeout = 60_000;
const MANY = 150_000;

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

test('a validation ends with a hundred errors, the last of which says that there are more', () => {
  const issues = validateResource({ ...PATIENT, name: times(MANY, () => []) });
  assert.equal(issues.length, MAX_ISSUES);
  assert.equal(issues[98]?.field, 'Patient.name[98]');
  assert.deepEqual(issues.at(-1), {
    message: 'There are more errors than these 99: correct them and try again',
    code: 'informational',
    severity: 'information',
  });
});

test('ninety-nine errors are all of them', () => {
  const issues = validateResource({ ...PATIENT, name: times(99, () => []) });
  assert.equal(issues.length, 99);
  assert.ok(issues.every(({ code: issueCode }) => issueCode === 'structure'));
});

test('an error after any number of warnings refuses the resource, and is reported', () => {
  const claims = times(500, (at) => `http://example.org/fhir/StructureDefinition/unknown-${at}`);
  const warned = { ...PATIENT, meta: { profile: claims } };
  const only = validateResource(warned);
  assert.equal(only.length, MAX_ISSUES);
  assert.equal(hasErrors(only), false);
  const issues = validateResource({ ...warned, contained: [{ resourceType: 'Patient', active: true }] });
  assert.equal(issues.length, MAX_ISSUES);
  assert.ok(hasErrors(issues));
  assert.ok(issues.some(({ field }) => field === 'Patient.contained[0].id'));
});

test('input that an error repeats is cut', () => {
  const [issue] = validateResource({ ...PATIENT, [`x${'\u{1f600}'.repeat(100_000)}`]: true });
  assert.ok((issue?.message.length ?? 0) <= 2_001);
  assert.ok((issue?.field?.length ?? 0) <= 2_001);
  assert.ok(issue?.message.isWellFormed());
});

test('a member with many duplicates is refused with a hundred places', () => {
  const text = `{"resourceType":"Patient"${',"active":true'.repeat(300_000)}}`;
  assert.throws(
    () => readResourceText(text),
    (error) => error instanceof ServiceError && error.code === 'invalid_request' && error.issues.length === MAX_ISSUES,
  );
});

test('repeated members are named by their places, at every depth', () => {
  const text = '{"resourceType":"Patient","name":[{"use":"usual"},{"given":["a","b"],"use":"x","use":"y"}],"name":[]}';
  assert.throws(
    () => readResourceText(text),
    (error) => {
      assert.ok(error instanceof ServiceError);
      assert.deepEqual(
        error.issues.map(({ field }) => field),
        ['name[1].use', 'name'],
      );
      return true;
    },
  );
});

test('millions of brackets are refused before they are read as JSON', { timeout }, () => {
  for (const text of ['['.repeat(20_000_000), `{"a":${'['.repeat(20_000_000)}`, '[1,'.repeat(5_000_000)]) {
    assert.throws(() => readResourceText(text), /nests deeper than 256 levels/);
  }
});

test('brackets in strings do not count as depth', () => {
  const read = readResourceText(JSON.stringify({ resourceType: 'Basic', text: `${'[{'.repeat(3_000)}\\"[[` }));
  assert.equal(read.resourceType, 'Basic');
});

test('many codings of an observation and its components', { timeout }, () => {
  const coding = times(MANY, (at) => ({ system: 'http://example.org/codes', code: `a${at}` }));
  const component = times(MANY, (at) => ({
    code: { coding: [{ system: 'http://example.org/codes', code: `b${at}` }] },
  }));
  assert.deepEqual(validateResource({ ...OBSERVATION, code: { coding }, component }), []);
  const same = { code: { coding: [{ code: 'a7', system: 'http://example.org/codes' }] } };
  const issues = validateResource({ ...OBSERVATION, code: { coding }, component: [...component, same] });
  assert.match(issues[0]?.message ?? '', /obs-7/);
});

test('many answers of a questionnaire', { timeout }, () => {
  const item = times(MANY, (at) => ({ linkId: `${at}`, answer: [{ valueBoolean: true }] }));
  const response = {
    resourceType: 'QuestionnaireResponse',
    questionnaire: 'http://example.org/q',
    status: 'completed',
    item: [{ linkId: 'all', item }],
  };
  assert.deepEqual(validateResource(response), []);
});

test('many references to many contained resources', { timeout }, () => {
  const count = 30_000;
  const contained = times(count, (at) => ({
    resourceType: 'Observation',
    id: `o${at}`,
    status: 'final',
    code: { text: 'a' },
  }));
  const hasMember = times(count, (at) => ({ reference: `#o${at}` }));
  const meta = { profile: ['http://hl7.org/fhir/StructureDefinition/vitalspanel'] };
  const issues = validateResource({ ...OBSERVATION, meta, contained, hasMember });
  assert.ok(issues.length > 0);
});

test('the index takes any number of rows, and of combinations a bounded one', { timeout }, () => {
  const parameters = loadSearchParameters('http://example.org/fhir');
  const coding = times(MANY, (at) => ({ system: 'http://example.org/codes', code: `a${at}` }));
  const values = extractSearchValues(
    { ...OBSERVATION, code: { coding }, valueQuantity: undefined, valueCodeableConcept: { coding } },
    parameters,
  );
  assert.equal(values.tokens.length, 2 * MANY + 1, 'the status too');
  assert.ok(values.composites.length > MANY, 'each code is there with its date');
});
