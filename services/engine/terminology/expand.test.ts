// ValueSet/$expand, black-box (contract: engine, "Terminology"; decision E5).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { TX_ISSUE_TYPE } from '#fhir/resources/operation-outcome.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';

const { call } = await startTestEngine({ after });

interface Item {
  readonly code: string;
  readonly display?: string;
  readonly contains?: readonly Item[];
}

const FOOD = 'http://x.org/food';
const food = {
  resourceType: 'CodeSystem',
  id: 'food',
  url: FOOD,
  version: '1',
  status: 'active',
  experimental: true,
  content: 'complete',
  hierarchyMeaning: 'is-a',
  property: [{ code: 'colour', uri: 'http://x.org/colour', type: 'code' }],
  concept: [
    {
      code: 'fruit',
      display: 'Fruit',
      property: [{ code: 'notSelectable', valueBoolean: true }],
      concept: [
        {
          code: 'apple',
          display: 'Sour apple',
          designation: [
            { language: 'sv', value: 'Surt äpple' },
            { language: 'de', value: 'Saurer Apfel' },
          ],
          property: [{ code: 'colour', valueCode: 'green' }],
          concept: [{ code: 'granny', display: 'Granny Smith', property: [{ code: 'colour', valueCode: 'green' }] }],
        },
        { code: 'plum', display: 'Plum', property: [{ code: 'colour', valueCode: 'blue' }] },
      ],
    },
    { code: 'tripe', display: 'Tripe', property: [{ code: 'inactive', valueBoolean: true }] },
  ],
};
const valueSet = (id: string, compose: object) => ({
  resourceType: 'ValueSet',
  id,
  url: `http://x.org/${id}`,
  version: '3',
  status: 'active',
  compose,
});
for (const resource of [
  food,
  valueSet('all-food', { include: [{ system: FOOD }] }),
  valueSet('fruits', { include: [{ system: FOOD, filter: [{ property: 'concept', op: 'is-a', value: 'fruit' }] }] }),
  valueSet('green', { include: [{ system: FOOD, filter: [{ property: 'colour', op: '=', value: 'green' }] }] }),
  valueSet('others', {
    include: [
      { valueSet: ['http://x.org/fruits'] },
      { system: 'http://x.org/unknown', concept: [{ code: 'u', display: 'Unknown' }] },
    ],
    exclude: [{ valueSet: ['http://x.org/green'] }],
  }),
]) {
  const answer = await call('planner', 'PUT', `/${resource.resourceType}/${resource.id}`, resource);
  assert.equal(answer.status, 201, answer.text);
}

function tree(items: readonly Item[] = []): unknown[] {
  return items.map(({ code, contains }) => (contains === undefined ? code : [code, ...tree(contains)]));
}

async function codes(id: string, query = ''): Promise<unknown[]> {
  const { body, status, text } = await call('planner', 'GET', `/ValueSet/${id}/$expand?${query}`);
  assert.equal(status, 200, text);
  return tree(body.expansion.contains);
}

test('a hierarchy is kept or flattened', async () => {
  assert.deepEqual(await codes('all-food'), [['fruit', ['apple', 'granny'], 'plum'], 'tripe']);
  assert.deepEqual(await codes('all-food', 'excludeNested=true'), ['fruit', 'apple', 'granny', 'plum', 'tripe']);
  assert.deepEqual(await codes('fruits'), [['fruit', ['apple', 'granny'], 'plum']]);
});

test('a code system that names parents is listed depth first, whole, by pages and by text', async () => {
  const below = (code: string, ...parents: string[]) => ({
    code,
    display: `Thing ${code}`,
    property: parents.map((valueCode) => ({ code: 'parent', valueCode })),
  });
  const resource = {
    resourceType: 'CodeSystem',
    url: 'http://x.org/flat',
    version: '1',
    status: 'active',
    content: 'complete',
    hierarchyMeaning: 'is-a',
    property: [{ code: 'parent', uri: 'http://hl7.org/fhir/concept-properties#parent', type: 'code' }],
    concept: [
      below('leaf', 'branch'),
      below('root'),
      below('other'),
      below('branch', 'root'),
      below('both', 'other', 'branch'),
    ],
  };
  const valueSetOfAll = {
    resourceType: 'ValueSet',
    status: 'active',
    compose: { include: [{ system: resource.url }] },
  };
  const listed = async (...asked: object[]) => {
    const parameter = [{ name: 'valueSet', resource: valueSetOfAll }, { name: 'tx-resource', resource }, ...asked];
    const { body, text } = await call('planner', 'POST', '/ValueSet/$expand', {
      resourceType: 'Parameters',
      parameter,
    });
    assert.ok(body.expansion, text);
    return tree(body.expansion.contains);
  };
  const order = ['root', 'branch', 'leaf', 'both', 'other'];
  assert.deepEqual(await listed({ name: 'excludeNested', valueBoolean: true }), order);
  assert.deepEqual(await listed({ name: 'filter', valueString: 'thing' }), order);
  assert.deepEqual(await listed({ name: 'count', valueInteger: 2 }, { name: 'offset', valueInteger: 2 }), [
    'leaf',
    'both',
  ]);
});

test('the answer is the value set with its expansion, and says how it was made', async () => {
  const { body } = await call(
    'planner',
    'GET',
    '/ValueSet/$expand?url=http://x.org/fruits&excludeNested=true&count=2&offset=1',
  );
  const { expansion, ...head } = body;
  assert.deepEqual(
    [head.url, head.version, head.status, head.compose],
    ['http://x.org/fruits', '3', 'active', undefined],
  );
  assert.match(expansion.identifier, /^urn:uuid:/);
  assert.deepEqual([expansion.total, expansion.offset], [4, 1]);
  assert.deepEqual(tree(expansion.contains), ['apple', 'granny']);
  assert.deepEqual(expansion.parameter, [
    { name: 'offset', valueInteger: 1 },
    { name: 'count', valueInteger: 2 },
    { name: 'excludeNested', valueBoolean: true },
    { name: 'used-codesystem', valueUri: `${FOOD}|1` },
    { name: 'warning-experimental', valueUri: `${FOOD}|1` },
  ]);
  const defined = await call('planner', 'GET', '/ValueSet/$expand?url=http://x.org/fruits&includeDefinition=true');
  assert.equal(defined.body.compose.include[0].system, FOOD);
});

test('paging walks through everything once, over several systems', async () => {
  const found: unknown[] = [];
  for (let offset = 0; offset < 5; offset += 1) found.push(...(await codes('others', `count=1&offset=${offset}`)));
  assert.deepEqual(found, ['fruit', 'plum', 'u']);
  assert.deepEqual(await codes('others', 'count=0'), []);
});

test('text finds the beginnings of words in any name, whatever the case and the accents', async () => {
  assert.deepEqual(await codes('all-food', 'filter=apple'), ['apple']);
  assert.deepEqual(await codes('all-food', 'filter=AP%20so'), ['apple']);
  assert.deepEqual(await codes('all-food', 'filter=%C3%84PP'), ['apple']);
  assert.deepEqual(await codes('all-food', 'filter=apf%20sau'), ['apple']);
  assert.deepEqual(await codes('all-food', 'filter=pple'), []);
  assert.deepEqual(await codes('all-food', 'filter=smi'), ['granny']);
  assert.deepEqual(await codes('others', 'filter=unkn'), ['u']);
  assert.deepEqual(await codes('all-food', 'filter=-'), ['fruit', 'apple', 'granny', 'plum', 'tripe']);
});

test('only what is in use, only what may be chosen, only some systems', async () => {
  assert.deepEqual(await codes('all-food', 'activeOnly=true'), [['fruit', ['apple', 'granny'], 'plum']]);
  assert.deepEqual(await codes('fruits', 'excludeNotForUI=true&count=2&offset=1'), ['granny', 'plum']);
  assert.deepEqual(await codes('others', `exclude-system=${FOOD}`), ['u']);
});

test('names in the requested language; designations and properties when they are requested', async () => {
  const apple = async (query: string) =>
    (await call('planner', 'GET', `/ValueSet/green/$expand?${query}`)).body.expansion.contains[0];
  assert.deepEqual(await apple(''), { system: FOOD, code: 'apple', display: 'Sour apple' });
  assert.equal((await apple('displayLanguage=fi,sv-SE;q=0.8,de;q=0.5')).display, 'Surt äpple');
  assert.equal((await apple('displayLanguage=fi')).display, 'Sour apple');
  assert.deepEqual((await apple('includeDesignations=true')).designation, [
    { language: 'sv', value: 'Surt äpple' },
    { language: 'de', value: 'Saurer Apfel' },
  ]);
  assert.deepEqual((await apple('designation=urn:ietf:bcp:47|de')).designation, [
    { language: 'de', value: 'Saurer Apfel' },
  ]);
  const { body } = await call('planner', 'GET', '/ValueSet/green/$expand?property=colour&property=parent');
  assert.deepEqual(body.expansion.property, [
    { code: 'colour', uri: 'http://x.org/colour' },
    { code: 'parent', uri: 'http://hl7.org/fhir/concept-properties#parent' },
  ]);
  assert.deepEqual(body.expansion.contains[0].property, [
    { code: 'colour', valueCode: 'green' },
    { code: 'parent', valueCode: 'fruit' },
  ]);
});

test('a value set that is sent, with the definitions it needs, and versions that are forced', async () => {
  const other = { ...food, version: '2', concept: [{ code: 'new' }] };
  const asked = (...more: object[]) => ({
    resourceType: 'Parameters',
    parameter: [
      {
        name: 'valueSet',
        resource: { resourceType: 'ValueSet', status: 'draft', compose: { include: [{ system: FOOD, version: '1' }] } },
      },
      { name: 'tx-resource', resource: other },
      { name: 'excludeNested', valueBoolean: true },
      ...more,
    ],
  });
  const found = async (...more: object[]) => call('planner', 'POST', '/ValueSet/$expand', asked(...more));
  assert.equal((await found()).body.expansion.total, 5);
  assert.deepEqual(
    tree((await found({ name: 'force-system-version', valueUri: `${FOOD}|2` })).body.expansion.contains),
    ['new'],
  );
  const wrong = await found({ name: 'check-system-version', valueUri: `${FOOD}|2` });
  assert.equal(wrong.status, 422, wrong.text);
  // A validation answers what it is asked, and this as one of its issues.
  const checks = { name: 'check-system-version', valueUri: `${FOOD}|2` };
  const coding = { name: 'coding', valueCoding: { system: FOOD, code: 'apple' } };
  const versioned = { name: 'coding', valueCoding: { system: FOOD, version: '1', code: 'apple' } };
  const concept = { name: 'codeableConcept', valueCodeableConcept: { coding: [versioned.valueCoding] } };
  for (const [type, ...more] of [
    ['ValueSet', coding],
    ['ValueSet', versioned],
    ['ValueSet', concept],
    ['ValueSet', { name: 'code', valueCode: 'apple' }, { name: 'system', valueUri: FOOD }],
    ['CodeSystem', versioned],
  ] as const) {
    const { status, text, body } = await call('planner', 'POST', `/${type}/$validate-code`, asked(checks, ...more));
    assert.equal(status, 200, text);
    const part = (name: string) => body.parameter.find((each: { name: string }) => each.name === name);
    assert.equal(part('result').valueBoolean, false, text);
    const reported = part('issues').resource.issue.filter(
      (each: { details: { coding: { code: string }[] } }) => each.details.coding[0]?.code === 'version-error',
    );
    assert.deepEqual([reported.length, reported[0]?.severity, reported[0]?.code], [1, 'error', 'exception'], text);
    assert.match(reported[0].expression[0], /version$/);
    assert.match(part('message').valueString, /required to be '2' by a version-check parameter/);
  }
});

test('what cannot be expanded is refused, saying why', async () => {
  const refused = async (address: string) => {
    const { status, body } = await call('planner', 'GET', `/ValueSet${address}`);
    const [issue] = body.issue;
    const [coding] = issue.details.coding;
    return coding.system === TX_ISSUE_TYPE ? [status, issue.code, coding.code] : [status, issue.code];
  };
  assert.deepEqual(await refused('/$expand'), [400, 'required']);
  assert.deepEqual(await refused('/none/$expand'), [404, 'not-found', 'not-found']);
  assert.deepEqual(await refused('/$expand?url=urn:none'), [404, 'not-found', 'not-found']);
  assert.deepEqual(await refused('/$expand?url=http://hl7.org/fhir/ValueSet/mimetypes'), [
    422,
    'too-costly',
    'too-costly',
  ]);
  assert.deepEqual(await refused('/all-food/$expand?count=-1'), [400, 'value']);
  assert.deepEqual(await refused('/all-food/$expand?useSupplement=urn:none'), [404, 'not-found', 'not-found']);
  const many = Array.from({ length: 10_001 }, (_, index) => ({ code: `m${index}` }));
  const large = { ...food, id: 'many', url: 'urn:many', concept: many };
  assert.equal((await call('planner', 'PUT', '/CodeSystem/many', large)).status, 201);
  const whole = valueSet('many', { include: [{ system: 'urn:many' }] });
  assert.equal((await call('planner', 'PUT', '/ValueSet/many', whole)).status, 201);
  assert.deepEqual(await refused('/many/$expand'), [422, 'too-costly', 'too-costly']);
  assert.deepEqual(await codes('many', 'count=2&offset=9999'), ['m9999', 'm10000']);
});

test('exists asks for true or false', async () => {
  const expand = (value: string) => {
    const filter = [{ property: 'definition', op: 'exists', value }];
    const include = [{ system: 'http://hl7.org/fhir/administrative-gender', filter }];
    const valueSet = { resourceType: 'ValueSet', status: 'active', compose: { include } };
    return call('planner', 'POST', '/ValueSet/$expand', {
      resourceType: 'Parameters',
      parameter: [{ name: 'valueSet', resource: valueSet }],
    });
  };
  assert.equal((await expand('true')).body.expansion.total, 4);
  assert.equal((await expand('false')).body.expansion.total, 0);
  for (const wrong of ['yes', 'True', '1']) {
    const refused = await expand(wrong);
    assert.deepEqual([refused.status, refused.body.issue[0].code], [422, 'invalid'], refused.text);
    assert.match(refused.text, /must have the value true or false; it has /);
  }
});
