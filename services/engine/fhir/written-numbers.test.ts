// Every write validates a number as it was written (hl7.org/fhir/R5/datatypes.html#integer, #decimal). `1.0` is not an
// integer, and 19 digits are not a decimal, although their JavaScript values would be valid.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PATIENT, startTestEngine } from '#test/support/engine/engine.ts';

const engine = await startTestEngine({ after });
const { call } = engine;
const PROFILE = 'http://example.org/fhir/StructureDefinition/any-patient';
for (const resource of [
  { resourceType: 'Patient', id: PATIENT, identifier: [{ system: 'urn:s', value: 'one' }] },
  {
    resourceType: 'StructureDefinition',
    id: 'any-patient',
    url: PROFILE,
    name: 'AnyPatient',
    status: 'active',
    kind: 'resource',
    abstract: false,
    type: 'Patient',
    derivation: 'constraint',
    baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
    differential: { element: [{ id: 'Patient', path: 'Patient' }] },
  },
]) {
  const { status, text } = await call('planner', 'PUT', `/${resource.resourceType}/${resource.id}`, resource);
  assert.ok(status < 300, text);
}

const REFUSED = /Patient\.multipleBirth must be written as a whole number/;
/** What the main thread does not read itself. */
const LONG = `,"photo":[{"title":"${'a'.repeat(300 * 1024)}"}]`;
const SEARCHED = `,"link":[{"type":"seealso","other":{"reference":"Patient?identifier=urn:s|one"}}]`;
const CLAIMED = `,"meta":{"profile":["${PROFILE}"]}`;
const patient = (more = '') => `{"resourceType":"Patient"${more},"multipleBirthInteger":1.0}`;
const entry = (resource: string) =>
  `{"fullUrl":"urn:uuid:0190aaaa-0000-7000-8000-000000000001","resource":${resource},"request":{"method":"POST","url":"Patient"}}`;
const bundle = (type: string, resource: string) =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${entry(resource)}]}`;
const parameters = (resource: string) =>
  `{"resourceType":"Parameters","parameter":[{"name":"resource","resource":${resource}}]}`;

for (const [size, more] of Object.entries({ short: '', long: LONG })) {
  for (const [kind, own] of Object.entries({ plain: more, searching: SEARCHED + more, claiming: CLAIMED + more })) {
    test(`a ${size} ${kind} resource`, async () => {
      const body = patient(own);
      const created = await call('planner', 'POST', '/Patient', body);
      assert.equal(created.status, 422, created.text);
      assert.match(created.text, REFUSED);
      const updated = await call('planner', 'PUT', `/Patient/${PATIENT}`, body.replace('{', `{"id":"${PATIENT}",`));
      assert.match(updated.text, REFUSED);
      assert.match((await call('planner', 'POST', '/', bundle('transaction', body))).text, REFUSED);
      assert.match((await call('planner', 'POST', '/', bundle('batch', body))).text, REFUSED);
      assert.match((await call('planner', 'POST', '/Patient/$validate', body)).text, REFUSED);
      assert.match((await call('planner', 'POST', '/Patient/$validate', parameters(body))).text, REFUSED);
    });
  }
}

test('a patch that puts it there', async () => {
  const patch = async (type: string, payload: string) => {
    const headers = { authorization: 'Bearer planner', 'content-type': type };
    const answer = await engine.app.inject({ method: 'PATCH', url: `/api/v1/Patient/${PATIENT}`, headers, payload });
    return answer.payload;
  };
  const json = '[{"op":"add","path":"/multipleBirthInteger","value":1.0}]';
  assert.match(await patch('application/json-patch+json', json), REFUSED);
  const part = (name: string, value: string) => `{"name":"${name}",${value}}`;
  const parts = [
    part('type', '"valueCode":"add"'),
    part('path', '"valueString":"Patient"'),
    part('name', '"valueString":"multipleBirth"'),
    part('value', '"valueInteger":1.0'),
  ];
  const operation = `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[${parts}]}]}`;
  assert.match(await patch('application/fhir+json', operation), REFUSED);
});

test('a decimal of 19 digits, and one of 18', async () => {
  const observation = (value: string) =>
    `{"resourceType":"Observation","status":"final","code":{"text":"a"},"valueQuantity":{"value":${value}}}`;
  const refused = await call('planner', 'POST', '/Observation', observation('1.234567890123456789'));
  assert.match(refused.text, /Observation\.value\.value may have at most 18 digits/);
  assert.equal((await call('planner', 'POST', '/Observation', observation('1.23456789012345678'))).status, 201);
});
