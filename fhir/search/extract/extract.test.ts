// Compares extracted values with the fhirpath package's evaluation of the published expressions, over the official
// examples; and tests the index rows of values.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import fhirpath from 'fhirpath';
import model from 'fhirpath/fhir-context/r5/index.js';
import { loadSearchParameters, type SearchParameter } from '../parameters/definitions.ts';
import { branchValues, parameterElements } from './branch-values.ts';
import { compartmentPatients, extractSearchValues } from './extract.ts';
import { nameKey, resourceKey, systemKey, urlKey } from './keys.ts';

const require = createRequire(import.meta.url);
const examples = dirname(require.resolve('hl7.fhir.r5.examples/package.json'));
const core = dirname(require.resolve('hl7.fhir.r5.core/package.json'));
const { score, ...rest } = model;
const R5 = score === undefined ? rest : { ...rest, score };
const parameters = loadSearchParameters();

type Json = Record<string, unknown>;

/** Errors of fhirpath: a uri is not a canonical, tiny numbers become equal, comparators throw. */
const FHIRPATH_ERRS =
  /^(ConceptMap\.(source|target)-scope-uri|Observation\.(combo|component)-value-quantity|Bundle\.(composition|message))$/;
const MANY_ALIKE =
  /^(?:Bundle|SearchParameter|ValueSet|CodeSystem|ConceptMap|StructureDefinition|OperationDefinition|Questionnaire-)/;

function readExamples(): Json[] {
  return readdirSync(examples)
    .filter((name) => /^[A-Z].*\.json$/.test(name))
    .filter((name, index) => !MANY_ALIKE.test(name) || index % 20 === 0)
    .map((name) => JSON.parse(readFileSync(join(examples, name), 'utf8')))
    .filter((resource) => typeof resource.resourceType === 'string');
}

function readExpressions(): Map<string, string> {
  const expressions = new Map<string, string>();
  for (const name of readdirSync(core).filter((file) => file.startsWith('SearchParameter-'))) {
    const { id, expression } = JSON.parse(readFileSync(join(core, name), 'utf8'));
    if (expression !== undefined) expressions.set(id, expression);
  }
  return expressions;
}

/** The part of a published expression for one type; undefined when fhirpath needs a server. */
function expressionFor(
  { id, resourceType, type, branches }: SearchParameter,
  all: Map<string, string>,
): string | undefined {
  const whole = all.get(id) ?? '';
  if (whole.includes('resolve()') || type === 'composite' || branches.length === 0 || branches[0]?.[0] === '$isTrue')
    return undefined;
  const parts = whole.split('|').filter((part) => new RegExp(`^\\s*\\(*${resourceType}\\.`).test(part));
  return parts.length === 0 ? undefined : parts.join('|');
}

function asSet(values: readonly unknown[]): string {
  return [...new Set(values.filter((value) => value !== null).map((value) => JSON.stringify(value)))].sort().join('\n');
}

test('extraction finds the values that fhirpath finds', () => {
  const expressions = readExpressions();
  const compiled = new Map<string, (resource: Json) => unknown[]>();
  const differing: string[] = [];
  let found = 0;
  for (const resource of readExamples()) {
    for (const parameter of parameters.forType(String(resource['resourceType'])).values()) {
      const name = `${parameter.resourceType}.${parameter.code}`;
      const expression = expressionFor(parameter, expressions);
      if (expression === undefined || FHIRPATH_ERRS.test(name)) continue;
      const evaluate =
        compiled.get(name) ?? (fhirpath.compile(expression, R5, { async: false }) as (resource: Json) => unknown[]);
      compiled.set(name, evaluate);
      const expected = asSet(evaluate(resource));
      if (expected !== '') found += 1;
      if (expected !== asSet(parameterElements(resource, parameter))) differing.push(`${name} of ${resource['id']}`);
    }
  }
  assert.deepEqual(differing, []);
  assert.ok(found > 7000, `only ${found} results compared`);
});

function rows(resource: Json) {
  return extractSearchValues(resource, parameters);
}

const key = (name: string) => nameKey(name);

test('references lead to a resource of this server, to another URL, or nowhere', () => {
  const targetOf = (reference: string) =>
    rows({ resourceType: 'Observation', subject: { reference } })
      .references.filter(({ param }) => param === key('Observation.subject'))
      .map(({ targetType, target }) => [targetType, target]);
  assert.deepEqual(targetOf('Patient/a'), [[key('Patient'), resourceKey('a')]]);
  assert.deepEqual(targetOf('Patient/a/_history/3'), [[key('Patient'), resourceKey('a')]]);
  assert.deepEqual(targetOf('https://x.org/fhir/Patient/a/_history/3'), [[0, urlKey('https://x.org/fhir/Patient/a')]]);
  assert.deepEqual(targetOf('urn:uuid:1'), [[0, urlKey('urn:uuid:1')]]);
  assert.deepEqual(targetOf('#contained'), []);
});

test('only references to a patient count for `patient`', () => {
  const of = (subject: Json) =>
    rows({ resourceType: 'Observation', subject }).references.filter(
      ({ param }) => param === key('Observation.patient'),
    ).length;
  assert.equal(of({ reference: 'Patient/a' }), 1);
  assert.equal(of({ reference: 'Group/a' }), 0);
  assert.equal(of({ reference: 'urn:uuid:1', type: 'Patient' }), 1);
});

test('the first value of an alternative expression is the one that counts', () => {
  const date = parameters.forType('Appointment').get('date');
  assert.ok(date);
  const dates = (resource: Json) => branchValues({ resourceType: 'Appointment', ...resource }, date).length;
  assert.equal(dates({ start: '2026-01-01T00:00:00Z', requestedPeriod: [{ start: '2025-01-01' }] }), 1);
  assert.equal(dates({ requestedPeriod: [{ start: '2025-01-01' }] }), 1);
});

test('a repeated value has one index row', () => {
  const coding = { system: 'urn:s', code: 'c' };
  const many = Array.from({ length: 40 }, () => ({ coding: [coding, coding] }));
  const found = rows({ resourceType: 'Observation', category: many }).tokens;
  assert.deepEqual(found, [{ param: key('Observation.category'), system: systemKey('urn:s'), code: 'c', mask: 0 }]);
});

const [FAMILY, GIVEN] = [1, 2];

test('a text that is also the beginning of a later word has one index row, with its exact form', () => {
  const names = (name: Json[]) =>
    rows({ resourceType: 'Patient', name })
      .strings.filter(({ param }) => param === key('Patient.name+'))
      .map(({ value, exact, mask }) => [value, exact, mask]);
  const expected = [
    ['ola lind', 'Ola Lind', 0],
    ['lind', 'Lind', FAMILY],
  ];
  assert.deepEqual(names([{ text: 'Ola Lind', family: 'Lind' }]), expected);
  assert.deepEqual(names([{ family: 'Lind' }, { text: 'Ola Lind' }]), expected.toReversed());
  assert.deepEqual(names([{ family: 'Lind' }, { family: 'LIND' }]), [
    ['lind', 'Lind', FAMILY],
    ['lind', 'LIND', FAMILY],
  ]);
  // The end of the family name is not a given name, and the given name not a whole family name.
  assert.deepEqual(names([{ family: 'von Essen', given: ['Essen'] }]), [
    ['von essen', 'von Essen', FAMILY],
    ['essen', undefined, FAMILY],
    ['essen', 'Essen', GIVEN],
  ]);
});

test('hundreds of distinct and of equal values have one row each', () => {
  const many = Array.from({ length: 600 }, (_, index) => ({ family: `n${index % 300}` }));
  const of = rows({ resourceType: 'Patient', name: many });
  assert.equal(of.strings.filter(({ param, mask }) => param === key('Patient.name+') && mask === FAMILY).length, 300);
  const canonicals = ['http://x.org/p|1', 'http://x.org/p', 'http://x.org/p|2', 'http://x.org/p'];
  const uris = rows({ resourceType: 'CarePlan', instantiatesCanonical: canonicals }).uris.map(({ value }) => value);
  assert.deepEqual(uris, ['http://x.org/p|1', 'http://x.org/p', 'http://x.org/p|', 'http://x.org/p|2']);
});

test('a text among hundreds has only the bits of parameters that have the whole text', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ text: `${count}x${index}` }));
  const before = [{ given: ['Ola Lind'] }, { given: ['Lind'] }];
  const name = [...many(70), ...before, ...many(60), { family: 'von Lind' }];
  const found = rows({ resourceType: 'Patient', name }).strings.filter(({ value }) => value === 'lind');
  const whole = found.filter(({ exact }) => exact === 'Lind');
  assert.deepEqual([...new Set(whole.map(({ mask }) => mask))], [GIVEN]);
  assert.ok(found.some(({ exact, mask }) => exact === undefined && (mask & FAMILY) !== 0));
  assert.equal(new Set(found.map((row) => JSON.stringify({ ...row, mask: 0 }))).size, found.length);
});

test('a resource is in the compartments of its patients', () => {
  const of = (resource: Json) => compartmentPatients(resource, parameters);
  assert.deepEqual(of({ resourceType: 'Patient', id: 'p' }), ['p']);
  assert.deepEqual(of({ resourceType: 'Observation', subject: { reference: 'Patient/p' } }), ['p']);
  assert.deepEqual(of({ resourceType: 'PlanDefinition', subjectReference: { reference: 'Patient/p' } }), []);
  const appointment = {
    resourceType: 'Appointment',
    participant: [{ actor: { reference: 'Patient/a' } }, { actor: { reference: 'Patient/b' } }],
  };
  assert.deepEqual(of(appointment), ['a', 'b']);
});

test('a group of many thousand patients is in the compartment of each, once', () => {
  const member = Array.from({ length: 30_000 }, (_, index) => ({
    entity: { reference: `Patient/p${index % 20_000}` },
  }));
  const { patients, references } = rows({ resourceType: 'Group', id: 'g', member });
  assert.deepEqual([patients.length, patients[0], patients.at(-1)], [20_000, 'p0', 'p19999']);
  assert.equal(references.filter(({ param }) => param === key('Group.$patient')).length, 20_000);
});

test('no two names have the same key', () => {
  const names = new Map<number, string>();
  for (const type of parameters.resourceTypes) {
    const codes = [...parameters.forType(type).keys()];
    const derived = codes.flatMap((code) => ['text', 'identifier', 'of-type'].map((name) => `${code}:${name}`));
    for (const name of [type, ...[...codes, ...derived, '$patient', '$named'].map((code) => `${type}.${code}`)]) {
      assert.equal(names.get(key(name)) ?? name, name);
      names.set(key(name), name);
    }
  }
  assert.ok(names.size > 10_000);
});

test("a client's id cannot collide with another id's UUID", () => {
  const guid = '019a0000-0000-7000-8000-000000000001';
  assert.equal(resourceKey(guid), guid);
  assert.notEqual(resourceKey('a'), resourceKey('b'));
  assert.notEqual(resourceKey(resourceKey('a')), resourceKey('a'));
  assert.notEqual(resourceKey(guid.toUpperCase()), guid);
});
