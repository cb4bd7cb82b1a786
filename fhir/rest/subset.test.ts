// _summary and _elements wherever resources are answered; what is shown in part is not taken back as a whole.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';

const { call } = await startFhirRest({ after }, ['Patient', 'Observation', 'Bundle']);
const div = '<div xmlns="http://www.w3.org/1999/xhtml">Maj Berg</div>';
const patient = {
  resourceType: 'Patient',
  id: 'p',
  text: { status: 'generated', div },
  implicitRules: 'http://x.org/rules',
  active: true,
  name: [{ use: 'official', family: 'Berg', given: ['Maj'], _given: [{ id: 'g' }] }, { text: 'Maja' }],
  birthDate: '1950-02-03',
  _birthDate: { extension: [{ url: 'http://x.org/e', valueString: 'x' }] },
  deceasedBoolean: false,
  contact: [{ gender: 'male', telecom: [{ system: 'phone', value: '1' }] }],
  communication: [{ language: { coding: [{ system: 'urn:ietf:bcp:47', code: 'sv' }] }, preferred: true }],
};
const made = await call('PUT', '/Patient/p', { body: patient });
assert.equal(made.status, 201, made.text);

type Shown = Record<string, unknown> & { meta: { tag?: unknown[] } };
const places: readonly [name: string, path: string, ofBody: (body: never) => Shown][] = [
  ['read', '/Patient/p', (body: Shown) => body],
  ['vread', '/Patient/p/_history/1', (body: Shown) => body],
  ['search', '/Patient?_id=p', (body: { entry: { resource: Shown }[] }) => body.entry[0]?.resource as Shown],
  ['history', '/Patient/p/_history', (body: { entry: { resource: Shown }[] }) => body.entry[0]?.resource as Shown],
  ['history of all', '/_history', (body: { entry: { resource: Shown }[] }) => body.entry[0]?.resource as Shown],
  [
    'everything',
    '/Patient/p/$everything',
    (body: { entry: { resource: Shown }[] }) => body.entry[0]?.resource as Shown,
  ],
];
const SUBSETTED = 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue';

async function shown(query: string): Promise<Shown> {
  const found: Shown[] = [];
  for (const [name, path, ofBody] of places) {
    const { body, status, text } = await call('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`);
    assert.equal(status, 200, `${name}: ${text}`);
    found.push(ofBody(body as never));
  }
  const [first, ...others] = found;
  for (const [index, other] of others.entries()) assert.deepEqual(other, first, places[index + 1]?.[0] ?? '');
  return first as Shown;
}
const keys = (resource: Shown) => Object.keys(resource).slice(3);

test('every kind of summary, the same in every answer', async () => {
  const summary = await shown('_summary=true');
  assert.deepEqual(keys(summary), ['implicitRules', 'active', 'name', 'birthDate', '_birthDate', 'deceasedBoolean']);
  assert.deepEqual(summary.meta.tag, [{ system: SUBSETTED, code: 'SUBSETTED' }]);
  assert.deepEqual(keys(await shown('_summary=text')), ['text', 'implicitRules', 'active', 'deceasedBoolean']);
  const data = await shown('_summary=data');
  assert.deepEqual([data['text'], data['contact']], [undefined, patient.contact]);
  const whole = await shown('_summary=false');
  assert.deepEqual([keys(whole).length, whole.meta.tag], [Object.keys(patient).length - 2, undefined]);
});

test('_elements: names, names with their type, paths below, choices; what is mandatory or modifies stays', async () => {
  const modifiers = ['implicitRules', 'active', 'deceasedBoolean'];
  const names = async (query: string) =>
    keys(await shown(`_elements=${query}`)).filter((name) => !modifiers.includes(name));
  assert.deepEqual(await names('birthDate'), ['birthDate', '_birthDate']);
  assert.deepEqual(await names('Patient.contact,Observation.code'), ['contact']);
  assert.deepEqual(await names('nothing'), []);
  assert.ok(keys(await shown('_elements=deceasedBoolean')).includes('deceasedBoolean'));
  const below = await shown('_elements=name.family,Patient.contact.telecom.value,communication.preferred');
  assert.deepEqual(below['name'], [{ use: 'official', family: 'Berg' }]);
  assert.deepEqual(below['contact'], [{ telecom: [{ value: '1' }] }]);
  assert.deepEqual(below['communication'], patient.communication);
});

test('_summary=count counts what a search finds; elsewhere there is nothing to count', async () => {
  const { body } = await call('GET', '/Patient?_summary=count');
  assert.deepEqual([body.total, body.entry], [1, undefined]);
  for (const path of ['/Patient/p/_history', '/Patient/_history', '/_history']) {
    assert.equal((await call('GET', `${path}?_summary=count`)).status, 400, path);
    assert.equal((await call('GET', `${path}?_summary=some`)).status, 400, path);
  }
});

test('what was shown in part is not taken for the whole', async () => {
  const part = (await call('GET', '/Patient/p?_elements=name')).body;
  const refused = await call('PUT', '/Patient/p', { body: part });
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.body.issue[0].expression, ['Patient.meta.tag']);
  const entry = [{ resource: part, request: { method: 'PUT', url: 'Patient/p' } }];
  for (const type of ['transaction', 'batch']) {
    const answer = await call('POST', '/', { body: { resourceType: 'Bundle', type, entry } });
    assert.match(answer.text, /SUBSETTED/);
  }
  assert.equal((await call('GET', '/Patient/p')).body.meta.versionId, '1');
});
