// Evaluation of value sets: each part of a definition alone, then every value set of R5 against its published
// expansion.
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { readPackage } from '../../scripts/fhir-definitions/package-files.ts';
import { splitCanonical } from './catalog/catalog.ts';
import { officialCatalog } from './catalog/official.ts';
import { type CodeSelection, hasCode } from './code-selection.ts';
import type { Json } from './json.ts';
import { MAX_CODES, r5Terminology, type StoredTerminology } from './terminology.ts';
import { TerminologyError, type TerminologyIssue } from './terminology-error.ts';

const SYSTEM = 'urn:animals';
const animals = {
  resourceType: 'CodeSystem',
  url: SYSTEM,
  version: '1',
  content: 'complete',
  concept: [
    {
      code: 'animal',
      concept: [
        { code: 'dog', property: [{ code: 'legs', valueInteger: 4 }], concept: [{ code: 'poodle' }] },
        { code: 'cat', property: [{ code: 'legs', valueInteger: 4 }] },
      ],
    },
    // A second parent, and a circle that must not loop for ever.
    { code: 'pet', property: [{ code: 'parent', valueCode: 'animal' }] },
    {
      code: 'lapdog',
      property: [
        { code: 'parent', valueCode: 'pet' },
        { code: 'parent', valueCode: 'dog' },
      ],
    },
    { code: 'a', property: [{ code: 'parent', valueCode: 'b' }] },
    { code: 'b', property: [{ code: 'parent', valueCode: 'a' }] },
  ],
};

function storeOf(...resources: readonly Json[]): StoredTerminology {
  return {
    byUrl: async (type, url) => resources.filter((each) => each['resourceType'] === type && each['url'] === url),
    valueSet: async (id) => resources.find((each) => each['resourceType'] === 'ValueSet' && each['id'] === id),
  };
}

function valueSet(url: string, compose: Json, more: Json = {}): Json {
  return { resourceType: 'ValueSet', url, compose, ...more };
}

async function codesOf(compose: Json, ...others: readonly Json[]): Promise<string[]> {
  const stored = storeOf(animals, valueSet('urn:v', compose), ...others);
  return listed(await r5Terminology.valueSet('urn:v', stored));
}

function listed(selection: CodeSelection): string[] {
  return [...selection]
    .flatMap(([, { isAllBut, codes }]) => [...codes].map((code) => (isAllBut ? `not ${code}` : code)))
    .sort();
}

function filter(property: string, op: string, value: string): Json {
  return { include: [{ system: SYSTEM, filter: [{ property, op, value }] }] };
}

async function issue(run: () => Promise<unknown>): Promise<{ issue: TerminologyIssue; message: string }> {
  try {
    await run();
  } catch (error) {
    if (error instanceof TerminologyError) return { issue: error.issue, message: error.message };
    throw error;
  }
  return assert.fail('nothing was thrown');
}

describe('value sets', () => {
  it('hold listed codes, whole systems, and codes that filters match', async () => {
    assert.deepEqual(await codesOf({ include: [{ system: SYSTEM, concept: [{ code: 'dog' }] }] }), ['dog']);
    assert.equal((await codesOf({ include: [{ system: SYSTEM }] })).length, 8);
    const cases: readonly (readonly [property: string, op: string, value: string, codes: readonly string[]])[] = [
      ['concept', 'is-a', 'dog', ['dog', 'lapdog', 'poodle']],
      ['concept', 'descendent-of', 'dog', ['lapdog', 'poodle']],
      ['concept', 'is-a', 'pet', ['lapdog', 'pet']],
      ['concept', 'is-not-a', 'animal', ['a', 'b']],
      ['concept', 'generalizes', 'lapdog', ['animal', 'dog', 'lapdog', 'pet']],
      ['concept', 'child-of', 'animal', ['cat', 'dog', 'pet']],
      ['concept', 'descendent-leaf', 'animal', ['cat', 'lapdog', 'poodle']],
      ['concept', 'is-a', 'a', ['a', 'b']],
      ['legs', '=', '4', ['cat', 'dog']],
      ['parent', 'in', 'pet, dog', ['lapdog', 'poodle']],
      ['legs', 'exists', 'true', ['cat', 'dog']],
      ['code', 'in', 'cat,dog', ['cat', 'dog']],
      ['code', 'not-in', 'cat,dog,animal', ['a', 'b', 'lapdog', 'pet', 'poodle']],
      ['code', 'regex', '[a-z]*t', ['cat', 'pet']],
      // This pattern takes exponential time in a backtracking engine.
      ['code', 'regex', '(([a-z])+)+!', []],
    ];
    for (const [property, op, value, codes] of cases) {
      assert.deepEqual(await codesOf(filter(property, op, value)), codes, `${property} ${op} ${value}`);
    }
  });

  it('leave out exclusions, and intersect the value sets of one include', async () => {
    const dogs = valueSet('urn:dogs', filter('concept', 'is-a', 'dog'));
    const pets = valueSet('urn:pets', filter('concept', 'is-a', 'pet'));
    assert.deepEqual(await codesOf({ include: [{ valueSet: ['urn:dogs', 'urn:pets'] }] }, dogs, pets), ['lapdog']);
    assert.deepEqual(await codesOf({ include: [{ valueSet: ['urn:dogs'] }, { valueSet: ['urn:pets'] }] }, dogs, pets), [
      'dog',
      'lapdog',
      'pet',
      'poodle',
    ]);
    const without = {
      include: [{ valueSet: ['urn:dogs'] }],
      exclude: [{ system: SYSTEM, concept: [{ code: 'dog' }] }],
    };
    assert.deepEqual(await codesOf(without, dogs), ['lapdog', 'poodle']);
  });

  it('hold whole systems that cannot be listed, except for exclusions', async () => {
    const exclude = [{ system: 'http://loinc.org', concept: [{ code: '1-8' }] }];
    const stored = storeOf(valueSet('urn:v', { include: [{ system: 'http://loinc.org' }], exclude }));
    const selection = await r5Terminology.valueSet('urn:v', stored);
    assert.equal(hasCode(selection, 'http://loinc.org', '8867-4'), true);
    assert.equal(hasCode(selection, 'http://loinc.org', '1-8'), false);
    assert.equal(hasCode(selection, SYSTEM, 'dog'), false);
  });

  it('are found by id and by version, the latest that is not retired first', async () => {
    const versions = ['1.2', '1.10', '2'].map((version, index) =>
      valueSet(
        'urn:v',
        { include: [{ system: 'urn:versions', concept: [{ code: `v${version}` }] }] },
        {
          id: `v${index}`,
          version,
          status: version === '2' ? 'retired' : 'active',
        },
      ),
    );
    const stored = storeOf(animals, ...versions);
    const of = async (address: string) => listed(await r5Terminology.valueSet(address, stored));
    assert.deepEqual(await of('urn:v'), ['v1.10']);
    assert.deepEqual(await of('urn:v|1.2'), ['v1.2']);
    assert.deepEqual(await of('ValueSet/v2'), ['v2']);
    assert.equal((await issue(() => of('urn:v|3'))).issue, 'not-found');
    assert.equal((await issue(() => of('ValueSet/none'))).issue, 'not-found');
  });

  it('take an expansion without a definition', async () => {
    const expansion = {
      contains: [
        { system: SYSTEM, code: 'x', contains: [{ system: SYSTEM, code: 'y' }] },
        { abstract: true, code: 'z' },
      ],
    };
    const stored = storeOf({ resourceType: 'ValueSet', url: 'urn:v', expansion });
    assert.deepEqual(listed(await r5Terminology.valueSet('urn:v', stored)), ['x', 'y']);
  });

  it('report unknown definitions, circles, unsupported filters and limits', async () => {
    const known = await issue(() => codesOf({ include: [{ valueSet: ['urn:none'] }] }));
    assert.deepEqual(known, {
      issue: 'not-found',
      message: "A definition for the value Set 'urn:none' could not be found",
    });
    assert.equal((await issue(() => codesOf(filter('concept', 'between', 'a+')))).issue, 'not-supported');
    assert.equal((await issue(() => codesOf(filter('concept', 'is-a', 'cow')))).issue, 'invalid');
    const unknownSystem = { include: [{ system: 'urn:x', filter: [{ property: 'concept', op: 'is-a', value: 'y' }] }] };
    assert.equal((await issue(() => codesOf(unknownSystem))).issue, 'not-found');
    const other = valueSet('urn:w', { include: [{ valueSet: ['urn:v'] }] });
    const circle = await issue(() => codesOf({ include: [{ valueSet: ['urn:w'] }] }, other));
    assert.equal(circle.message, 'the value set is made of itself: urn:v → urn:w → urn:v');
    const concept = Array.from({ length: MAX_CODES + 1 }, (_, index) => ({ code: `c${index}` }));
    assert.equal((await issue(() => codesOf({ include: [{ system: 'urn:x', concept }] }))).issue, 'too-costly');
  });
});

describe('a filter by a property', () => {
  for (const op of ['=', 'in', 'not-in', 'exists', 'regex']) {
    it(`that the system does not have is reported (${op})`, async () => {
      const message = `${SYSTEM} has no property weigth, which a filter asks for`;
      assert.deepEqual(await issue(() => codesOf(filter('weigth', op, 'true'))), { issue: 'invalid', message });
    });
  }

  it('that every system may use, and this one does not, matches nothing', async () => {
    assert.deepEqual(await codesOf(filter('status', '=', 'active')), []);
    assert.deepEqual(await codesOf(filter('status', 'exists', 'true')), []);
  });
});

describe('above and below', () => {
  const stored = storeOf(animals, { ...animals, url: 'urn:parts', hierarchyMeaning: 'part-of' });
  const at = (code: string, system = SYSTEM) => ({ system, code });

  it('follow the hierarchy up and down', async () => {
    assert.deepEqual(listed(await r5Terminology.below(at('dog'), stored)), ['dog', 'lapdog', 'poodle']);
    assert.deepEqual(listed(await r5Terminology.above(at('poodle'), stored)), ['animal', 'dog', 'poodle']);
    const specimen = { system: 'http://hl7.org/fhir/issue-type', code: 'invalid' };
    assert.ok(listed(await r5Terminology.below(specimen, stored)).includes('structure'));
  });

  it('report unknown codes and systems', async () => {
    assert.equal((await issue(() => r5Terminology.below(at('cow'), stored))).issue, 'code-invalid');
    assert.equal((await issue(() => r5Terminology.below(at('dog', 'urn:none'), stored))).issue, 'not-found');
    assert.equal((await issue(() => r5Terminology.above(at('dog', 'urn:parts'), stored))).issue, 'not-supported');
  });
});

/** Value sets whose code systems have changed since R5 was published (2023): their expansions name an older version. */
const CHANGED_SINCE =
  `adverse-event-category benefit-network claim-careteamrole condition-category endpoint-connection-type goal-category
  immunization-recommendation-status list-order namingsystem-identifier-system-type object-role observation-category
  organization-type payeetype plan-definition-type service-referral-method variable-role verificationresult-validation-process
  measure-scoring synthesis-type usage-context-type v3-PurposeOfUse`
    .split(/\s+/)
    .sort();

describe('the value sets of R5', () => {
  it('have the codes of their published expansions, where HL7 publishes their systems', async () => {
    let compared = 0;
    const differing: string[] = [];
    for (const published of readPackage<Json>('hl7.fhir.r5.expansions', 'ValueSet')) {
      const url = String(published['url']);
      if (officialCatalog().valueSets(url).length === 0) continue;
      const codes = publishedCodes(published);
      const found = await r5Terminology.valueSet(url, storeOf()).catch(() => undefined);
      if (found === undefined || codes === undefined || [...found.values()].some(({ isAllBut }) => isAllBut)) continue;
      compared += 1;
      const ours = [...found].flatMap(([system, each]) => [...each.codes].map((code) => `${system}|${code}`)).sort();
      if (ours.join('\n') === codes.join('\n')) continue;
      assert.ok(hasOtherVersions(published), `${url} differs`);
      differing.push(url.slice(url.lastIndexOf('/') + 1));
    }
    assert.deepEqual(differing.sort(), CHANGED_SINCE);
    assert.ok(compared > 600, `only ${compared} were compared`);
  });
});

/** Whether the expansion is of other versions of the code systems than those known here. */
function hasOtherVersions({ expansion }: Json): boolean {
  const { parameter = [] } = expansion as { parameter?: readonly Json[] };
  return parameter.some(({ name, valueUri }) => {
    const { url, version } = splitCanonical(String(valueUri));
    return (
      name === 'version' &&
      !officialCatalog()
        .codeSystems(url)
        .some((each) => each.version === version)
    );
  });
}

/** Undefined for an incomplete expansion. */
function publishedCodes({ expansion }: Json): string[] | undefined {
  const { contains = [], total } = expansion as { contains?: readonly Json[]; total?: number };
  const codes = new Set<string>();
  const add = (items: readonly Json[]): void => {
    for (const item of items) {
      if (item['abstract'] !== true) codes.add(`${item['system']}|${item['code']}`);
      add((item['contains'] ?? []) as readonly Json[]);
    }
  };
  add(contains);
  return total !== undefined && total > codes.size ? undefined : [...codes].sort();
}

test('a value set that combines too many codes too many times is too costly', async () => {
  const doubled = Array.from({ length: 20 }, () => ({ valueSet: ['urn:codes', 'urn:codes'] }));
  const codes = Array.from({ length: 60_000 }, (_, index) => ({ code: `c${index}` }));
  const others = [valueSet('urn:codes', { include: [{ system: 'urn:x', concept: codes }] })];
  const stored = storeOf(...others, valueSet('urn:v', { include: doubled }));
  await assert.rejects(
    r5Terminology.valueSet('urn:v', stored),
    (error) => error instanceof TerminologyError && /too many times/.test(error.message),
  );
});

test('an expansion of many codes is read system by system', async () => {
  const contains = Array.from({ length: 2_000 }, (_, index) => ({
    system: `urn:s${index % 2}`,
    code: `c${index}`,
    contains: [
      { system: 'urn:s2', code: `c${index}` },
      { system: 'urn:s0', code: 'c0' },
    ],
  }));
  const listedAlone = { ...valueSet('urn:v', {}), compose: undefined, expansion: { contains } };
  assert.equal(listed(await r5Terminology.valueSet('urn:v', storeOf(listedAlone))).length, 4_000);
});
