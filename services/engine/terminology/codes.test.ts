// $lookup, $validate-code, $batch-validate-code and $subsumes, black-box (contract: engine, "Terminology"; decision
// E5).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { issueKinds, type Part, parameterOf } from '#test/support/engine/parameters.ts';

const KEY = '01900000-0000-7000-8000-0000000000c1';
const { call } = await startTestEngine(
  { after },
  { callers: { narrow: principalOfKey({ keyGuid: KEY, scopes: ['system/Patient.r'] }) } },
);

function parameters(...parameter: readonly object[]): object {
  return { resourceType: 'Parameters', parameter };
}

const animals = {
  resourceType: 'CodeSystem',
  id: 'animals',
  url: 'http://x.org/animals',
  version: '1.0.0',
  name: 'Animals',
  status: 'active',
  content: 'complete',
  caseSensitive: false,
  hierarchyMeaning: 'is-a',
  property: [{ code: 'legs', type: 'integer', description: 'How many it has' }],
  concept: [
    {
      code: 'animal',
      display: 'Animal',
      property: [{ code: 'notSelectable', valueBoolean: true }],
      concept: [
        {
          code: 'dog',
          display: 'Dog',
          definition: 'Barks',
          designation: [{ language: 'sv', value: 'Hund' }],
          property: [{ code: 'legs', valueInteger: 4 }],
        },
        { code: 'dodo', display: 'Dodo', property: [{ code: 'inactive', valueBoolean: true }] },
      ],
    },
  ],
};
const dogs = {
  resourceType: 'ValueSet',
  id: 'dogs',
  url: 'http://x.org/dogs',
  version: '2',
  status: 'active',
  compose: { include: [{ system: animals.url, filter: [{ property: 'concept', op: 'is-a', value: 'dog' }] }] },
};
for (const resource of [animals, dogs]) {
  const { resourceType, id } = resource;
  assert.equal((await call('planner', 'PUT', `/${resourceType}/${id}`, resource)).status, 201);
}

test('$lookup returns names, properties and relatives, by GET, by POST and by id', async () => {
  const byGet = await call('planner', 'GET', `/CodeSystem/$lookup?system=${animals.url}&code=dog`);
  assert.equal(byGet.status, 200, byGet.text);
  assert.deepEqual(byGet.body.parameter, [
    { name: 'code', valueCode: 'dog' },
    { name: 'system', valueUri: animals.url },
    { name: 'name', valueString: 'Animals' },
    { name: 'version', valueString: '1.0.0' },
    { name: 'display', valueString: 'Dog' },
    { name: 'definition', valueString: 'Barks' },
    {
      name: 'designation',
      part: [
        { name: 'language', valueCode: 'sv' },
        { name: 'value', valueString: 'Hund' },
      ],
    },
    {
      name: 'property',
      part: [
        { name: 'code', valueCode: 'inactive' },
        { name: 'value', valueBoolean: false },
      ],
    },
    {
      name: 'property',
      part: [
        { name: 'code', valueCode: 'parent' },
        { name: 'value', valueCode: 'animal' },
        { name: 'description', valueString: 'Animal' },
      ],
    },
    {
      name: 'property',
      part: [
        { name: 'code', valueCode: 'legs' },
        { name: 'value', valueInteger: 4 },
        { name: 'description', valueString: 'How many it has' },
      ],
    },
  ]);
  const coding = { system: animals.url, code: 'DOG' };
  const asked = parameters(
    { name: 'coding', valueCoding: coding },
    { name: 'displayLanguage', valueCode: 'fi, sv;q=0.5' },
  );
  const byPost = await call('planner', 'POST', '/CodeSystem/$lookup', asked);
  assert.deepEqual([parameterOf(byPost.body, 'code'), parameterOf(byPost.body, 'display')], ['dog', 'Hund']);
  const byId = await call('planner', 'GET', '/CodeSystem/animals/$lookup?code=dodo&property=inactive');
  assert.deepEqual(
    byId.body.parameter.map(({ name }: Part) => name),
    ['code', 'system', 'name', 'version', 'display', 'property'],
  );
});

test('what HL7 publishes is there from the start', async () => {
  const gender = await call(
    'planner',
    'GET',
    '/CodeSystem/$lookup?system=http://hl7.org/fhir/administrative-gender&code=other',
  );
  assert.equal(parameterOf(gender.body, 'display'), 'Other');
  const act = await call(
    'planner',
    'GET',
    '/CodeSystem/$lookup?system=http://terminology.hl7.org/CodeSystem/v3-ActCode&code=AMB',
  );
  assert.equal(parameterOf(act.body, 'display'), 'ambulatory');
  const named = await call(
    'planner',
    'GET',
    '/ValueSet/administrative-gender/$validate-code?system=http://hl7.org/fhir/administrative-gender&code=male',
  );
  assert.equal(parameterOf(named.body, 'result'), true);
});

test('$subsumes says how codes lie to each other', async () => {
  const of = async (a: string, b: string) =>
    parameterOf(
      (await call('planner', 'GET', `/CodeSystem/$subsumes?system=${animals.url}&codeA=${a}&codeB=${b}`)).body,
      'outcome',
    );
  assert.deepEqual(
    [await of('dog', 'dog'), await of('animal', 'dog'), await of('dog', 'animal'), await of('dog', 'dodo')],
    ['equivalent', 'subsumes', 'subsumed-by', 'not-subsumed'],
  );
  const codings = parameters(
    { name: 'codingA', valueCoding: { system: animals.url, code: 'animal' } },
    { name: 'codingB', valueCoding: { system: animals.url, code: 'dodo' } },
  );
  assert.equal(
    parameterOf((await call('planner', 'POST', '/CodeSystem/$subsumes', codings)).body, 'outcome'),
    'subsumes',
  );
  const byId = await call('planner', 'GET', '/CodeSystem/animals/$subsumes?codeA=dog&codeB=animal');
  assert.equal(parameterOf(byId.body, 'outcome'), 'subsumed-by');
});

test('$validate-code of a value set: every kind of answer', async () => {
  const ask = async (query: string) =>
    (await call('planner', 'GET', `/ValueSet/$validate-code?url=${dogs.url}&${query}`)).body;
  const right = await ask(`system=${animals.url}&code=dog&display=hund`);
  assert.deepEqual(
    ['result', 'code', 'system', 'version', 'display'].map((name) => parameterOf(right, name)),
    [true, 'dog', animals.url, '1.0.0', 'Dog'],
  );
  assert.deepEqual(issueKinds(right), []);
  const cases: readonly (readonly [query: string, result: boolean, kinds: readonly string[]])[] = [
    [`system=${animals.url}&code=dodo`, false, ['error not-in-vs']],
    [`system=${animals.url}&code=cow`, false, ['error invalid-code', 'error not-in-vs']],
    [`system=${animals.url}&code=Dog`, true, ['information code-rule']],
    [`system=${animals.url}&code=dog&display=Cat`, false, ['error invalid-display']],
    [`system=${animals.url}&code=dog&display=Cat&lenient-display-validation=true`, true, ['warning invalid-display']],
    [`system=${animals.url}&code=dog&display=Cat&valueset-membership-only=true`, true, []],
    ['system=http://x.org/none&code=dog', false, ['error not-found', 'error not-in-vs']],
    ['code=dog', false, ['error cannot-infer', 'error not-in-vs']],
    ['code=dog&inferSystem=true', true, []],
    ['code=cow&inferSystem=true', false, ['error cannot-infer', 'error not-in-vs']],
  ];
  for (const [query, result, expected] of cases) {
    const body = await ask(query);
    assert.deepEqual([parameterOf(body, 'result'), issueKinds(body)], [result, expected], query);
    assert.equal(
      typeof parameterOf(body, 'message'),
      expected.some((kind) => !kind.startsWith('information')) ? 'string' : 'undefined',
    );
  }
});

test('$validate-code of a codeableConcept is right when one coding is, and names every error', async () => {
  const concept = (...codes: string[]) => ({
    name: 'codeableConcept',
    valueCodeableConcept: { coding: codes.map((code) => ({ system: animals.url, code })) },
  });
  const ask = async (...codes: string[]) =>
    (
      await call(
        'planner',
        'POST',
        '/ValueSet/$validate-code',
        parameters({ name: 'url', valueUri: dogs.url }, concept(...codes)),
      )
    ).body;
  const one = await ask('dodo', 'dog');
  assert.deepEqual(
    [parameterOf(one, 'result'), parameterOf(one, 'code'), issueKinds(one)],
    [true, 'dog', ['information this-code-not-in-vs']],
  );
  const none = await ask('dodo', 'cow');
  assert.equal(parameterOf(none, 'result'), false);
  assert.deepEqual(issueKinds(none), [
    'error not-in-vs',
    'information this-code-not-in-vs',
    'error invalid-code',
    'information this-code-not-in-vs',
  ]);
});

test('$validate-code of a code system: abstract, inactive and unknown codes', async () => {
  const ask = async (query: string) =>
    (await call('planner', 'GET', `/CodeSystem/$validate-code?url=${animals.url}&${query}`)).body;
  const dodo = await ask('code=dodo');
  assert.deepEqual(
    [parameterOf(dodo, 'result'), parameterOf(dodo, 'inactive'), issueKinds(dodo)],
    [true, true, ['warning code-comment']],
  );
  assert.deepEqual(issueKinds(await ask('code=animal&abstract=false')), ['error code-rule']);
  assert.equal(parameterOf(await ask('code=animal'), 'result'), true);
  assert.deepEqual(issueKinds(await ask('code=cow')), ['error invalid-code']);
  const byId = await call('planner', 'GET', '/CodeSystem/animals/$validate-code?code=dog');
  assert.equal(parameterOf(byId.body, 'result'), true);
});

test('a request brings its own definitions', async () => {
  const fish = {
    resourceType: 'CodeSystem',
    url: 'http://x.org/fish',
    status: 'draft',
    content: 'complete',
    concept: [{ code: 'cod' }, { code: 'eel' }],
  };
  const valueSet = {
    resourceType: 'ValueSet',
    status: 'draft',
    compose: { include: [{ system: fish.url }], exclude: [{ system: fish.url, concept: [{ code: 'eel' }] }] },
  };
  const ask = async (code: string) =>
    parameterOf(
      (
        await call(
          'planner',
          'POST',
          '/ValueSet/$validate-code',
          parameters(
            { name: 'valueSet', resource: valueSet },
            { name: 'tx-resource', resource: fish },
            { name: 'coding', valueCoding: { system: fish.url, code } },
          ),
        )
      ).body,
      'result',
    );
  assert.deepEqual([await ask('cod'), await ask('eel'), await ask('dog')], [true, false, false]);
  const later = await call('planner', 'GET', `/CodeSystem/$lookup?system=${fish.url}&code=cod`);
  assert.equal(later.status, 404, 'what one request brings is gone with it');
});

test('versions are side by side, and supplements add names', async () => {
  const second = { ...animals, id: 'animals-2', version: '2.0.0', concept: [{ code: 'unicorn', display: 'Unicorn' }] };
  assert.equal((await call('planner', 'PUT', '/CodeSystem/animals-2', second)).status, 201);
  const display = async (query: string) =>
    parameterOf((await call('planner', 'GET', `/CodeSystem/$lookup?system=${animals.url}&${query}`)).body, 'display');
  assert.deepEqual([await display('code=unicorn'), await display('code=dog&version=1.0.0')], ['Unicorn', 'Dog']);
  assert.equal((await call('planner', 'GET', `/CodeSystem/$lookup?system=${animals.url}&code=dog`)).status, 404);
  const supplement = {
    resourceType: 'CodeSystem',
    id: 'animals-de',
    url: 'http://x.org/animals-de',
    status: 'active',
    content: 'supplement',
    supplements: animals.url,
    language: 'de',
    concept: [{ code: 'unicorn', designation: [{ language: 'de', value: 'Einhorn' }] }],
  };
  assert.equal((await call('planner', 'PUT', '/CodeSystem/animals-de', supplement)).status, 201);
  assert.equal(await display(`code=unicorn&displayLanguage=de-CH&useSupplement=${supplement.url}`), 'Einhorn');
  assert.equal(
    await display('code=unicorn&displayLanguage=de-CH'),
    'Unicorn',
    'a supplement is used when it is asked for',
  );
  const rules = 'force-system-version=http://x.org/animals|1.0.0';
  assert.equal(
    parameterOf(
      (await call('planner', 'GET', `/ValueSet/$validate-code?url=${dogs.url}&system=${animals.url}&code=dog&${rules}`))
        .body,
      'result',
    ),
    true,
  );
  for (const id of ['animals-2', 'animals-de'])
    assert.equal((await call('planner', 'DELETE', `/CodeSystem/${id}`)).status, 204);
  assert.equal(await display('code=dog'), 'Dog');
});

test('$batch-validate-code answers each by itself', async () => {
  const validation = (...parameter: object[]) => ({ name: 'validation', resource: parameters(...parameter) });
  const coding = (code: string) => ({ name: 'coding', valueCoding: { system: animals.url, code } });
  const url = (valueUri: string) => ({ name: 'url', valueUri });
  const asked = parameters(
    validation(url(dogs.url), coding('dog')),
    validation(url(dogs.url), coding('dodo')),
    validation(url('urn:none'), coding('dog')),
  );
  const { body, status } = await call('planner', 'POST', '/ValueSet/$batch-validate-code', asked);
  assert.equal(status, 200);
  assert.deepEqual(
    body.parameter.map(({ resource }: { resource: { resourceType: string; parameter: Part[] } }) => [
      resource.resourceType,
      parameterOf(resource, 'result'),
    ]),
    [
      ['Parameters', true],
      ['Parameters', false],
      ['OperationOutcome', undefined],
    ],
  );
});

test('of a batch every invalid validation is answered by all of its errors, and the others by their results', async () => {
  const validation = (...parameter: object[]) => ({ name: 'validation', resource: parameters(...parameter) });
  const dog = { name: 'coding', valueCoding: { system: animals.url, code: 'dog' } };
  const asked = parameters(
    { name: 'url', valueUri: dogs.url },
    validation(dog),
    validation({ name: 'coding', valueCoding: { system: animals.url } }),
    validation(dog, { name: 'abstract', valueString: 'perhaps' }, { name: 'activeOnly', valueString: '1' }),
    { name: 'validation', valueString: 'dog' },
    { name: 'validation', resource: { resourceType: 'Patient' } },
    validation(dog),
  );
  const { body, status, text } = await call('planner', 'POST', '/ValueSet/$batch-validate-code', asked);
  assert.equal(status, 200, text);
  type Answer = { resource: { parameter?: Part[]; issue?: { expression?: string[]; details: { text: string } }[] } };
  assert.deepEqual(
    body.parameter.map(({ resource }: Answer) =>
      resource.issue === undefined
        ? parameterOf(resource, 'result')
        : resource.issue.map(({ details, expression }) => [expression?.[0], details.text]),
    ),
    [
      true,
      [['coding', 'coding must be a Coding with a code']],
      [
        ['activeOnly', 'activeOnly must be true or false'],
        ['abstract', 'abstract must be true or false'],
      ],
      [[undefined, 'validation must be a Parameters resource']],
      [[undefined, 'validation must be a Parameters resource']],
      true,
    ],
  );
});

test('what cannot be answered is refused with every error', async () => {
  const status = async (address: string, ...callers: (string | undefined)[]) =>
    (await call(callers.length === 0 ? 'planner' : callers[0], 'GET', address)).status;
  assert.equal(await status('/CodeSystem/$lookup?system=http://x.org/animals'), 400);
  assert.equal(await status('/CodeSystem/$lookup?code=dog'), 400);
  assert.equal(await status('/CodeSystem/$lookup?system=urn:none&code=dog'), 404);
  assert.equal(await status('/CodeSystem/none/$lookup?code=dog'), 404);
  assert.equal(await status('/ValueSet/$validate-code?code=dog'), 400);
  assert.equal(await status('/CodeSystem/$lookup?system=urn:x&code=dog', undefined), 401);
  assert.equal(await status('/CodeSystem/$lookup?system=urn:x&code=dog', 'narrow'), 403);
  const wrong = await call(
    'planner',
    'GET',
    `/ValueSet/$validate-code?url=${dogs.url}&system=${animals.url}&code=dog&abstract=perhaps&activeOnly=1`,
  );
  assert.equal(wrong.status, 400);
  assert.deepEqual(wrong.body.issue.map(({ expression }: { expression: string[] }) => expression[0]).sort(), [
    'abstract',
    'activeOnly',
  ]);
});
