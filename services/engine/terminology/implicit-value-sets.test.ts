// Contained value sets, and implicit value sets of code systems (decision E5).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call } = await startTestEngine({ after });
const GENDER = 'http://hl7.org/fhir/administrative-gender';
const ANIMALS = 'http://x.org/animals';
const SNOMED = 'http://snomed.info/sct';
const EDITION = `${SNOMED}/45991000052106`;

const tree = [{ code: 'dog', concept: [{ code: 'poodle' }, { code: 'collie' }] }, { code: 'cat' }];
const animals = {
  resourceType: 'CodeSystem',
  url: ANIMALS,
  version: '1',
  status: 'active',
  content: 'complete',
  hierarchyMeaning: 'is-a',
  valueSet: 'http://x.org/all-animals|1',
  concept: tree,
};
const snomed = (version: string, code: string) => ({
  resourceType: 'CodeSystem',
  url: SNOMED,
  version: `${EDITION}/version/${version}`,
  status: 'active',
  content: 'fragment',
  hierarchyMeaning: 'is-a',
  concept: [{ code: '138875005', concept: [{ code }] }],
});

type Send = Parameters<typeof call>[3];
const post = (operation: string, ...parameter: object[]) =>
  call('planner', 'POST', `/ValueSet/${operation}`, { resourceType: 'Parameters', parameter } as Send);
const brought = (...resources: object[]) => resources.map((resource) => ({ name: 'tx-resource', resource }));
const sent = (resource: object) => ({ name: 'valueSet', resource });
const codesOf = (answer: Awaited<ReturnType<typeof call>>): string[] => {
  assert.equal(answer.status, 200, answer.text);
  const below = ({ code, contains = [] }: Contained): string[] => [code, ...contains.flatMap(below)];
  return answer.body.expansion.contains.flatMap(below).sort();
};
interface Contained {
  readonly code: string;
  readonly contains?: readonly Contained[];
}

const valueSet = <More extends object>(id: string, include: object, more?: More) => ({
  resourceType: 'ValueSet',
  id,
  status: 'active',
  compose: { include: [include] },
  ...(more as More),
});
const dogs = valueSet('dogs', { system: ANIMALS, filter: [{ property: 'concept', op: 'is-a', value: 'dog' }] });
const outer = valueSet(
  'outer',
  { valueSet: ['#beside'] },
  { url: 'http://x.org/outer', contained: [dogs, valueSet('beside', { valueSet: ['#dogs'] })] },
);

test('a contained value set is named by its id, from the value set around it and from beside it', async () => {
  assert.deepEqual(codesOf(await post('$expand', sent(outer), ...brought(animals))), ['collie', 'dog', 'poodle']);
  const code = (valueCode: string) => [
    { name: 'system', valueUri: ANIMALS },
    { name: 'code', valueCode },
  ];
  for (const [asked, isIn] of [
    ['poodle', true],
    ['cat', false],
  ] as const) {
    const url = { name: 'url', valueUri: outer.url };
    const { body, text } = await post('$validate-code', url, ...code(asked), ...brought(animals, outer));
    assert.equal(body.parameter.find(({ name }: { name: string }) => name === 'result').valueBoolean, isIn, text);
  }
  // A value set that names the other one sees what that contains, and not what it would contain itself.
  const around = valueSet('around', { valueSet: [outer.url] }, { contained: [valueSet('beside', { system: GENDER })] });
  assert.deepEqual(codesOf(await post('$expand', sent(around), ...brought(animals, outer))), [
    'collie',
    'dog',
    'poodle',
  ]);
});

test('a stored value set has what it contains', async () => {
  assert.equal((await call('planner', 'POST', '/CodeSystem', animals)).status, 201);
  const { status, text, body } = await call('planner', 'POST', '/ValueSet', {
    ...outer,
    contained: [dogs],
    compose: { include: [{ valueSet: ['#dogs'] }] },
  });
  assert.equal(status, 201, text);
  assert.deepEqual(codesOf(await call('planner', 'GET', `/ValueSet/${body.id}/$expand`)), ['collie', 'dog', 'poodle']);
});

test('one that is not contained is not found, and one made of itself is refused', async () => {
  const missing = await post('$expand', sent({ ...outer, contained: [dogs] }));
  assert.deepEqual([missing.status, missing.body.issue[0].code], [404, 'not-found'], missing.text);
  assert.match(missing.text, /http:\/\/x\.org\/outer contains no value set #beside/);
  const circle = valueSet('a', { valueSet: ['#b'] }, { contained: [valueSet('b', { valueSet: ['#b'] })] });
  const refused = await post('$expand', sent(circle));
  assert.deepEqual([refused.status, refused.body.issue[0].code], [422, 'processing'], refused.text);
});

const expandUrl = (url: string, ...resources: object[]) =>
  post('$expand', { name: 'url', valueUri: url }, ...brought(...resources));

test('?fhir_vs behind a code system is the whole of it, and isa/ what is at or below a code', async () => {
  assert.deepEqual(codesOf(await expandUrl(`${GENDER}?fhir_vs`)), ['female', 'male', 'other', 'unknown']);
  assert.deepEqual(codesOf(await expandUrl(`${ANIMALS}?fhir_vs=isa/dog`, animals)), ['collie', 'dog', 'poodle']);
  const named = await expandUrl(`${ANIMALS}?fhir_vs`, animals);
  assert.equal(named.body.url, `${ANIMALS}?fhir_vs`);
  const inside = valueSet('inside', { valueSet: [`${ANIMALS}?fhir_vs=isa/cat`] });
  assert.deepEqual(codesOf(await post('$expand', sent(inside), ...brought(animals))), ['cat']);
  const asGet = `/ValueSet/$validate-code?url=${encodeURIComponent(`${GENDER}?fhir_vs`)}&system=${GENDER}&code=male`;
  assert.match((await call('planner', 'GET', asGet)).text, /"result","valueBoolean":true/);
});

test('an edition of SNOMED CT is one of its versions, the latest when none is named', async () => {
  const both = [snomed('20240531', '404684003'), snomed('20250531', '71388002')];
  const validate = async (url: string, code: string) => {
    const asked = [
      { name: 'url', valueUri: url },
      { name: 'system', valueUri: SNOMED },
      { name: 'code', valueCode: code },
    ];
    const { text, body } = await post('$validate-code', ...asked, ...brought(...both));
    assert.equal(body.resourceType, 'Parameters', text);
    return body.parameter.find(({ name }: { name: string }) => name === 'version')?.valueString;
  };
  assert.equal(await validate(`${EDITION}/version/20240531?fhir_vs`, '404684003'), `${EDITION}/version/20240531`);
  assert.equal(await validate(`${EDITION}?fhir_vs`, '71388002'), `${EDITION}/version/20250531`);
  const other = await expandUrl(`${SNOMED}/900000000000207008?fhir_vs`, ...both);
  assert.equal(other.status, 404, other.text);
});

test('a code system names the value set of all its codes, which one that is written goes before', async () => {
  assert.deepEqual(codesOf(await expandUrl('http://x.org/all-animals|1', animals)), ['cat', 'collie', 'dog', 'poodle']);
  const written = valueSet('w', { system: GENDER }, { url: 'http://x.org/all-animals', version: '1' });
  assert.equal(codesOf(await expandUrl('http://x.org/all-animals', animals, written)).length, 4);
  assert.ok(codesOf(await expandUrl('http://x.org/all-animals', animals, written)).includes('male'));
  assert.equal((await expandUrl('http://x.org/all-animals|2', animals)).status, 404);
});

test('what follows from no code system that is known is not found, and what cannot be computed is said so', async () => {
  const cases = [
    ['http://x.org/nothing?fhir_vs', 404, 'not-found'],
    ['http://loinc.org/vs', 404, 'not-found'],
    [`${ANIMALS}?fhir_vs=isa/bird`, 422, 'invalid'],
    [`${ANIMALS}?fhir_vs=refset/1`, 422, 'not-supported'],
    [`${ANIMALS}?fhir_vs=ecl/%3C%20dog`, 422, 'not-supported'],
  ] as const;
  for (const [url, status, code] of cases) {
    const answer = await expandUrl(url, animals);
    assert.deepEqual([answer.status, answer.body.issue?.[0].code], [status, code], `${url}: ${answer.text}`);
  }
});

test('a search by an implicit value set finds what it holds', async () => {
  const patient = await call('planner', 'GET', `/Patient?gender:in=${encodeURIComponent(`${GENDER}?fhir_vs`)}`);
  assert.equal(patient.status, 200, patient.text);
});
