// What a request may ask for at most: neither deep definitions nor many values end in an unexpected error.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { catalogOfRequest } from '../catalog/table-catalog.ts';
import { wholePart } from '../content/content.ts';
import { filterByText } from '../content/text-filter.ts';
import { finished, UnfinishedWork } from '../content/unfinished.ts';
import { type Json, objects } from '../json.ts';
import { issueLines } from '../testing/answers.ts';
import { operationsOver } from '../testing/run-operation.ts';
import { Inputs } from './inputs.ts';
import { readLanguages } from './languages.ts';
import { refuseUnknown } from './parameter-names.ts';

const system = 'http://x.org/stones';
const numbered = (count: number): Json[] =>
  Array.from({ length: count }, (_, at) => ({ code: `c${at}`, display: `Stone ${at}` }));

function codeSystem(concept: readonly Json[]): Json {
  return { resourceType: 'CodeSystem', url: system, status: 'active', content: 'complete', concept };
}

function valueSet(url: string, include: Json): Json {
  return { resourceType: 'ValueSet', url, status: 'active', compose: { include: [include] } };
}

const parameter = (name: string, valueString: string): Json => ({ name, valueString });

describe('value sets that include others', () => {
  /** `count` value sets, each of which includes the next; the last has the codes. */
  const chain = (count: number): Json[] =>
    Array.from({ length: count }, (_, at) =>
      valueSet(`http://x.org/${at}`, at === count - 1 ? { system } : { valueSet: [`http://x.org/${at + 1}`] }),
    );
  const expand = (count: number) =>
    operationsOver([codeSystem(numbered(2)), ...chain(count)])('ValueSet/$expand', [
      parameter('url', 'http://x.org/0'),
    ]);

  test('a hundred in a row', async () => {
    const [expansion] = objects((await expand(100))['expansion']);
    assert.equal(expansion?.['total'], 2);
  });

  for (const count of [101, 3_000]) {
    test(`${count} in a row are refused`, async () => {
      assert.deepEqual(issueLines(await expand(count)), ['error too-costly']);
    });
  }
});

describe('a hierarchy', () => {
  const levels = (count: number): Json[] =>
    Array.from({ length: count }, (_, at) => ({
      code: `c${at}`,
      property: at === 0 ? [] : [{ code: 'parent', valueCode: `c${at - 1}` }],
    }));
  async function depthOf(count: number): Promise<readonly [depth: number, first: number]> {
    const run = operationsOver([codeSystem(levels(count)), valueSet('http://x.org/all', { system })]);
    const [expansion] = objects((await run('ValueSet/$expand', [parameter('url', 'http://x.org/all')]))['expansion']);
    const roots = objects(expansion?.['contains']);
    let depth = 0;
    for (let level = roots; level.length > 0; depth += 1) level = level.flatMap(({ contains }) => objects(contains));
    return [depth, roots.length];
  }

  test('is nested up to a hundred levels', async () => assert.deepEqual(await depthOf(100), [100, 1]));
  for (const count of [101, 9_000])
    test(`is a list with ${count} levels`, async () => assert.deepEqual(await depthOf(count), [1, count]));
});

describe('the values of a parameter', () => {
  const run = operationsOver([codeSystem(numbered(2)), valueSet('http://x.org/all', { system })]);
  const expand = (more: readonly Json[]) => run('ValueSet/$expand', [parameter('url', 'http://x.org/all'), ...more]);
  const repeated = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => parameter(name, `http://x.org/v${at}`));

  for (const name of ['property', 'designation', 'exclude-system']) {
    test(`${name} has a hundred`, async () => {
      assert.equal((await expand(repeated(name, 100)))['resourceType'], 'ValueSet');
      assert.equal(
        (await expand([...repeated(name, 100), ...repeated(name, 100)]))['resourceType'],
        'ValueSet',
        'twice',
      );
    });
    test(`${name} has more`, () => {
      const inputs = new Inputs(repeated(name, 101));
      assert.deepEqual(inputs.fewTexts(name), []);
      const message = `${name} must have at most 100 different values; it has 101`;
      assert.deepEqual(inputs.issues, [{ name, message }]);
    });
  }

  test('a text has a thousand characters', () => {
    const inputs = new Inputs([
      parameter('filter', 'a'.repeat(1_000)),
      parameter('displayLanguage', 'a'.repeat(1_001)),
    ]);
    assert.equal(inputs.shortText('filter')?.length, 1_000);
    assert.equal(inputs.shortText('displayLanguage'), undefined);
    assert.deepEqual(
      inputs.issues.map(({ message }) => message),
      ['displayLanguage must have at most 1000 characters; it has 1001'],
    );
  });

  test('of many languages the preferred ones are tried', () => {
    const many = Array.from({ length: 60 }, (_, at) => `aa-${at + 100};q=0.${at + 10}`).join(', ');
    const { tags } = readLanguages(`${many}, sv, sv`);
    assert.deepEqual([tags.length, tags[0], tags[1]], [50, 'sv', 'aa-159']);
  });
});

describe('unknown parameters', () => {
  const OPERATION = { type: 'ValueSet', name: 'expand' };
  const messagesOf = (names: readonly string[]): readonly string[] => {
    const inputs = new Inputs([]);
    refuseUnknown(inputs, OPERATION, names);
    return inputs.issues.map(({ message }) => message);
  };
  const hint = (name: string): string | undefined => / is (\S+) meant/.exec(messagesOf([name])[0] ?? '')?.[1];

  for (const [given, meant] of [
    ['fitler', 'filter'],
    ['conut', 'count'],
    ['excludeNestde', 'excludeNested'],
    ['filtr', 'filter'],
    ['fillter', 'filter'],
    ['dtae', 'date'],
    ['code', undefined],
    ['something', undefined],
  ] as const) {
    test(`${given} for ${meant}`, () => assert.equal(hint(given), meant));
  }

  test('each is named, and what is meant by the first of many', () => {
    const misspelt = new Map([
      [5, 'fitler'],
      [20_000, 'filtre'],
    ]);
    const names = Array.from({ length: 30_000 }, (_, at) => misspelt.get(at) ?? `p${at}`);
    const messages = messagesOf(names);
    assert.equal(messages.length, names.length);
    assert.match(messages[5] ?? '', /is filter meant/);
    assert.doesNotMatch(messages[20_000] ?? '', /meant/);
  });
});

describe('many concepts in a request', () => {
  const definitionOf = (count: number) => {
    const [definition] = catalogOfRequest([codeSystem(numbered(count))]).codeSystems(system);
    assert.ok(definition !== undefined);
    return definition;
  };

  test('are read in a turn of their own', async () => {
    const definition = definitionOf(5_000);
    assert.throws(() => definition.model(), UnfinishedWork);
    assert.equal((await finished(() => definition.model())).size, 5_000);
    assert.equal(definition.model().size, 5_000, 'they are read once');
  });

  test('in whatever levels', () => {
    const [definition] = catalogOfRequest([codeSystem([{ code: 'root', concept: numbered(5_000) }])]).codeSystems(
      system,
    );
    assert.throws(() => definition?.model(), UnfinishedWork);
  });

  test('few are read at once', () => assert.equal(definitionOf(4_999).model().size, 4_999));

  test('$find-matches answers when they are read, and their words collected', async () => {
    const run = operationsOver([]);
    const answer = await run('CodeSystem/$find-matches', [
      { name: 'tx-resource', resource: codeSystem(numbered(5_000)) },
      { name: 'system', valueUri: system },
      { name: 'exact', valueBoolean: true },
      {
        name: 'property',
        part: [
          { name: 'code', valueCode: 'display' },
          { name: 'value', valueString: 'stone 17' },
        ],
      },
    ]);
    assert.equal(objects(answer['parameter']).length, 1);
  });

  test('and so are their words collected', async () => {
    const definition = definitionOf(5_000);
    const model = await finished(() => definition.model());
    const part = wholePart({ model, supplements: [] });
    const filter = () => filterByText([part], 'stone', () => 0);
    assert.throws(filter, UnfinishedWork);
    assert.equal((await finished(filter)).length, 1);
    assert.equal(model.hasWords, true);
  });
});
