// A snapshot of made-up content in RF2 becomes a code system. The tests check what is in it, what ECL finds, and every
// error of a release with its file and line.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { evaluateExpression } from '../../ecl/evaluate.ts';
import { parseExpression } from '../../ecl/parser.ts';
import { members } from '../../model/bitset.ts';
import { CodeSystemModel } from '../../model/code-system-model.ts';
import { allOf } from '../../model/steps.ts';
import { isSctid, SctidTable, withCheckDigit } from './sctid.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';
import { BRITISH, creatureFiles, id, MODULE, VERSION } from './testing/creatures.ts';
import { columnsOf, writeRelease } from './testing/read-creatures.ts';

const folder = await temporaryDataDir();
after(() => rm(folder, { recursive: true, force: true }));
type Name = Parameters<typeof id>[0];
let releases = 0;

async function write(files: ReadonlyMap<string, string>): Promise<string> {
  releases += 1;
  const release = path.join(folder, `release${releases}`);
  await writeRelease(release, files);
  return release;
}

async function read(files: ReadonlyMap<string, string>, more: Partial<Snapshot> = {}) {
  const reported: string[] = [];
  const shares: number[] = [];
  const found = await readSnapshot({
    path: await write(files),
    options: {},
    checkHead: () => [],
    onIssue: ({ file = '', line, message }) => reported.push(`${path.basename(file)}:${line}: ${message}`),
    onProgress: ({ share }) => shares.push(share),
    signal: new AbortController().signal,
    ...more,
  });
  return { found, reported, shares };
}

async function creatures(more: Partial<Snapshot> = {}): Promise<CodeSystemModel> {
  const { found, reported } = await read(creatureFiles(), more);
  assert.deepEqual(reported, []);
  assert.ok(found !== undefined);
  const model = new CodeSystemModel(columnsOf(found));
  found.close();
  return model;
}

describe('identifiers of SNOMED CT', () => {
  it('have a check digit', () => {
    for (const right of ['138875005', '116680003', '900000000000207008', '46011000052107']) {
      assert.ok(isSctid(right), right);
      const wrong = `${right.slice(0, -1)}${(Number(right.at(-1)) + 1) % 10}`;
      assert.ok(!isSctid(wrong), wrong);
    }
    for (const wrong of ['', '12345', '0138875005', '13887500x', '1234567890123456789'])
      assert.ok(!isSctid(wrong), wrong);
  });

  it('are found in a table by all of their digits', () => {
    const table = new SctidTable();
    const ids = Array.from({ length: 5_000 }, (_, at) =>
      withCheckDigit(at % 2 === 0 ? `${1000 + at}00` : `${90_000 + at}000000010`),
    );
    for (const [place, each] of ids.entries()) assert.equal(table.add(each), place);
    for (const [place, each] of ids.entries()) {
      assert.equal(table.find(each), place);
      assert.equal(table.textAt(place), each);
    }
    assert.equal(table.find('999999999'), -1);
  });
});

describe('a snapshot in RF2', () => {
  it('becomes a code system of its edition', async () => {
    const { found, shares } = await read(creatureFiles());
    assert.ok(found !== undefined);
    assert.deepEqual([found.head['url'], found.head['version']], ['http://snomed.info/sct', VERSION]);
    assert.match(String(found.head['copyright']), /licence/);
    assert.equal(found.columns.size, 25);
    assert.ok(shares.every((share, at) => share >= (shares[at - 1] ?? 0) && share <= 1));
    found.close();
  });

  it('has names by language and dialect, properties and attributes with their groups', async () => {
    const model = await creatures();
    const [frost, dragon, wyrm] = [id('frostDragon'), id('dragon'), id('oldDragon')].map((each) => model.find(each));
    assert.ok(frost !== undefined && dragon !== undefined && wyrm !== undefined);
    assert.equal(model.display(frost), 'Gray frost dragon');
    const names = model.designations(frost).map(({ language, use, value }) => `${language} ${use?.code} ${value}`);
    assert.deepEqual(names, [
      'en-US preferredForLanguage Gray frost dragon',
      'en-GB preferredForLanguage Grey frost dragon',
      'sv-SE preferredForLanguage frostdrake',
      'en 900000000000013009 Gray frost dragon',
      'en 900000000000013009 Grey frost dragon',
      'sv 900000000000013009 frostdrake',
      'en 900000000000003001 Frost dragon (creature)',
    ]);
    assert.equal(model.definition(dragon), 'A creature with scales that breathes something.');
    assert.deepEqual([model.isInactive(wyrm), model.isInactive(frost)], [true, false]);
    assert.deepEqual(
      [...model.attributes(frost)].map(([group, list]) => [
        group,
        list.map(({ code, kind, value }) => [code, kind, value]),
      ]),
      [
        [0, [[id('heads'), 'decimal', '1']]],
        [
          1,
          [
            [id('breathes'), 'code', id('ice')],
            [id('livesIn'), 'code', id('mountain')],
          ],
        ],
      ],
    );
    const own: Record<string, string> = {};
    model.eachProperty(frost, (code, _kind, at) => {
      own[code] = model.text(at);
    });
    assert.deepEqual(own, { sufficientlyDefined: 'true', moduleId: MODULE, effectiveTime: '20260131' });
    assert.equal((await creatures({ options: { language: 'sv' } })).display(frost), 'frostdrake');
    assert.equal((await creatures({ options: { language: 'en-GB' } })).display(frost), 'Grey frost dragon');
  });

  it('answers expression constraints', async () => {
    const model = await creatures();
    const DRAGONS = ['fireDragon', 'frostDragon', 'seaDragon'] as const;
    const cases: readonly (readonly [ecl: string, found: readonly Name[]])[] = [
      [`< ${id('dragon')}`, DRAGONS],
      [`< ${id('dragon')} : ${id('breathes')} = << ${id('fire')}`, ['fireDragon']],
      [
        `< ${id('creature')} : { ${id('breathes')} = ${id('ice')}, ${id('livesIn')} = ${id('mountain')} }`,
        ['frostDragon'],
      ],
      [`* : { ${id('breathes')} = ${id('fire')}, ${id('livesIn')} = ${id('sea')} }`, []],
      [`* : ${id('breathes')} = ${id('fire')}, ${id('livesIn')} = ${id('sea')}`, ['fireDragon']],
      [`* : [2..*] ${id('breathes')} = *`, ['fireDragon']],
      [`* : ${id('heads')} > #1`, ['fireDragon']],
      [`* : R ${id('livesIn')} = ${id('seaDragon')}`, ['sea']],
      [`< ${id('dragon')} . ${id('breathes')}`, ['fire', 'ice', 'steam']],
      [`^ ${id('favourites')}`, ['frostDragon', 'griffin', 'oldDragon']],
      [`^ ${id('favourites')} {{ C active = 0 }}`, ['oldDragon']],
      [`^ ${id('map')} {{ M mapTarget = wild:"g*" }}`, ['griffin']],
      ['^ [targetComponentId] 900000000000527005', ['dragon']],
      [`${id('dragon')} {{ + HISTORY-MIN }}`, ['dragon', 'oldDragon']],
      [`${id('griffin')} {{ + HISTORY-MOD }}`, ['griffin']],
      [`${id('griffin')} {{ + HISTORY }}`, ['griffin', 'oldDragon']],
      ['* {{ term = "drak", language = sv, dialect = sv-se (prefer) }}', ['dragon']],
      [`* {{ term = "gray", dialectId = ${BRITISH} (accept) }}`, ['frostDragon']],
      [`<< ${id('dragon')} {{ C definitionStatus = defined, effectiveTime < "20260101" }}`, ['fireDragon']],
      [`!!> (${id('dragon')} OR ${id('seaDragon')} OR ${id('sea')})`, ['dragon', 'sea']],
    ];
    for (const [ecl, expected] of cases) {
      const found = members(allOf(evaluateExpression(parseExpression(ecl), model))).map((place) => model.code(place));
      assert.deepEqual(found.sort(), expected.map(id).sort(), ecl);
    }
    assert.throws(() => allOf(evaluateExpression(parseExpression('<< 404684003'), model)), /has no code 404684003/);
  });

  it('with errors has each named with its file and line', async () => {
    const change = (form: string, edit: (text: string) => string) =>
      new Map([...creatureFiles()].map(([name, text]) => [name, name.includes(form) ? edit(text) : text]));
    const row =
      (...cells: string[]) =>
      (text: string) =>
        `${text}${cells.join('\t')}\r\n`;
    const lines = (form: string) =>
      [...creatureFiles()].find(([name]) => name.includes(form))?.[1].split('\n').length ?? 0;
    const common = (each: string) => [each, '20260131', '1', MODULE];
    const relation = (source: string, target: string) => [
      ...common('100022'),
      source,
      target,
      '0',
      '116680003',
      '900000000000011006',
      '',
    ];
    const cases: readonly [form: string, edit: (text: string) => string, RegExp][] = [
      [
        'sct2_Concept_S',
        row(...common('99100101'), 'x'),
        /sct2_Concept_Snapshot_XX_20260131.txt:27: 99100101 is no identifier of a concept/,
      ],
      ['sct2_Concept_S', row(...common(id('dragon')), 'x'), /:27: the concept \d+ is there twice/],
      ['sct2_Concept_S', row('138875005', '2026', '2', MODULE, 'x'), /:27: the effectiveTime 2026 is no date/],
      ['sct2_Concept_S', row('138875005', 'x'), /:27: there are 2 cells, and 5 columns/],
      ['sct2_Concept_S', (text) => text.replace('moduleId', 'module'), /:1: the first row must name the columns id/],
      [
        'sct2_Description_Snapshot-sv',
        row(...common(withCheckDigit('8899901')), '404684003', 'sv', 'x', 'y', 'z'),
        /there is no concept 404684003/,
      ],
      ['sct2_Relationship_', row(...relation(id('dragon'), '404684003')), /there is no concept 404684003/],
      [
        'sct2_Relationship_',
        row(...relation(id('creature'), id('frostDragon'))),
        /sct2_Concept_Snapshot_XX_20260131.txt:\d+: the code \d+ stands above itself/,
      ],
      ['ConcreteValues', (text) => text.replace('#1', 'one'), /:2: the value one is no number/],
      [
        'der2_Refset_Simple',
        row(...common('x'), id('favourites'), '404684003'),
        new RegExp(`:${lines('der2_Refset_Simple')}: there is no concept`),
      ],
    ];
    for (const [form, edit, expected] of cases) {
      const { found, reported } = await read(change(form, edit));
      assert.equal(found, undefined, form);
      assert.match(reported.join('\n'), expected);
    }
  });

  it('names each file that is missing', async () => {
    const without = (...forms: readonly string[]) =>
      new Map([...creatureFiles()].filter(([name]) => !forms.some((form) => name.includes(form))));
    await assert.rejects(
      read(without('sct2_Relationship_')),
      /: there is no file of relationships \(sct2_Relationship_Snapshot…\)$/,
    );
    await assert.rejects(
      read(without('sct2_Concept_', 'sct2_Description_', 'sct2_TextDefinition_')),
      /: there is no file of concepts \(.*\) or of descriptions \(.*\)$/,
    );
  });

  it('has one error where the concepts cannot be read, and where there are none', async () => {
    const files = creatureFiles();
    const concepts = (edit: (text: string) => string) =>
      new Map([...files].map(([name, text]) => [name, name.includes('sct2_Concept_') ? edit(text) : text]));
    const faulty = await read(concepts((text) => text.replace('moduleId', 'module')));
    assert.equal(faulty.reported.length, 1, faulty.reported.join());
    const empty = await read(concepts((text) => text.slice(0, text.indexOf('\n') + 1)));
    assert.match(
      empty.reported.join('\n'),
      /^sct2_Concept_Snapshot_XX_20260131\.txt:1: the release holds no concepts$/,
    );
  });

  it('needs the edition where several modules may be it', async () => {
    const several = new Map(
      [...creatureFiles()].filter(([name]) => !name.includes('ModuleDependency')).map(([name, text]) => [name, text]),
    );
    const { found, reported } = await read(several);
    assert.equal(found, undefined);
    assert.match(reported.join(), /several modules may be the edition .*--version must name it/);
    const named = await read(several, { options: { version: VERSION } });
    assert.equal(named.found?.head['version'], VERSION);
    named.found?.close();
  });

  it('is stopped by a signal', async () => {
    const { found } = await read(creatureFiles(), { signal: AbortSignal.abort() });
    assert.equal(found, undefined);
  });
});
