// Documents and messages: the resources that their first entry names are in the same bundle
// (hl7.org/fhir/R5/documents.html#content, messaging.html).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from './broken-resources.ts';
import { validateResource } from './validate.ts';

const SERVER = 'http://a.example/fhir';
const PATIENT = { resourceType: 'Patient', id: 'p' };
const to = (reference: string): Json => ({ reference });
const entry = (
  resource: Json,
  fullUrl = `${SERVER}/${String(resource['resourceType'])}/${String(resource['id'])}`,
) => ({
  fullUrl,
  resource,
});
const composition = (changes: Json): Json => ({
  resourceType: 'Composition',
  id: 'c',
  status: 'final',
  type: { text: 'a' },
  date: '2026',
  author: [{ display: 'A' }],
  title: 'A',
  ...changes,
});
const document = (changes: Json, ...entries: Json[]): Json => ({
  resourceType: 'Bundle',
  type: 'document',
  identifier: { system: 'urn:ietf:rfc:3986', value: 'urn:oid:1.2' },
  timestamp: '2026-11-23T10:00:00Z',
  entry: [entry(composition(changes)), ...entries],
});
const header = (...focus: Json[]): Json => ({
  resourceType: 'MessageHeader',
  id: 'm',
  eventCanonical: 'http://a.example/event',
  source: { endpointUrl: 'http://a.example' },
  focus,
});
const message = (first: Json, ...entries: Json[]): Json => ({
  resourceType: 'Bundle',
  type: 'message',
  entry: [entry(first), ...entries],
});
const section = (...sections: Json[]): Json => ({ title: 'A', section: sections });
const PARTS: Json = {
  subject: [to('Patient/p')],
  encounter: to('Encounter/e'),
  author: [to('Practitioner/a')],
  attester: [{ mode: { text: 'a' } }, { mode: { text: 'a' }, party: to('Practitioner/b') }],
  custodian: to('Organization/o'),
  event: [{ detail: [{ concept: { text: 'a' } }, { reference: to('Procedure/r') }] }],
  section: [section({ title: 'A', author: [to('Practitioner/d')], focus: to('Group/g'), entry: [to('List/l')] })],
};

/** [what, the bundle, the place of each error below the first entry's resource] */
const CASES: readonly (readonly [what: string, resource: Json, ...places: string[]])[] = [
  [
    'a document of which nothing is there',
    document(PARTS),
    ...['subject[0]', 'encounter', 'author[0]', 'attester[1].party', 'custodian', 'event[0].detail[1].reference'],
    ...['author[0]', 'focus', 'entry[0]'].map((place) => `section[0].section[0].${place}`),
  ],
  ['a document with its patient', document({ subject: [to('Patient/p')] }, entry(PATIENT))],
  ['by an address', document({ subject: [to(`${SERVER}/Patient/p`)] }, entry(PATIENT))],
  ['by a version', document({ subject: [to('Patient/p/_history/3')] }, entry(PATIENT))],
  ['by a placeholder', document({ subject: [to('urn:oid:1.2.3')] }, entry(PATIENT, 'urn:oid:1.2.3'))],
  [
    'by an address of another server',
    document({ subject: [to('http://b.example/Patient/p')] }, entry(PATIENT)),
    'subject[0]',
  ],
  ['by an identifier alone', document({ subject: [{ identifier: { value: 'a' } }] })],
  ['what is contained', document({ contained: [PATIENT], subject: [to('#p')] })],
  [
    'what what is named names',
    document({ subject: [to('Patient/p')] }, entry({ ...PATIENT, managingOrganization: to('Organization/o') })),
  ],
  ['a message with its data', message(header(to('Patient/p')), entry(PATIENT))],
  ['a message without its data', message(header(to('Patient/p'), to('Patient/q')), entry(PATIENT)), 'focus[1]'],
  ['the sender of a message', message({ ...header(to('Patient/p')), sender: to('Organization/o') }, entry(PATIENT))],
  ['a composition in a collection', { ...document(PARTS), type: 'collection' }],
  [
    'a document within a collection',
    { resourceType: 'Bundle', type: 'collection', entry: [entry({ ...document({}), id: 'd' })] },
  ],
];

for (const [what, resource, ...places] of CASES) {
  test(`${what}: ${places.length === 0 ? 'accepted' : 'reported'}`, () => {
    const found = validateResource(resource).map(({ field, code: issue }) => `${issue} ${field}`);
    assert.deepEqual(
      found.sort(),
      places.map((place) => `not-found Bundle.entry[0].resource.${place}.reference`).sort(),
    );
  });
}

test('the same rules apply to a document within another bundle', () => {
  const inner = { ...document({ subject: [to('Patient/p')] }), id: 'd' };
  const outer = { resourceType: 'Bundle', type: 'collection', entry: [entry(inner), entry(PATIENT)] };
  assert.deepEqual(
    validateResource(outer).map(({ field }) => field),
    ['Bundle.entry[0].resource.entry[0].resource.subject[0].reference'],
  );
});

test('documents, messages and notifications begin with the required first entry', () => {
  const issues = (resource: Json) =>
    validateResource(resource).map(({ message }) => /\((bdl-\d+\w?)\)$/.exec(message)?.[1]);
  const whole = document({});
  assert.deepEqual(issues({ ...whole, entry: [] }).includes('bdl-11'), true);
  assert.deepEqual(issues({ ...whole, entry: undefined }), ['bdl-11']);
  assert.deepEqual(issues({ ...whole, entry: [entry(PATIENT)] }), ['bdl-11']);
  assert.deepEqual(issues({ resourceType: 'Bundle', type: 'message' }), ['bdl-12']);
  assert.deepEqual(issues({ resourceType: 'Bundle', type: 'subscription-notification' }), ['bdl-13']);
  assert.deepEqual(issues({ resourceType: 'Bundle', type: 'history' }), []);
});
