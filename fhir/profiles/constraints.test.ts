// Invariants of users' profiles that read beyond the value: memberOf() and resolve() are evaluated where possible, and
// reported otherwise (docs/reference/engine/validation.md).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectCodes } from '#fhir/terminology/code-selection.ts';
import { validateResource } from '../validation/validate.ts';
import { EXAMPLE, type Json, profileOf, registryOf } from './test-profiles.ts';

const rule = (key: string, expression: string): Json => ({
  constraint: [{ key, severity: 'error', human: `Rule ${key}`, expression }],
});
const profiles = registryOf([
  profileOf('status', 'Observation', {
    Observation: {},
    'Observation.status': rule('m-1', "memberOf('http://hl7.org/fhir/ValueSet/observation-status')"),
    'Observation.code': rule('m-2', "memberOf('http://example.org/ValueSet/codes')"),
    'Observation.method': rule('m-3', "memberOf('http://example.org/ValueSet/nowhere')"),
    'Observation.category': rule('m-4', "coding.memberOf('http://example.org/ValueSet/codes')"),
    'Observation.bodySite': rule('m-5', "coding.first().display.toInteger() > 'a'"),
  }),
  profileOf('active', 'Observation', {
    Observation: {},
    'Observation.subject': rule('r-1', 'resolve().active = true'),
    'Observation.performer': rule('r-2', 'resolve() is Practitioner or resolve() is Organization'),
    'Observation.focus': rule('r-3', 'resolve().ofType(Patient).active.exists()'),
    'Observation.encounter': rule('r-4', "reference.resolve().status = 'completed'"),
  }),
]);
const valueSets = {
  find: (canonical: string) =>
    canonical === 'http://example.org/ValueSet/codes' ? selectCodes('urn:test', ['a', 'b']) : undefined,
  hasCode: () => false,
};
const coded = (code: string, system = 'urn:test'): Json => ({ coding: [{ system, code }] });
const claiming = (name: string, changes: Json): Json => ({
  resourceType: 'Observation',
  meta: { profile: [EXAMPLE + name] },
  status: 'final',
  code: coded('a'),
  ...changes,
});

function foundIssues(resource: unknown): string[] {
  return validateResource(resource, { profiles, valueSets })
    .filter(({ message }) => message.includes(EXAMPLE))
    .map(({ field, code: issueCode, severity }) => `${severity === 'warning' ? '?' : ''}${field} ${issueCode}`);
}

test('memberOf() is evaluated for codes, Codings and concepts; an unknown value set gives a warning with the reason', () => {
  assert.deepEqual(foundIssues(claiming('status', {})), []);
  assert.deepEqual(foundIssues(claiming('status', { code: coded('c') })), ['Observation.code invariant']);
  assert.deepEqual(foundIssues(claiming('status', { code: coded('a', 'urn:other') })), ['Observation.code invariant']);
  assert.deepEqual(foundIssues(claiming('status', { category: [coded('a'), coded('c')] })), [
    'Observation.category[1] invariant',
  ]);
  const unknown = claiming('status', { method: coded('x') });
  assert.deepEqual(foundIssues(unknown), ['?Observation.method not-supported']);
  const [warning] = validateResource(unknown, { profiles, valueSets });
  assert.match(
    warning?.message ?? '',
    /constraint m-3, which was not checked: the codes of http:\/\/example.org\/ValueSet\/nowhere/,
  );
});

test('an expression that cannot be evaluated gives a warning', () => {
  const two = {
    coding: [
      { system: 'urn:test', code: 'a' },
      { system: 'urn:test', code: 'b' },
    ],
  };
  assert.deepEqual(foundIssues(claiming('status', { category: [two] })), ['?Observation.category[0] not-supported']);
  const resource = claiming('status', { bodySite: { coding: [{ code: 'a', display: '1' }] } });
  assert.deepEqual(foundIssues(resource), ['?Observation.bodySite not-supported']);
});

const patient = (id: string, active: boolean): Json => ({ resourceType: 'Patient', id, active });

test('resolve() finds contained resources and entries of the bundle', () => {
  const contained = (active: boolean): Json =>
    claiming('active', { contained: [patient('p', active)], subject: { reference: '#p' } });
  assert.deepEqual(foundIssues(contained(true)), []);
  assert.deepEqual(foundIssues(contained(false)), ['Observation.subject invariant']);
  const bundle = (reference: string, active: boolean): Json => ({
    resourceType: 'Bundle',
    type: 'collection',
    entry: [
      { fullUrl: 'urn:uuid:7a1d4c0e-0000-4000-8000-000000000001', resource: patient('p', active) },
      { fullUrl: 'http://example.org/Observation/o', resource: claiming('active', { subject: { reference } }) },
    ],
  });
  for (const reference of ['urn:uuid:7a1d4c0e-0000-4000-8000-000000000001', 'Patient/p']) {
    assert.deepEqual(foundIssues(bundle(reference, true)), [], reference);
    assert.deepEqual(foundIssues(bundle(reference, false)), ['Bundle.entry[1].resource.subject invariant'], reference);
  }
  const encounter = { resourceType: 'Encounter', id: 'e', status: 'planned' };
  const visited = claiming('active', { contained: [encounter], encounter: { reference: '#e' } });
  assert.deepEqual(foundIssues(visited), ['Observation.encounter invariant']);
});

test('of an unavailable target only the type is known', () => {
  const performed = (reference: Json): Json => claiming('active', { performer: [reference] });
  assert.deepEqual(foundIssues(performed({ reference: 'Practitioner/a' })), []);
  assert.deepEqual(foundIssues(performed({ reference: 'Patient/a' })), ['Observation.performer[0] invariant']);
  assert.deepEqual(foundIssues(performed({ reference: 'http://a.example/Patient/a_b' })), [
    'Observation.performer[0] invariant',
  ]);
  const searched = {
    resourceType: 'Bundle',
    type: 'batch',
    entry: [
      { resource: performed({ reference: 'Patient?identifier=a' }), request: { method: 'POST', url: 'Observation' } },
    ],
  };
  assert.deepEqual(foundIssues(searched), ['Bundle.entry[0].resource.performer[0] invariant']);
  assert.deepEqual(
    foundIssues(performed({ reference: 'urn:uuid:7a1d4c0e-0000-4000-8000-000000000009', type: 'Organization' })),
    [],
  );
  assert.deepEqual(foundIssues(performed({ reference: 'urn:uuid:7a1d4c0e-0000-4000-8000-000000000009' })), [
    '?Observation.performer[0] not-supported',
  ]);
  assert.deepEqual(foundIssues(claiming('active', { subject: { reference: 'Patient/a' } })), [
    '?Observation.subject not-supported',
  ]);
  assert.deepEqual(foundIssues(claiming('active', { focus: [{ reference: 'Patient/a' }] })), [
    '?Observation.focus[0] not-supported',
  ]);
  assert.deepEqual(foundIssues(claiming('active', { subject: { display: 'somebody' } })), []);
});

test("R5's own rules that follow references are evaluated where possible", () => {
  const found = validateResource({
    resourceType: 'Encounter',
    status: 'planned',
    participant: [{ actor: { reference: 'Patient/p' }, type: [{ text: 'attender' }] }],
  });
  assert.deepEqual(
    found.map(({ field, code: issueCode }) => `${field} ${issueCode}`),
    ['Encounter.participant[0] invariant'],
  );
});

test('regular expressions of a profile are run in linear time, however they are written', { timeout: 30_000 }, () => {
  const slow = registryOf([
    profileOf('slow', 'Observation', {
      Observation: {},
      'Observation.code.text': {
        constraint: [
          ['l-1', "matches('^(a+)+$')"],
          ['l-2', "matches('^(a+)+' + '$')"],
          ['l-3', "matchesFull('(a|aa)+')"],
          ['l-4', "replaceMatches('(a+)+$', '').length() < 3"],
        ].map(([key, expression]) => ({ key, severity: 'error', human: `Rule ${key}`, expression })),
      },
    }),
  ]);
  const issuesOf = (text: string) =>
    validateResource(claiming('slow', { code: { text } }), { profiles: slow }).map(
      ({ message }) => /l-\d/.exec(message)?.[0],
    );
  assert.deepEqual(issuesOf('a'.repeat(40)), []);
  assert.deepEqual(issuesOf(`${'a'.repeat(60)}!`), ['l-1', 'l-2', 'l-3', 'l-4']);
});

test('strings of an expression grow no longer than a resource may be', { timeout: 30_000 }, () => {
  const grown = ".replace('a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')".repeat(8);
  const growing = registryOf([
    profileOf('growing', 'Observation', {
      Observation: {},
      'Observation.code.text': rule('g-1', `('a'${grown}).length() > 0`),
    }),
  ]);
  const [issue, ...others] = validateResource(claiming('growing', { code: { text: 'a' } }), { profiles: growing });
  assert.equal(others.length, 0);
  assert.equal(issue?.severity, 'warning');
  assert.match(issue?.message ?? '', /g-1, which was not checked: .*replace\(\) makes a text of more than/);
});
