// Bindings to value sets that users store, that HL7 publishes, or that are unknown, black-box and on two nodes
// (decision E3, docs/reference/engine/validation.md).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTwoEngines, type TestEngine } from '#test/support/engine/engine.ts';
import { observationProfile } from '#test/support/fhir/observation-profile.ts';
import { promptly } from '#test/support/http.ts';

const { one, two } = await startTwoEngines({ after });

const EXAMPLE = 'http://example.org/fhir/';
const PROFILE = `${EXAMPLE}StructureDefinition/bound`;
const SYSTEM = `${EXAMPLE}CodeSystem/blood`;

type Issue = { severity: string; code: string; expression?: string[]; details: { text: string } };

async function validated({ call }: TestEngine, resource: object): Promise<string[]> {
  const { status, body } = await call('planner', 'POST', '/$validate', resource);
  assert.equal(status, 200);
  return body.issue.map(({ severity, code, expression = [] }: Issue) => [severity, code, ...expression].join(' '));
}

async function put(path: string, resource: object): Promise<void> {
  const answer = await one.call('planner', 'PUT', path, resource);
  assert.ok(answer.status < 300, answer.text);
}

const element = (path: string, strength: string, valueSet: string, more: object = {}) => ({
  id: path,
  path,
  binding: { strength, valueSet },
  ...more,
});
const blood = (codes: readonly string[]) => ({
  resourceType: 'CodeSystem',
  id: 'blood',
  url: SYSTEM,
  status: 'active',
  content: 'complete',
  concept: codes.map((code) => ({ code })),
});
const valueSet = (id: string, include: object) => ({
  resourceType: 'ValueSet',
  id,
  url: `${EXAMPLE}ValueSet/${id}`,
  version: '2',
  status: 'active',
  compose: { include: [include] },
});
const observation = (value: string, changes: object = {}) => ({
  resourceType: 'Observation',
  meta: { profile: [PROFILE] },
  status: 'final',
  code: { text: 'Blood group' },
  valueCodeableConcept: { coding: [{ system: SYSTEM, code: value }] },
  ...changes,
});
const coded = (system: string, code: string) => ({ coding: [{ system, code }] });
const WARNED = 'warning not-supported Observation.method';

before(async () => {
  await one.engine.start();
  await two.engine.start();
  await put('/CodeSystem/blood', blood(['a', 'b']));
  await put('/ValueSet/blood', valueSet('blood', { system: SYSTEM }));
  await put('/ValueSet/sites', valueSet('sites', { valueSet: [`${EXAMPLE}ValueSet/blood|2`] }));
  const below = { property: 'concept', op: 'is-a', value: '272394005' };
  await put('/ValueSet/methods', valueSet('methods', { system: 'http://snomed.info/sct', filter: [below] }));
  const elements = [
    element('Observation.category', 'required', 'http://terminology.hl7.org/ValueSet/v3-ActEncounterCode'),
    element('Observation.value[x]', 'required', `${EXAMPLE}ValueSet/blood|2`),
    element('Observation.bodySite', 'extensible', `${EXAMPLE}ValueSet/sites`),
    element('Observation.method', 'required', `${EXAMPLE}ValueSet/methods`),
  ];
  const profile = observationProfile({ url: PROFILE, id: 'bound', name: 'Bound' }, elements);
  await put('/StructureDefinition/bound', profile);
});

test('a required binding to a stored value set is checked, on create too; an extensible one is a warning', async () => {
  assert.deepEqual(await validated(one, observation('a')), ['success success']);
  assert.deepEqual(await validated(one, observation('c')), ['error code-invalid Observation.value']);
  const refused = await one.call('planner', 'POST', '/Observation', observation('c'));
  assert.equal(refused.status, 422);
  assert.match(refused.text, /must have a coding that is one of a, b \(profile/);
  assert.deepEqual(await validated(one, observation('a', { bodySite: coded(SYSTEM, 'b') })), ['success success']);
  assert.deepEqual(await validated(one, observation('a', { bodySite: coded(SYSTEM, 'c') })), [
    'warning code-invalid Observation.bodySite',
  ]);
  assert.deepEqual(await validated(one, observation('a', { bodySite: { text: 'arm' } })), ['success success']);
  const noSystem = { valueCodeableConcept: { coding: [{ code: 'a' }] } };
  assert.deepEqual(await validated(one, observation('a', noSystem)), ['error code-invalid Observation.value']);
});

test("a value set of HL7's terminology is checked", async () => {
  const of = (code: string) =>
    observation('a', { category: [coded('http://terminology.hl7.org/CodeSystem/v3-ActCode', code)] });
  assert.deepEqual(await validated(one, of('AMB')), ['success success']);
  assert.deepEqual(await validated(one, of('PBILLACCT')), ['error code-invalid Observation.category[0]']);
  // One that the code system does not have at all.
  assert.deepEqual(await validated(one, of('AMBULATORY')), [
    'error code-invalid Observation.category[0].coding[0].code',
    'error code-invalid Observation.category[0]',
  ]);
});

test('a value set that cannot be expanded is a warning with the reason, only where there is a value', async () => {
  const given = observation('a', { method: coded('http://snomed.info/sct', '1') });
  assert.deepEqual(await validated(one, given), [WARNED]);
  const { text } = await one.call('planner', 'POST', '/$validate', given);
  assert.match(text, /was not checked: A definition for CodeSystem 'http:\/\/snomed.info\/sct' could not be found/);
});

test('a changed code system is in force with the answer, and on the other node within two seconds', async () => {
  await put('/CodeSystem/blood', blood(['a', 'b', 'c']));
  assert.deepEqual(await validated(one, observation('c')), ['success success']);
  // Generous, for a slow machine: what is promised is measured elsewhere.
  const isInForce = async () =>
    (await validated(two, observation('c'))).join() === 'success success' ? true : undefined;
  await promptly('it was in force on the other node', isInForce, 8_000);
  const gone = await one.call('planner', 'DELETE', '/ValueSet/blood');
  assert.equal(gone.status, 204);
  assert.deepEqual(await validated(one, observation('c')), ['warning not-supported Observation.value']);
});
