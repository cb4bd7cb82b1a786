// The parameters that $expand repeats in its response, and the effect of each parameter of $validate-code (HL7's
// tx-ecosystem).
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call, clock } = await startTestEngine({ after });

const SYSTEM = 'http://x.org/tools';
const system = (id: string, more: object) => ({
  resourceType: 'CodeSystem',
  id,
  url: SYSTEM,
  version: '1.0.0',
  status: 'active',
  content: 'complete',
  language: 'en',
  concept: [
    { code: 'saw', display: 'Saw', designation: [{ language: 'sv', value: 'Såg' }] },
    { code: 'all', display: 'All', property: [{ code: 'notSelectable', valueBoolean: true }] },
    { code: 'adze', display: 'Adze', property: [{ code: 'inactive', valueBoolean: true }] },
  ],
  ...more,
});
const valueSet = (id: string, include: object, more: object = {}) => ({
  resourceType: 'ValueSet',
  id,
  url: `http://x.org/${id}`,
  version: '1',
  status: 'active',
  compose: { include: [include] },
  ...more,
});
for (const resource of [
  system('tools', {}),
  system('tools-sv', {
    url: 'http://x.org/tools-more',
    version: '2',
    content: 'supplement',
    supplements: SYSTEM,
    concept: [{ code: 'saw', designation: [{ language: 'de', value: 'Säge' }] }],
  }),
  valueSet('tools', { system: SYSTEM }),
  valueSet('kit', { valueSet: ['http://x.org/tools'] }),
  valueSet('rough', { system: SYSTEM, concept: [{ code: 'saw' }] }, { status: 'draft' }),
  valueSet('past', { system: SYSTEM, concept: [{ code: 'saw' }] }, { status: 'retired' }),
  valueSet('tried', { system: SYSTEM, concept: [{ code: 'saw' }] }, { experimental: true }),
  valueSet('of-rough', { valueSet: ['http://x.org/rough'] }),
  valueSet('of-tried', { valueSet: ['http://x.org/tried'] }),
]) {
  const answer = await call('planner', 'PUT', `/${resource.resourceType}/${resource.id}`, resource);
  assert.equal(answer.status, 201, answer.text);
}

describe('the expansion reports', () => {
  const rows: readonly (readonly [valueSet: string, query: string, reported: object])[] = [
    ['tools', 'filter=sa', { name: 'filter', valueString: 'sa' }],
    ['tools', 'count=1', { name: 'count', valueInteger: 1 }],
    ['tools', 'offset=1', { name: 'offset', valueInteger: 1 }],
    ['tools', 'activeOnly=true', { name: 'activeOnly', valueBoolean: true }],
    ['tools', 'excludeNested=true', { name: 'excludeNested', valueBoolean: true }],
    ['tools', 'excludeNotForUI=false', { name: 'excludeNotForUI', valueBoolean: false }],
    ['tools', 'includeDesignations=true', { name: 'includeDesignations', valueBoolean: true }],
    ['tools', 'includeDefinition=true', { name: 'includeDefinition', valueBoolean: true }],
    ['tools', 'designation=urn:ietf:bcp:47|sv', { name: 'designation', valueString: 'urn:ietf:bcp:47|sv' }],
    ['tools', 'displayLanguage=sv', { name: 'displayLanguage', valueCode: 'sv' }],
    ['tools', 'displayLanguage=fi;q=0.5,sv', { name: 'displayLanguage', valueCode: 'fi; q=0.5,sv' }],
    ['tools', 'exclude-system=urn:x', { name: 'exclude-system', valueUri: 'urn:x' }],
    ['tools', `system-version=${SYSTEM}|1.0.0`, { name: 'system-version', valueUri: `${SYSTEM}|1.0.0` }],
    ['tools', `check-system-version=${SYSTEM}|1.x`, { name: 'check-system-version', valueUri: `${SYSTEM}|1.x` }],
    ['tools', `force-system-version=${SYSTEM}|1.0.0`, { name: 'force-system-version', valueUri: `${SYSTEM}|1.0.0` }],
    [
      'kit',
      'default-valueset-version=http://x.org/tools|1',
      { name: 'default-valueset-version', valueUri: 'http://x.org/tools|1' },
    ],
    ['tools', 'date=2026-03-02', { name: 'date', valueDateTime: '2026-03-02' }],
    ['tools', '', { name: 'used-codesystem', valueUri: `${SYSTEM}|1.0.0` }],
    [
      'tools',
      'useSupplement=http://x.org/tools-more',
      { name: 'used-supplement', valueUri: 'http://x.org/tools-more|2' },
    ],
    ['kit', '', { name: 'used-valueset', valueUri: 'http://x.org/tools|1' }],
    ['of-rough', '', { name: 'warning-draft', valueUri: 'http://x.org/rough|1' }],
    ['past', '', { name: 'warning-retired', valueUri: 'http://x.org/past|1' }],
    ['of-tried', '', { name: 'warning-experimental', valueUri: 'http://x.org/tried|1' }],
  ];
  for (const [id, query, reported] of rows) {
    test(`${JSON.stringify(reported)} of ${id}?${query}`, async () => {
      const { status, body, text } = await call('planner', 'GET', `/ValueSet/${id}/$expand?${query}`);
      assert.equal(status, 200, text);
      const names = JSON.stringify(body.expansion.parameter);
      assert.ok(names.includes(JSON.stringify(reported)), names);
    });
  }
});

test('no language is returned when any is accepted', async () => {
  for (const languages of ['*', '*;q=0.5']) {
    const { text } = await call('planner', 'GET', `/ValueSet/tools/$expand?displayLanguage=${languages}`);
    assert.ok(!text.includes('displayLanguage'), text);
  }
});

test('the one resource that an operation takes may be its body', async () => {
  const tools = {
    resourceType: 'ValueSet',
    url: 'http://x.org/own',
    status: 'active',
    compose: { include: [{ system: SYSTEM, concept: [{ code: 'saw' }] }] },
  };
  const expanded = await call('planner', 'POST', '/ValueSet/$expand?count=1', tools);
  assert.deepEqual(expanded.body.expansion.contains[0].code, 'saw', expanded.text);
  const valid = await call('planner', 'POST', `/ValueSet/$validate-code?system=${SYSTEM}&code=saw`, tools);
  assert.equal(valid.body.parameter[0].valueBoolean, true, valid.text);
  const words = {
    resourceType: 'CodeSystem',
    url: 'http://x.org/words',
    status: 'active',
    content: 'complete',
    concept: [{ code: 'one' }],
  };
  const known = await call('planner', 'POST', '/CodeSystem/$validate-code?code=one', words);
  assert.equal(known.body.parameter[0].valueBoolean, true, known.text);
  const map = {
    resourceType: 'ConceptMap',
    status: 'active',
    group: [
      {
        source: SYSTEM,
        target: 'urn:t',
        element: [{ code: 'saw', target: [{ code: 'sega', relationship: 'equivalent' }] }],
      },
    ],
  };
  const translated = await call('planner', 'POST', `/ConceptMap/$translate?system=${SYSTEM}&sourceCode=saw`, map);
  assert.equal(translated.body.parameter[0].valueBoolean, true, translated.text);
  const other = await call('planner', 'POST', '/ValueSet/$expand', words);
  assert.equal(other.status, 400);
  assert.match(other.text, /must be a Parameters; it is a CodeSystem/);
  const lookup = await call('planner', 'POST', '/CodeSystem/$lookup?code=one', words);
  assert.equal(lookup.status, 400, lookup.text);
});

test('an address that a message begins with stays as it is written', async () => {
  const compose = { include: [{ system: SYSTEM, filter: [{ property: 'concept', op: 'is-a', value: 'axe' }] }] };
  const resource = { resourceType: 'ValueSet', url: 'http://x.org/axes', status: 'active', compose };
  const body = { resourceType: 'Parameters', parameter: [{ name: 'valueSet', resource }] };
  const { status, text } = await call('planner', 'POST', '/ValueSet/$expand', body);
  assert.equal(status, 422);
  assert.ok(text.includes(`"${SYSTEM} has no code axe`), text);
});

describe('$validate-code answers', () => {
  const rows: readonly (readonly [query: string, result: boolean, kinds: readonly string[]])[] = [
    [`system=${SYSTEM}&code=saw`, true, []],
    [`system=${SYSTEM}&code=axe`, false, ['not-in-vs', 'invalid-code']],
    [`system=${SYSTEM}&code=saw&display=Hammer`, false, ['invalid-display']],
    [`system=${SYSTEM}&code=saw&display=Hammer&lenient-display-validation=true`, true, ['invalid-display']],
    [`system=${SYSTEM}&code=saw&display=Hammer&valueset-membership-only=true`, true, []],
    [`system=${SYSTEM}&code=saw&display=S%C3%A4ge`, false, ['invalid-display']],
    [`system=${SYSTEM}&code=saw&display=S%C3%A4ge&useSupplement=http://x.org/tools-more`, true, []],
    [`system=${SYSTEM}&code=all&abstract=false`, false, ['code-rule']],
    [`system=${SYSTEM}&code=all&abstract=true`, true, []],
    [`system=${SYSTEM}&code=adze`, true, ['code-comment']],
    [`system=${SYSTEM}&code=adze&activeOnly=true`, false, ['not-in-vs', 'code-rule', 'code-comment']],
    ['code=saw&inferSystem=true', true, []],
    ['code=saw', false, ['cannot-infer', 'not-in-vs']],
    ['system=urn:none&code=saw', false, ['not-found', 'not-in-vs']],
  ];
  for (const [query, result, kinds] of rows) {
    test(query, async () => {
      const { status, body, text } = await call(
        'planner',
        'GET',
        `/ValueSet/$validate-code?url=http://x.org/tools&${query}`,
      );
      assert.equal(status, 200, text);
      const part = (name: string) => body.parameter.find((each: { name: string }) => each.name === name);
      const reported = (part('issues')?.resource.issue ?? []).map(
        ({ details }: { details: { coding: { code: string }[] } }) => details.coding[0]?.code,
      );
      assert.deepEqual([part('result').valueBoolean, reported.sort()], [result, [...kinds].sort()]);
    });
  }
});

describe('a value set is named by the element that is bound to it', () => {
  const PATIENT = 'http://hl7.org/fhir/StructureDefinition/Patient';
  const rows: readonly (readonly [query: string, status: number, code: string])[] = [
    [`context=${encodeURIComponent(`${PATIENT}#Patient.gender`)}&contextDirection=incoming`, 200, 'male'],
    ['context=Patient.gender&contextDirection=outgoing', 200, 'male'],
    ['context=Patient.gender&contextDirection=up', 400, 'value'],
    ['context=Patient.none', 404, 'not-found'],
    ['context=Patient.birthDate', 404, 'not-found'],
    [`context=${encodeURIComponent(`${PATIENT}#Observation.status`)}`, 404, 'not-found'],
  ];
  for (const [query, status, code] of rows) {
    test(query, async () => {
      const { status: found, body } = await call('planner', 'GET', `/ValueSet/$expand?${query}`);
      assert.deepEqual([found, body.expansion?.contains[0].code ?? body.issue[0].code], [status, code]);
    });
  }

  test('and $validate-code takes it too', async () => {
    const asked = 'context=Patient.gender&system=http://hl7.org/fhir/administrative-gender&code=';
    const ask = async (code: string) =>
      (await call('planner', 'GET', `/ValueSet/$validate-code?${asked}${code}`)).body.parameter[0].valueBoolean;
    assert.deepEqual([await ask('male'), await ask('man')], [true, false]);
  });
});

for (const asked of [
  'ValueSet/tools/$expand?count=1',
  `ValueSet/tools/$validate-code?system=${SYSTEM}&code=saw`,
  `CodeSystem/$validate-code?url=${SYSTEM}&code=saw`,
  `CodeSystem/$lookup?system=${SYSTEM}&code=saw`,
]) {
  test(`the day is today, or one to come: ${asked}`, async () => {
    const ask = async (date: string) => {
      const { status, body } = await call('planner', 'GET', `/${asked}&date=${date}`);
      return [status, body.issue?.[0].code];
    };
    assert.deepEqual(await ask('2026-03-03T12:00:00Z'), [200, undefined]);
    assert.deepEqual(await ask('2026-03-01'), [422, 'not-supported']);
    assert.deepEqual(await ask('soon'), [400, 'value']);
    assert.deepEqual(await ask('2026-03-02'), [200, undefined]);
    clock.time += 24 * 60 * 60 * 1000;
    assert.deepEqual(await ask('2026-03-02'), [422, 'not-supported'], 'what was answered yesterday');
    clock.time -= 24 * 60 * 60 * 1000;
  });
}

test('empty parameters of a request count as absent', async () => {
  const gender = 'url=http://hl7.org/fhir/ValueSet/administrative-gender';
  const { status, body, text } = await call('planner', 'GET', `/ValueSet/$expand?${gender}&filter=&count=&property=`);
  assert.equal(status, 200, text);
  assert.deepEqual(
    body.expansion.parameter.map(({ name }: { name: string }) => name),
    ['used-codesystem'],
  );
  assert.equal(body.expansion.contains.length, 4);
  assert.equal((await call('planner', 'GET', `/ValueSet/$validate-code?${gender}&code=`)).status, 400);
});
