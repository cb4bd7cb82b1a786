// References, code syntax, bundles, CapabilityStatements and OperationOutcomes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf, ServiceError } from '#lib/errors.ts';
import { r5Definitions } from '../definitions/definitions.ts';
import { isLanguageTag, isMediaType, isUcumSyntax } from '../primitives/code-syntax.ts';
import { validateResource } from '../validation/validate.ts';
import { collectionBundle, searchsetBundle } from './bundle.ts';
import { capabilityStatement } from './capability-statement.ts';
import { outcomeOfError, outcomeOfIssues } from './operation-outcome.ts';
import { literalType, parseReference, relativeReference } from './references.ts';
import { isResourceOf } from './types.ts';

test('references are read in each of their forms', () => {
  assert.deepEqual(parseReference('Patient/a-1'), { kind: 'relative', type: 'Patient', id: 'a-1', version: undefined });
  assert.deepEqual(parseReference('Patient/a/_history/2'), {
    kind: 'relative',
    type: 'Patient',
    id: 'a',
    version: '2',
  });
  assert.deepEqual(parseReference('https://x.se/fhir/r5/Patient/a/_history/2'), {
    kind: 'absolute',
    base: 'https://x.se/fhir/r5',
    type: 'Patient',
    id: 'a',
    version: '2',
  });
  assert.deepEqual(parseReference('#p'), { kind: 'contained', id: 'p' });
  assert.deepEqual(parseReference('#'), { kind: 'contained', id: '' });
  assert.deepEqual(parseReference('urn:uuid:1'), { kind: 'uri', uri: 'urn:uuid:1' });
  assert.deepEqual(parseReference('https://x.se/Patient'), { kind: 'uri', uri: 'https://x.se/Patient' });
  assert.deepEqual(parseReference('Patient?identifier=a|b'), {
    kind: 'conditional',
    type: 'Patient',
    query: 'identifier=a|b',
  });
});

test('a text without the form of a reference is not parsed', () => {
  const texts = [
    '',
    ' ',
    'Patient',
    'Patient/',
    'Patient/a b',
    'Patient/a_b',
    'patient/a',
    'Patient/a/b',
    'Nothing/a',
    '/Patient/a',
  ];
  for (const text of [...texts, 'Patient/a/_history', 'Patient/a/_history/1/2', '#a/b', 'Nothing?a=b', 'x']) {
    assert.equal(parseReference(text), undefined, text);
  }
});

test('the type of a reference, and a relative reference', () => {
  assert.equal(literalType('https://x.se/Patient/1'), 'Patient');
  assert.equal(literalType('#p'), undefined);
  assert.equal(relativeReference('Patient', '1'), 'Patient/1');
  assert.equal(relativeReference('Patient', '1', '2'), 'Patient/1/_history/2');
});

test('codes are checked by their syntax', () => {
  for (const tag of ['sv', 'en-GB', 'zh-Hant-TW', 'de-CH-1996', 'x-klingon', 'sl-rozaj-biske', 'en-a-bbb-x-a']) {
    assert.ok(isLanguageTag(tag), tag);
  }
  for (const tag of ['', 's', 'sv_SE', 'sv-', 'english language', 'e1']) assert.ok(!isLanguageTag(tag), tag);
  for (const type of ['application/pdf', 'text/plain; charset=utf-8', 'xml']) assert.ok(isMediaType(type), type);
  for (const type of ['pdf', 'text/', '/x', 'a b/c']) assert.ok(!isMediaType(type), type);
  for (const unit of ['mg/dL', '10*9/L', '{beats}/min', 'mm[Hg]', '(a.b)/c']) assert.ok(isUcumSyntax(unit), unit);
  for (const unit of ['', 'mg dL', 'mm[Hg', 'a)', '{a{b}}', 'å']) assert.ok(!isUcumSyntax(unit), unit);
});

const patient = { resourceType: 'Patient', id: 'a' } as const;
const fullUrl = 'https://x.se/fhir/Patient/a';

test('built bundles are valid R5', () => {
  const self = 'https://x.se/fhir/Patient?name=a';
  const page = searchsetBundle({ total: 2, self, next: `${self}&_cursor=1` }, [
    { resource: patient, fullUrl, mode: 'match' },
  ]);
  assert.deepEqual(validateResource(page), []);
  assert.equal(page.link?.length, 2);
  assert.deepEqual(validateResource(searchsetBundle({ self }, [])), []);
  assert.deepEqual(validateResource(collectionBundle('2026-11-21T10:00:00Z', [{ resource: patient, fullUrl }])), []);
  assert.deepEqual(validateResource(collectionBundle('2026-11-21T10:00:00Z', [])), []);
});

test('a capability statement of every type is valid R5', () => {
  const statement = capabilityStatement({
    title: 'Kedja engine',
    softwareVersion: '0.1.0',
    date: '2026-11-21',
    baseUrl: 'https://x.se/engine/fhir',
    security: 'Bearer tokens',
    systemInteractions: ['transaction', 'batch'],
    commonParameters: [{ name: '_id', type: 'token', documentation: 'Logical id' }],
    operations: [{ name: 'convert', definition: 'http://x.se/OperationDefinition/convert' }],
    types: r5Definitions().resourceTypes.map((type) => ({
      type,
      interactions: ['read', 'vread', 'patch', 'search-type'],
      conditionalRead: 'full-support',
      conditionalCreate: true,
      conditionalDelete: 'single',
      versioning: 'versioned-update',
      searchParameters: [{ name: 'identifier', type: 'token', definition: 'http://x.se/SearchParameter/identifier' }],
    })),
  });
  assert.deepEqual(validateResource(JSON.parse(JSON.stringify(statement))), []);
  assert.equal(statement.rest?.[0]?.resource?.length, 158);
  assert.equal(statement.rest?.[0]?.resource?.[0]?.readHistory, true);
  assert.equal(statement.rest?.[0]?.resource?.[0]?.conditionalRead, 'full-support');
  assert.equal(statement.patchFormat?.length, 2);
});

test('a capability statement of almost nothing has no empty arrays', () => {
  const statement = capabilityStatement({
    title: 'Kedja dispatch',
    softwareVersion: '0.1.0',
    date: '2026-11-21',
    baseUrl: 'https://x.se/dispatch',
    security: 'Bearer tokens',
    types: [{ type: 'Patient', interactions: ['read'] }],
  });
  assert.deepEqual(validateResource(statement), []);
  assert.equal(statement.patchFormat, undefined);
});

test('a resource is narrowed by its resourceType', () => {
  assert.ok(isResourceOf(patient, 'Patient'));
  for (const other of [{ resourceType: 'Basic' }, null, 'Patient', {}]) assert.ok(!isResourceOf(other, 'Patient'));
});

test('of hundreds of thousands of errors a hundred are shown, the last saying how many more there are', async () => {
  const issues = Array.from({ length: 300_000 }, (_, index) => ({ message: `error ${index}` }));
  const error = new ServiceError('unprocessable', messageOf(issues), { issues });
  assert.equal(error.issues.length, 100);
  assert.deepEqual(error.issues.at(-1), {
    message: 'and 299901 more',
    severity: 'information',
    code: 'informational',
  });
  assert.ok(error.message.endsWith('error 98; and 299901 more'));
  assert.deepEqual(validateResource(outcomeOfError(error)), []);
  assert.equal(outcomeOfIssues(issues).issue.length, 100);
});

test('an error after many warnings is shown, and repeated input in a message is cut', () => {
  const warnings = Array.from({ length: 150 }, (_, index) => ({ message: `${index}`, severity: 'warning' as const }));
  const outcome = outcomeOfIssues([...warnings, { message: 'x'.repeat(300_000), field: 'y'.repeat(300_000) }]);
  assert.equal(outcome.issue[0]?.severity, 'error');
  assert.deepEqual([outcome.issue[0]?.details.text.length, outcome.issue[0]?.expression?.[0]?.length], [2000, 2000]);
  assert.deepEqual([outcome.issue.length, outcome.issue.at(-1)?.details.text], [100, 'and 52 more']);
});
