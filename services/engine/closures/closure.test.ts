// `$closure`, black-box: tables are made, filled and resynchronised; two requests at once lose nothing.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { atOnce } from '#test/support/system/at-once.ts';

const { call } = await startTestEngine({ after });

const URL = 'http://x.org/rivers';
/** A chain of codes beside one with two parents. */
const chain = (depth: number, at = 0): object => ({
  code: `c${at}`,
  ...(at + 1 < depth ? { concept: [chain(depth, at + 1)] } : {}),
});
const rivers = {
  resourceType: 'CodeSystem',
  id: 'rivers',
  url: URL,
  status: 'active',
  content: 'complete',
  caseSensitive: false,
  hierarchyMeaning: 'is-a',
  concept: [
    chain(40),
    { code: 'water' },
    { code: 'border' },
    { code: 'river', property: ['water', 'border'].map((valueCode) => ({ code: 'parent', valueCode })) },
  ],
};
const seas = { ...rivers, id: 'seas', url: 'http://x.org/seas', hierarchyMeaning: 'part-of', concept: [chain(3)] };
for (const each of [rivers, seas]) {
  const { status, text } = await call('planner', 'PUT', `/CodeSystem/${each.id}`, each);
  assert.equal(status, 201, text);
}

interface Asked {
  readonly codes?: readonly string[];
  readonly system?: string;
  readonly version?: string;
  readonly as?: string;
}

function ask(name: string, { codes = [], system = URL, version, as = 'planner' }: Asked = {}) {
  const parameter = [
    { name: 'name', valueString: name },
    ...codes.map((code) => ({ name: 'concept', valueCoding: { system, code } })),
    ...(version === undefined ? [] : [{ name: 'version', valueString: version }]),
  ];
  return call(as, 'POST', '/$closure', { resourceType: 'Parameters', parameter });
}

type Answer = Awaited<ReturnType<typeof ask>>;
interface Element {
  readonly code: string;
  readonly target: readonly { readonly code: string; readonly relationship: string }[];
}

/** The version, and the entries as `narrower<broader`. */
function entries({ status, body, text }: Answer): readonly [version: string, entries: readonly string[]] {
  assert.equal(status, 200, text);
  const elements: Element[] = (body.group ?? []).flatMap(({ element }: { element: Element[] }) => element);
  const found = elements.flatMap(({ code, target }) =>
    target.map((each) => {
      assert.equal(each.relationship, 'source-is-narrower-than-target');
      return `${code}<${each.code}`;
    }),
  );
  return [body.version, found.sort()];
}

test('a table is made, filled step by step, and answers what came after a version', async () => {
  assert.deepEqual(entries(await ask('steps')), ['1', []]);
  assert.deepEqual(entries(await ask('steps', { codes: ['river'] })), ['2', []]);
  assert.deepEqual(entries(await ask('steps', { codes: ['WATER', 'c3'] })), ['3', ['river<water']]);
  assert.deepEqual(entries(await ask('steps', { codes: ['c1', 'c5', 'border'] })), [
    '4',
    ['c3<c1', 'c5<c1', 'c5<c3', 'river<border'],
  ]);
  assert.deepEqual(entries(await ask('steps', { codes: ['c1', 'water'] })), ['4', []]);
  assert.deepEqual(entries(await ask('steps', { version: '3' })), ['4', ['c3<c1', 'c5<c1', 'c5<c3', 'river<border']]);
  assert.deepEqual(entries(await ask('steps', { version: '4' })), ['4', []]);
  assert.equal(entries(await ask('steps', { version: '1' }))[1].length, 5);
});

test('an answer is a valid ConceptMap', async () => {
  await ask('valid');
  const { body } = await ask('valid', { codes: ['c0', 'c1', 'river', 'water'] });
  const checked = await call('planner', 'POST', '/ConceptMap/$validate', body);
  assert.deepEqual(
    checked.body.issue.map(({ severity }: { severity: string }) => severity),
    ['success'],
    checked.text,
  );
});

test('an initialised table is empty, and versions of before are refused', async () => {
  await ask('again');
  await ask('again', { codes: ['c1', 'c2'] });
  assert.deepEqual(entries(await ask('again')), ['3', []]);
  for (const version of ['2', '4', 'x']) {
    const { status, text } = await ask('again', { version });
    assert.equal(status, version === 'x' ? 400 : 422, text);
  }
  assert.deepEqual(entries(await ask('again', { codes: ['c2', 'c1'] })), ['4', ['c2<c1']]);
});

test('a code system whose hierarchy means something else has no entries', async () => {
  await ask('parts');
  assert.deepEqual(entries(await ask('parts', { codes: ['c0', 'c1'], system: seas.url })), ['2', []]);
});

test('a table is of its caller alone', async () => {
  await ask('mine');
  assert.equal((await ask('mine', { codes: ['c1'], as: 'admin' })).status, 404);
  assert.deepEqual(entries(await ask('mine', { as: 'admin' })), ['1', []]);
  assert.deepEqual(entries(await ask('mine', { codes: ['c1'] })), ['2', []]);
});

test('what cannot be added is refused, and nothing is added', async () => {
  await ask('refused');
  const many = Array.from({ length: 1_001 }, (_, index) => `m${index}`);
  const rows: readonly (readonly [asked: Asked, status: number])[] = [
    [{ codes: ['c1', 'none'] }, 404],
    [{ codes: ['c1'], system: 'urn:none' }, 404],
    [{ codes: many }, 422],
    [{ codes: ['c1'], version: '1' }, 400],
  ];
  for (const [asked, status] of rows) {
    const answer = await ask('refused', asked);
    assert.deepEqual([answer.status, answer.body.resourceType], [status, 'OperationOutcome'], answer.text);
  }
  assert.equal((await ask('never', { codes: ['c1'] })).status, 404);
  assert.equal((await ask('n'.repeat(201))).status, 400);
  assert.deepEqual(entries(await ask('refused', { version: '1' })), ['1', []]);
  const misspelt = { resourceType: 'Parameters', parameter: [{ name: 'nane', valueString: 'x' }] };
  assert.equal((await call('planner', 'POST', '/$closure', misspelt)).status, 400);
  assert.equal((await call('patient', 'POST', '/$closure', misspelt)).status, 403);
});

test('every error of a request is named', async () => {
  const parameter = (name: string, value: object) => ({ name, ...value });
  const coding = (code: string, system?: string) =>
    parameter('concept', { valueCoding: { code, ...(system === undefined ? {} : { system }) } });
  const noText = parameter('name', { valueCoding: { code: 'x' } });
  const misspelt = parameter('nane', { valueString: 'x' });
  const rows: readonly (readonly [given: readonly object[], fields: readonly string[]])[] = [
    [[noText], ['name']],
    [
      [noText, parameter('version', { valueString: 'x' })],
      ['name', 'version'],
    ],
    [
      [noText, coding('c1')],
      ['concept', 'name'],
    ],
    [
      [noText, coding('none', URL), coding('c1', 'urn:none')],
      ['concept', 'concept', 'name'],
    ],
    [
      [noText, misspelt],
      ['name', 'nane'],
    ],
    [
      [misspelt, coding('c1')],
      ['concept', 'name', 'nane'],
    ],
    [
      [
        parameter('name', { valueString: 'n'.repeat(201) }),
        parameter('version', { valueString: 'x' }),
        coding('c1', URL),
      ],
      ['name', 'version', 'version'],
    ],
  ];
  for (const [given, fields] of rows) {
    const answer = await call('planner', 'POST', '/$closure', { resourceType: 'Parameters', parameter: given });
    assert.equal(answer.status, 400, answer.text);
    const named = answer.body.issue.flatMap(({ expression }: { expression?: string[] }) => expression ?? []);
    assert.deepEqual(named.sort(), fields, answer.text);
  }
});

test('requests at once follow one another: every pair is there, once', async () => {
  await ask('race');
  const codes = Array.from({ length: 40 }, (_, index) => `c${index}`);
  const shares = [0, 1, 2, 3, 4].map((share) => codes.filter((_, index) => index % 5 === share));
  const answers = await atOnce(shares.map((some) => () => ask('race', { codes: some })));
  const versions = answers.map((each) => entries(each)[0]).sort();
  assert.deepEqual(versions, ['2', '3', '4', '5', '6']);
  const all = entries(await ask('race', { version: '1' }))[1];
  assert.equal(all.length, (40 * 39) / 2);
  assert.deepEqual(answers.flatMap((each) => entries(each)[1]).sort(), all);
});

test('a caller has a hundred tables; one that was not used for 30 days makes room', async (context) => {
  const { call: ofCaller, clock } = await startTestEngine(context);
  const make = async (name: string) => {
    const parameter = [{ name: 'name', valueString: name }];
    return (await ofCaller('planner', 'POST', '/$closure', { resourceType: 'Parameters', parameter })).status;
  };
  for (let table = 0; table < 100; table += 1) assert.equal(await make(`t${table}`), 200);
  assert.deepEqual([await make('more'), await make('t0')], [422, 200]);
  clock.time += 31 * 24 * 60 * 60 * 1000;
  assert.equal(await make('more'), 200);
});
