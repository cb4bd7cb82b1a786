// No operation does much between two moments at which it can be suspended, however large the code system is. What a
// step does is counted by what it reads of concepts and values, as a busy machine makes any time long.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { after, mock, test } from 'node:test';
import { systemClock } from '#lib/clock.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { attributeId, REFSET, writeLargeSnomed } from '#test/support/engine/large-snomed.ts';
import { layered } from '../catalog/catalog.ts';
import { laterOfficialCatalog } from '../catalog/official.ts';
import { catalogOf } from '../catalog/table-catalog.ts';
import { createEvaluate } from '../content/evaluate.ts';
import { finished } from '../content/unfinished.ts';
import { readSnapshot } from '../import/rf2/snapshot.ts';
import { columnsOf } from '../import/rf2/testing/read-creatures.ts';
import type { Json } from '../json.ts';
import { CodeSystemModel } from '../model/code-system-model.ts';
import { closureOf, readClosure } from './closure.ts';
import { Inputs } from './inputs.ts';
import { createTerminologyOperations } from './service.ts';

/** Concepts: many more than one step may read. */
const SIZE = 60_000;
/** What one step may read. Half a million concepts at once are more than a hundred times as much. */
const MOST = 20_000;
const SNOMED = 'http://snomed.info/sct';

const folder = await temporaryDataDir();
after(() => rm(folder, { recursive: true, force: true }));
const release = path.join(folder, 'release');
const ids = await writeLargeSnomed(release, SIZE);

let read = 0;
let most = 0;
/** Ends the count of a step. */
function endStep(): void {
  most = Math.max(most, read);
  read = 0;
}

/** The object, which counts the calls of its methods and of the functions that these are given. */
function counted<T extends object>(of: T): T {
  return new Proxy(of, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: readonly unknown[]) => {
        read += 1;
        const counting = given.map((each) =>
          typeof each === 'function'
            ? (...values: readonly unknown[]) => {
                read += 1;
                return each(...values);
              }
            : each,
        );
        return member.apply(target, counting);
      };
    },
  });
}

const model = await readModel();

async function readModel(): Promise<CodeSystemModel> {
  const { signal } = new AbortController();
  const found = await readSnapshot({
    path: release,
    options: {},
    signal,
    folder,
    checkHead: () => [],
    onIssue: ({ message }) => assert.fail(message),
    onProgress: () => {},
  });
  assert.ok(found !== undefined);
  const columns = columnsOf(found);
  found.close();
  return counted(new CodeSystemModel(columns));
}

const CODES = Array.from({ length: 20_000 }, (_, at) => ({ code: ids.id('finding', at) }));
const VALUE_SETS: Readonly<Record<string, readonly object[]>> = {
  all: [{ system: SNOMED }],
  listed: [{ system: SNOMED, concept: CODES }],
  loose: [{ system: 'urn:unknown', concept: CODES }],
  defined: [{ system: SNOMED, filter: [{ property: 'sufficientlyDefined', op: '=', value: 'true' }] }],
  sites: [{ system: SNOMED, filter: [{ property: attributeId('site'), op: 'exists', value: 'true' }] }],
  leaves: [{ system: SNOMED, filter: [{ property: 'concept', op: 'descendent-leaf', value: ids.id('finding', 0) }] }],
  regex: [{ system: SNOMED, filter: [{ property: 'display', op: 'regex', value: '.*form 1.*' }] }],
  findings: [{ system: SNOMED, filter: [{ property: 'concept', op: 'is-a', value: ids.id('finding', 0) }] }],
  both: [{ valueSet: ['urn:vs:listed'] }, { valueSet: ['urn:vs:findings'] }],
};

function catalogOfTest() {
  const { url, version } = model.meta;
  assert.ok(version !== undefined);
  const head = { resourceType: 'CodeSystem', url, version, status: 'active', content: 'complete' };
  const none = { id: undefined, name: undefined, title: undefined, supplements: undefined };
  const valueSets = Object.entries(VALUE_SETS).map(([name, include]) => {
    const resource = { resourceType: 'ValueSet', url: `urn:vs:${name}`, status: 'active', compose: { include } };
    return { ...none, url: resource.url, version: undefined, status: 'active', resource: () => resource };
  });
  const system = {
    ...none,
    url,
    version,
    status: 'active',
    whole: undefined,
    resource: () => head,
    model: () => model,
  };
  return layered([catalogOf({ codeSystems: [system], valueSets, conceptMaps: [] }), laterOfficialCatalog]);
}

/** The most that a step of the operation read. */
async function mostOf(run: () => Promise<unknown> | unknown): Promise<number> {
  [read, most] = [0, 0];
  // Asked after each step, it says that no time has passed: so all steps follow one another.
  const now = mock.method(performance, 'now', () => {
    endStep();
    return 0;
  });
  try {
    await run();
  } finally {
    now.mock.restore();
    endStep();
  }
  return most;
}

const text = (name: string, valueString: string): Json => ({ name, valueString });
const property = (code: string, value: string): Json => ({
  name: 'property',
  part: [
    { name: 'code', valueCode: code },
    { name: 'value', valueString: value },
  ],
});
const expand = (url: string, ...more: readonly Json[]): [string, Json[]] => [
  'ValueSet/$expand',
  [text('url', url), text('count', '10'), ...more],
];
const ecl = (expression: string) => expand(`${SNOMED}?fhir_vs=ecl/${expression}`);
const match = (...properties: readonly Json[]): [string, Json[]] => [
  'CodeSystem/$find-matches',
  [text('system', SNOMED), ...properties],
];
const related = (one: string, other: string): [string, Json[]] => [
  'ValueSet/$related',
  [text('thisUrl', `urn:vs:${one}`), text('otherUrl', `urn:vs:${other}`), text('diagnostics', 'true')],
];

const [SITE, STRUCTURE] = [attributeId('site'), ids.id('structure', 0)];
const ASKED: readonly (readonly [address: string, parameters: readonly Json[]])[] = [
  ...Object.keys(VALUE_SETS).map((name) => expand(`urn:vs:${name}`)),
  ...Object.keys(VALUE_SETS).map((name) => expand(`urn:vs:${name}`, text('filter', 'a'))),
  match(property(SITE, STRUCTURE)),
  match(property('parent', ids.id('finding', 0))),
  match(property('display', 'finding of')),
  match(property('designation', 'acute finding')),
  match(property('moduleId', '220000000010'), property('inactive', 'true'), property('sufficientlyDefined', 'true')),
  related('all', 'findings'),
  related('listed', 'loose'),
  related('both', 'defined'),
  ecl('* : * = *'),
  ecl(`* : { ${SITE} = *, ${attributeId('shape')} = * }`),
  ecl(`* : [2..*] ${SITE} = << ${STRUCTURE}`),
  ecl(`* : R ${SITE} = *`),
  ecl(`* . ${SITE}`),
  ecl('* {{ term = wild:"*form 1" }}'),
  ecl('* {{ term != "acute" }}'),
  ecl('* {{ dialect = sv-se (prefer) }}'),
  ecl('* {{ C effectiveTime > "20200101" }}'),
  ecl(`* MINUS ^ ${REFSET}`),
  ecl('!!> *'),
  ['CodeSystem/$lookup', [text('system', SNOMED), text('code', ids.id('finding', 0))]],
  [
    'ValueSet/$validate-code',
    [text('url', 'urn:vs:regex'), text('system', SNOMED), text('code', ids.id('finding', 5))],
  ],
  ['ValueSet/$validate-code', [text('url', 'urn:vs:both'), text('inferSystem', 'true'), text('code', STRUCTURE)]],
];

for (const [address, parameters] of ASKED) {
  test(`${address} ${JSON.stringify(parameters).slice(0, 160)}`, async () => {
    const operation = createTerminologyOperations(catalogOfTest(), systemClock).find(
      ({ type, name }) => `${type}/$${name}` === address,
    );
    assert.ok(operation !== undefined);
    const inputs = new Inputs(parameters);
    const found = await mostOf(() => finished(() => operation.run(inputs, {})));
    assert.ok(found <= MOST, `one step reads ${found}`);
  });
}

test('$closure', async () => {
  const catalog = catalogOfTest();
  const base = { catalog, evaluate: createEvaluate(catalog), clock: systemClock };
  const concepts = CODES.slice(0, 1_000).map(
    ({ code }): Json => ({
      name: 'concept',
      valueCoding: { system: SNOMED, code },
    }),
  );
  const known = CODES.slice(1_000, 10_000).map(({ code }) => code);
  const found = await mostOf(() => {
    const request = readClosure(base, new Inputs([text('name', 'x'), ...concepts]));
    assert.ok(request.kind === 'add');
    endStep();
    for (const addition of request.additions) {
      const steps = closureOf(addition, known, { entries: 50_000_000 });
      while (steps.next().done !== true) endStep();
    }
  });
  assert.ok(found <= MOST, `one step reads ${found}`);
});
