// Concepts as live codes of their library's code system, on the node that wrote them and on another (decisions E5, E6).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestEngine, startTwoEngines } from '#test/support/engine/engine.ts';
import { askingBoth, type Part, soonOn } from '#test/support/engine/terminology-nodes.ts';
import { observationProfile } from '#test/support/fhir/observation-profile.ts';

const { one, two, hooks } = await startTwoEngines({ after });
const everywhere = askingBoth(one, two);

const SYSTEM = 'http://x.org/measures';

before(async () => {
  await one.engine.start();
  await two.engine.start();
});

async function made(path: string, body: object, guid: string): Promise<string> {
  const answer = await one.call('planner', 'POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body[guid];
}

const library = (version: string, url = SYSTEM) =>
  made('/canonical-libs', { name: `Measures ${version}`, url, version }, 'canonical_lib_guid');
const concept = (lib: string, code: string, more: object = {}) =>
  made(
    '/concepts',
    { canonical_lib: lib, concept_name: `Name of ${code}`, concept_code: code, ...more },
    'concept_guid',
  );

const lookup = (code: string, more = '') => `/CodeSystem/$lookup?system=${SYSTEM}&code=${code}${more}`;
const validate = (code: string, more = '') => `/CodeSystem/$validate-code?url=${SYSTEM}&code=${code}${more}`;

test('a concept is a code as soon as it is made, called otherwise when it is, and none when it is deleted', async () => {
  const lib = await library('1');
  await everywhere(lookup('weight'), 'display', 404);
  const weight = await concept(lib, 'weight', { concept_display_text: 'Weight', concept_explain: 'Of the body' });
  await everywhere(lookup('weight'), 'display', 'Weight');
  await everywhere(lookup('weight'), 'definition', 'Of the body');
  const body = { canonical_lib: lib, concept_name: 'Body weight', concept_code: 'mass' };
  assert.equal((await one.call('planner', 'PUT', `/concepts/${weight}`, body)).status, 200);
  await everywhere(lookup('mass'), 'display', 'Body weight');
  await everywhere(lookup('weight'), 'display', 404);
  const length = await concept(lib, 'length');
  await everywhere(validate('mass'), 'result', true);
  assert.equal((await one.call('planner', 'DELETE', `/concepts/${weight}`)).status, 204);
  await everywhere(validate('mass'), 'result', false);
  await everywhere(`/CodeSystem/${lib}/$lookup?code=length`, 'display', 'Name of length');
  assert.equal((await one.call('planner', 'DELETE', `/concepts/${length}`)).status, 204);
  await everywhere(lookup('length'), 'display', 404);
});

test('libraries are versions of their code system', async () => {
  const [second, third] = [await library('2'), await library('3')];
  await concept(second, 'old');
  await everywhere(validate('old'), 'result', true);
  await concept(third, 'new');
  await everywhere(validate('old'), 'result', false);
  await everywhere(validate('new'), 'result', true);
  await everywhere(validate('old', '&version=2'), 'result', true);
  const renamed = { name: 'Measures', url: SYSTEM, version: '1.5' };
  assert.equal((await one.call('planner', 'PUT', `/canonical-libs/${third}`, renamed)).status, 200);
  await everywhere(validate('old'), 'result', true);
  await everywhere(validate('new', '&version=1.5'), 'result', true);
});

test('value sets, comparisons, searches and bindings of profiles follow', async () => {
  const url = 'http://x.org/scores';
  const lib = await library('1', url);
  await concept(lib, 'low');
  const valueSet = { resourceType: 'ValueSet', id: 'scores', url: 'http://x.org/all-scores', status: 'active' };
  const compose = { include: [{ system: url }] };
  assert.equal((await one.call('planner', 'PUT', '/ValueSet/scores', { ...valueSet, compose })).status, 201);
  const expanded = '/ValueSet/$expand?url=http://x.org/all-scores';
  await everywhere(expanded, '', 'low');
  const observation = (code: string) => ({
    resourceType: 'Observation',
    id: `score-${code}`,
    meta: { profile: ['http://x.org/scored'] },
    status: 'final',
    code: { coding: [{ system: url, code }] },
  });
  const profile = observationProfile({ id: 'scored', url: 'http://x.org/scored', name: 'Scored' }, [
    { id: 'Observation', path: 'Observation' },
    {
      id: 'Observation.code',
      path: 'Observation.code',
      binding: { strength: 'required', valueSet: 'http://x.org/all-scores' },
    },
  ]);
  assert.equal((await one.call('planner', 'PUT', '/StructureDefinition/scored', profile)).status, 201);
  const store = async (code: string) =>
    (await one.call('planner', 'PUT', `/Observation/score-${code}`, observation(code))).status;
  assert.deepEqual([await store('low'), await store('high')], [201, 422]);
  await concept(lib, 'high');
  await everywhere(expanded, '', 'high low');
  await everywhere(`/CodeSystem/$subsumes?system=${url}&codeA=high&codeB=low`, 'outcome', 'not-subsumed');
  assert.equal(await store('high'), 201);
  const found = await two.call('planner', 'GET', '/Observation?code:in=http://x.org/all-scores');
  assert.equal(found.body.total, 2);
});

test('a library of a system that others publish is a part of it; one without concepts hides nothing', async () => {
  const loinc = await library('1', 'http://loinc.org');
  await concept(loinc, '8867-4');
  const asked = (code: string) => `/CodeSystem/$validate-code?url=http://loinc.org&version=1&code=${code}`;
  await everywhere(asked('8867-4'), 'result', true);
  await everywhere(asked('8480-6'), 'result', true);
  await library('9.0.0', 'http://hl7.org/fhir/administrative-gender');
  await everywhere('/CodeSystem/$lookup?system=http://hl7.org/fhir/administrative-gender&code=male', 'display', 'Male');
});

test('a node that starts later has them all', async () => {
  const lib = await library('1', 'http://x.org/many');
  await concept(lib, 'b', { concept_explain: 'Second' });
  await concept(lib, 'a');
  const three = await startTestEngine(hooks, { database: one.database });
  await three.engine.start();
  const { body } = await three.call('planner', 'GET', '/CodeSystem/$lookup?system=http://x.org/many&code=b');
  assert.equal(body.parameter.find(({ name }: Part) => name === 'definition')?.valueString, 'Second');
});

test('a change of a large library is soon there on both nodes', async () => {
  const url = 'http://x.org/large-library';
  const lib = await library('1', url);
  await one.database.query(
    `INSERT INTO concept (concept_guid, canonical_lib, concept_code, concept_name, permitted_values, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'c' || n, 'Name ' || n, '[]', now(), now() FROM generate_series(1, 8000) n`,
    [lib],
  );
  const soon = async (address: string, name: string, expected: unknown) => {
    for (const node of [one, two]) await soonOn(node, address, { name, expected });
  };
  await soon(`/CodeSystem/$lookup?system=${url}&code=c8000`, 'display', 'Name 8000');
  await concept(lib, 'c8001');
  await soon(`/CodeSystem/$lookup?system=${url}&code=c8001`, 'display', 'Name of c8001');
  const all = { resourceType: 'ValueSet', id: 'large', url: `${url}/all`, status: 'active' };
  const compose = { include: [{ system: url }] };
  assert.equal((await one.call('planner', 'PUT', '/ValueSet/large', { ...all, compose })).status, 201);
  await soon('/ValueSet/large/$expand?filter=c8001', '', 'c8001');
});
