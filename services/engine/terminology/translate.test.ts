// ConceptMap/$translate, black-box (contract: engine, "Terminology"; decision E5).
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import {
  AGE,
  conceptMap,
  LAB,
  LOCAL,
  MAP,
  OLD,
  type Part,
  partOf,
  to,
  translating,
} from '#test/support/engine/translate-maps.ts';

const engine = await startTestEngine({ after });
const { call } = engine;
const { get, post } = await translating(engine);

describe('$translate by GET', () => {
  const of = (code: string, more = '') => `url=${MAP}&system=${LOCAL}&sourceCode=${code}${more}`;
  const rows: readonly (readonly [what: string, query: string, result: boolean, matches: readonly string[]])[] = [
    ['a code', of('glucose'), true, ['equivalent GLU local-to-lab|1']],
    [
      'several targets, those declared unrelated too',
      of('blood'),
      true,
      ['source-is-broader-than-target HB local-to-lab|1', 'not-related-to WBC local-to-lab|1'],
    ],
    ['nothing but what is unrelated', of('apart'), false, ['not-related-to WBC local-to-lab|1']],
    ['noMap', of('nothing'), false, []],
    ['a code that the map does not list', of('odd'), false, []],
    ['a code of another system', `url=${MAP}&system=${OLD}&sourceCode=glucose`, false, []],
    ['a set of codes mapped as one', of('eos'), true, ['source-is-narrower-than-target WBC local-to-lab|1']],
    ['a set of targets', of('both'), true, ['related-to GLU local-to-lab|1', 'related-to FRU local-to-lab|1']],
    [
      'sourceScope that has it',
      of('eos', '&sourceScope=http://x.org/cells'),
      true,
      ['source-is-narrower-than-target WBC local-to-lab|1'],
    ],
    ['sourceScope that lacks it', of('glucose', '&sourceScope=http://x.org/cells'), false, []],
    [
      'targetScope',
      of('both', `&targetScope=http://x.org/sugars`),
      true,
      ['related-to GLU local-to-lab|1', 'related-to FRU local-to-lab|1'],
    ],
    ['targetScope that lacks it', of('blood', `&targetScope=http://x.org/sugars`), false, []],
    ['targetSystem', of('glucose', `&targetSystem=${LAB}`), true, ['equivalent GLU local-to-lab|1']],
    ['sourceSystem', `url=${MAP}&sourceSystem=${LOCAL}&sourceCode=glucose`, true, ['equivalent GLU local-to-lab|1']],
    ['sourceSystem of another code', `url=${MAP}&sourceSystem=${OLD}&sourceCode=glucose`, false, []],
    [
      'targetCode with sourceSystem',
      `url=${MAP}&targetSystem=${LAB}&targetCode=GLU&sourceSystem=${LOCAL}`,
      true,
      ['equivalent glucose local-to-lab|1', 'related-to both local-to-lab|1'],
    ],
    [
      'targetCode with another sourceSystem',
      `url=${MAP}&targetSystem=${LAB}&targetCode=GLU&sourceSystem=${OLD}`,
      false,
      [],
    ],
    ['another targetSystem', of('glucose', `&targetSystem=${OLD}`), false, []],
    [
      'the source code where unmapped',
      `url=http://x.org/same&system=${LOCAL}&sourceCode=odd`,
      true,
      ['equivalent odd same|1'],
    ],
    [
      'a fixed code where unmapped',
      `url=http://x.org/fixed&system=${LOCAL}&sourceCode=odd`,
      true,
      ['related-to FRU fixed|1'],
    ],
    [
      'a fixed set where unmapped',
      `url=http://x.org/set&system=${LOCAL}&sourceCode=odd`,
      true,
      ['related-to GLU set|1', 'related-to FRU set|1'],
    ],
    [
      'nothing of that where mapped',
      `url=http://x.org/fixed&system=${LOCAL}&sourceCode=glucose`,
      true,
      ['equivalent GLU fixed|1'],
    ],
    [
      'another map where unmapped',
      `url=http://x.org/onward&system=${LOCAL}&sourceCode=eos`,
      true,
      ['source-is-narrower-than-target WBC local-to-lab|1'],
    ],
    [
      'another map where unmapped, to its system alone',
      `url=http://x.org/onward&system=${LOCAL}&sourceCode=eos&targetSystem=${OLD}`,
      false,
      [],
    ],
    [
      'unmapped within the scope of the map',
      `url=http://x.org/scoped&system=${LOCAL}&sourceCode=eos`,
      true,
      ['related-to FRU scoped|1'],
    ],
    ['unmapped outside the scope of the map', `url=http://x.org/scoped&system=${LOCAL}&sourceCode=odd`, false, []],
    [
      'the newest version',
      `url=http://x.org/versions&system=${LOCAL}&sourceCode=glucose`,
      true,
      ['equivalent FRU versions|2'],
    ],
    [
      'conceptMapVersion',
      `url=http://x.org/versions&conceptMapVersion=1&system=${LOCAL}&sourceCode=glucose`,
      true,
      ['equivalent GLU versions|1'],
    ],
    [
      'url|version',
      `url=http://x.org/versions|1&system=${LOCAL}&sourceCode=glucose`,
      true,
      ['equivalent GLU versions|1'],
    ],
    [
      'a retired map by its name',
      `url=http://x.org/past&system=${OLD}&sourceCode=glucose`,
      true,
      ['equivalent HB past|1'],
    ],
    ['a retired map without a name', `system=${OLD}&sourceCode=glucose`, false, []],
    [
      'back from a target',
      `url=${MAP}&targetSystem=${LAB}&targetCode=WBC`,
      true,
      [
        'not-related-to blood local-to-lab|1',
        'not-related-to apart local-to-lab|1',
        'source-is-narrower-than-target eos local-to-lab|1',
      ],
    ],
    [
      'back from a target of a set',
      `url=${MAP}&system=${LAB}&targetCode=FRU`,
      true,
      ['related-to both local-to-lab|1'],
    ],
    ['back to one system alone', `url=${MAP}&targetSystem=${LAB}&targetCode=GLU&system=${OLD}`, false, []],
  ];
  for (const [what, query, result, expected] of rows) {
    test(what, async () => assert.deepEqual(await get(query), [result, expected]));
  }

  test('by id', async () => {
    assert.deepEqual(await get(`system=${LOCAL}&sourceCode=glucose`, '/versions-1'), [
      true,
      ['equivalent GLU versions|1'],
    ]);
  });

  test('without a map: whatever maps are here, published ones too', async () => {
    const [result, found] = await get('system=http://hl7.org/fhir/administrative-gender&sourceCode=female');
    assert.deepEqual(
      [result, found.filter((each) => each.includes('v3'))],
      [true, ['equivalent F http://hl7.org/fhir/ConceptMap/cm-administrative-gender-v3|5.0.0']],
    );
  });
});

describe('$translate by POST', () => {
  const url = { name: 'url', valueUri: MAP };
  const coding = (code: string, system = LOCAL) => ({ system, code });
  const source = (code: string) => ({ name: 'sourceCoding', valueCoding: coding(code) });
  const age = (value: object, attribute = AGE) => ({
    name: 'dependency',
    part: [
      { name: 'attribute', valueUri: attribute },
      { name: 'value', ...value },
    ],
  });
  const [adult, child] = ['equivalent ADULT local-to-lab|1', 'equivalent CHILD local-to-lab|1'];
  const sent = conceptMap('sent', { element: [{ code: 'odd', target: [to('HB')] }] });
  const rows: readonly (readonly [
    what: string,
    parameters: readonly object[],
    result: boolean,
    matches: readonly string[],
  ])[] = [
    ['sourceCoding', [url, source('glucose')], true, ['equivalent GLU local-to-lab|1']],
    [
      'sourceCodeableConcept',
      [
        url,
        {
          name: 'sourceCodeableConcept',
          valueCodeableConcept: { coding: [coding('odd'), coding('glucose'), coding('glucose')] },
        },
      ],
      true,
      ['equivalent GLU local-to-lab|1'],
    ],
    [
      'targetCoding',
      [url, { name: 'targetCoding', valueCoding: coding('GLU', LAB) }],
      true,
      ['equivalent glucose local-to-lab|1', 'related-to both local-to-lab|1'],
    ],
    [
      'targetCodeableConcept',
      [url, { name: 'targetCodeableConcept', valueCodeableConcept: { coding: [coding('HB', LAB)] } }],
      true,
      ['source-is-broader-than-target blood local-to-lab|1'],
    ],
    ['no dependency: all that may hold', [url, source('count')], true, [adult, child]],
    ['a dependency by its URI', [url, source('count'), age({ valueCode: 'adult' })], true, [adult]],
    ['a dependency by its code', [url, source('count'), age({ valueCode: 'adult' }, 'age')], true, [adult]],
    [
      'a dependency as a Coding',
      [url, source('count'), age({ valueCoding: { system: AGE, code: 'adult' } })],
      true,
      [adult],
    ],
    [
      'a dependency on a value set',
      [url, source('count'), age({ valueCoding: { system: AGE, code: 'baby' } })],
      true,
      [child],
    ],
    ['a dependency that nothing holds for', [url, source('count'), age({ valueCode: 'dog' })], false, []],
    ['a map that is sent', [{ name: 'conceptMap', resource: sent }, source('odd')], true, ['equivalent HB sent|1']],
    [
      'a map that is brought',
      [{ name: 'tx-resource', resource: sent }, { name: 'url', valueUri: 'http://x.org/sent' }, source('odd')],
      true,
      ['equivalent HB sent|1'],
    ],
  ];
  for (const [what, parameters, result, expected] of rows) {
    test(what, async () => assert.deepEqual(await post(...parameters), [result, expected]));
  }

  test('a match names its products, properties, what it depends on, and the name of its code', async () => {
    const asked = { resourceType: 'Parameters', parameter: [url, source('count'), age({ valueCode: 'adult' })] };
    const { body } = await call('planner', 'POST', '/ConceptMap/$translate', asked);
    assert.deepEqual(body.parameter, [
      { name: 'result', valueBoolean: true },
      {
        name: 'match',
        part: [
          { name: 'relationship', valueCode: 'equivalent' },
          { name: 'concept', valueCoding: { system: LAB, code: 'ADULT', display: 'The ADULT' } },
          {
            name: 'property',
            part: [
              { name: 'uri', valueUri: 'http://x.org/priority' },
              { name: 'value', valueInteger: 1 },
            ],
          },
          {
            name: 'product',
            part: [
              { name: 'attribute', valueUri: `${MAP}#unit` },
              { name: 'value', valueString: 'g/L' },
            ],
          },
          {
            name: 'dependsOn',
            part: [
              { name: 'attribute', valueUri: AGE },
              { name: 'value', valueCode: 'adult' },
            ],
          },
          { name: 'originMap', valueUri: `${MAP}|1` },
        ],
      },
    ]);
  });
});

test('the message says what else there is to know', async () => {
  const message = async (query: string) =>
    (await call('planner', 'GET', `/ConceptMap/$translate?${query}`)).body.parameter.find(
      ({ name }: Part) => name === 'message',
    )?.valueString;
  const of = `url=${MAP}&system=${LOCAL}`;
  assert.equal(await message(`${of}&sourceCode=glucose`), undefined);
  assert.equal(await message(`${of}&sourceCode=odd`), `There is no mapping of ${LOCAL}#odd here`);
  assert.equal(
    await message(`${of}&sourceCode=count`),
    `The matches hold only if their dependencies are met; give these attributes as dependency: ${AGE}`,
  );
  assert.match(await message(`${of}&sourceCode=apart`), /not related to any/);
  assert.match(await message(`${of}&sourceCode=odd&sourceScope=http://x.org/cells`), /source scope/);
});

test('names of codes in the wanted language', async () => {
  const { body } = await call(
    'planner',
    'GET',
    `/ConceptMap/$translate?url=${MAP}&system=${LOCAL}&sourceCode=glucose&displayLanguage=sv`,
  );
  const [, match] = body.parameter as readonly Part[];
  assert.equal(partOf(match!, 'concept')?.valueCoding?.display, 'Glukos');
});

describe('what cannot be translated is refused', () => {
  const rows: readonly (readonly [what: string, query: string, status: number, issue: string])[] = [
    ['nothing to translate', `url=${MAP}`, 400, 'required'],
    ['a code without its system', `url=${MAP}&sourceCode=glucose`, 400, 'required'],
    ['a target code without its system', `url=${MAP}&targetCode=GLU`, 400, 'required'],
    ['source and target', `url=${MAP}&system=${LOCAL}&sourceCode=a&targetCode=b`, 400, 'value'],
    ['an unknown map', `url=urn:none&system=${LOCAL}&sourceCode=a`, 404, 'not-found'],
    ['an unknown version', `url=${MAP}|9&system=${LOCAL}&sourceCode=a`, 404, 'not-found'],
    ['an unknown scope', `url=${MAP}&system=${LOCAL}&sourceCode=a&sourceScope=urn:none`, 404, 'not-found'],
    ['another map that is not here', `url=http://x.org/astray&system=${LOCAL}&sourceCode=odd`, 404, 'not-found'],
    ['a map that leads to itself', `url=http://x.org/circle&system=${LOCAL}&sourceCode=odd`, 422, 'invalid'],
  ];
  for (const [what, query, status, issue] of rows) {
    test(what, async () => {
      const { status: found, body } = await call('planner', 'GET', `/ConceptMap/$translate?${query}`);
      assert.deepEqual([found, body.issue[0].code], [status, issue]);
    });
  }

  test('an unknown id, and a caller who may not', async () => {
    const address = `$translate?system=${LOCAL}&sourceCode=a`;
    assert.equal((await call('planner', 'GET', `/ConceptMap/none/${address}`)).status, 404);
    assert.equal((await call(undefined, 'GET', `/ConceptMap/${address}`)).status, 401);
  });

  test('every invalid parameter is named', async () => {
    const { status, body } = await call('planner', 'POST', '/ConceptMap/$translate', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'url', valueUri: MAP },
        { name: 'sourceCoding', valueString: 'glucose' },
        { name: 'dependency', part: [{ name: 'attribute', valueUri: AGE }] },
      ],
    });
    assert.equal(status, 400);
    assert.deepEqual(body.issue.map(({ expression }: { expression: string[] }) => expression[0]).sort(), [
      'dependency',
      'sourceCoding',
    ]);
  });
});
