// The operations over a small edition of SNOMED CT: its properties, implicit value sets, filters, names by dialect and
// historical associations (hl7.org/fhir/R5/snomedct.html).
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { after, describe, it } from 'node:test';
import { systemClock } from '#lib/clock.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { createStoredCatalog } from '../catalog/stored-catalog.ts';
import { finished } from '../content/unfinished.ts';
import { id, VERSION } from '../import/rf2/testing/creatures.ts';
import { readCreatures } from '../import/rf2/testing/read-creatures.ts';
import { type Json, objects } from '../json.ts';
import { TerminologyError } from '../terminology-error.ts';
import { Inputs } from './inputs.ts';
import { createTerminologyOperations } from './service.ts';

const SNOMED = 'http://snomed.info/sct';
const folder = await temporaryDataDir();
after(() => rm(folder, { recursive: true, force: true }));
const stored = createStoredCatalog();
const { resource, columns } = await readCreatures(folder);
stored.put('creatures', resource, columns);
const operations = createTerminologyOperations(stored.catalog, systemClock);

type Given = Readonly<Record<string, unknown>>;

async function run(address: string, given: Given): Promise<Json> {
  const operation = operations.find(({ type, name }) => `${type}/$${name}` === address);
  assert.ok(operation !== undefined, address);
  const parameters = Object.entries(given).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each: unknown) =>
      typeof each === 'object' && each !== null ? { name, resource: each } : { name, [memberOf(each)]: each },
    ),
  );
  return finished(() => operation.run(new Inputs(parameters), {}));
}

const memberOf = (value: unknown): string =>
  typeof value === 'boolean' ? 'valueBoolean' : typeof value === 'number' ? 'valueInteger' : 'valueString';

const valueIn = (of: Json | undefined): unknown =>
  Object.entries(of ?? {}).find(([name]) => name.startsWith('value'))?.[1];
const part = (of: Json, name: string): unknown => valueIn(objects(of['part']).find((each) => each['name'] === name));
const parameters = (answer: Json, name: string): Json[] =>
  objects(answer['parameter']).filter((each) => each['name'] === name);

async function expanded(given: Given): Promise<string[]> {
  const { expansion } = await run('ValueSet/$expand', given);
  return objects((expansion as Json)['contains']).map(({ code }) => String(code));
}

const names = (...list: Parameters<typeof id>[0][]): string[] => list.map(id);

describe('$lookup in SNOMED CT', () => {
  it('has properties, and attributes in their groups', async () => {
    const answer = await run('CodeSystem/$lookup', { system: SNOMED, code: id('frostDragon') });
    const shown = parameters(answer, 'property').map((each) => {
      const inner = objects(each['part']).filter(({ name }) => name === 'subproperty');
      const value =
        inner.length > 0 ? inner.map((sub) => [part(sub, 'code'), part(sub, 'value')]) : part(each, 'value');
      return [part(each, 'code'), value];
    });
    assert.deepEqual(shown, [
      ['inactive', false],
      ['parent', id('dragon')],
      ['sufficientlyDefined', true],
      ['moduleId', VERSION.split('/')[4]],
      ['effectiveTime', '20260131'],
      [id('heads'), 1],
      [
        '609096000',
        [
          [id('breathes'), id('ice')],
          [id('livesIn'), id('mountain')],
        ],
      ],
    ]);
    assert.equal(valueIn(parameters(answer, 'version')[0]), VERSION);
    const one = await run('CodeSystem/$lookup', { system: SNOMED, code: id('frostDragon'), property: id('livesIn') });
    assert.equal(parameters(one, 'property').length, 1);
  });

  it('has the name of a dialect, and of an edition without its date', async () => {
    const edition = VERSION.replace(/\/version\/.*/, '');
    for (const [displayLanguage, display] of [
      ['sv', 'frostdrake'],
      ['en-GB', 'Grey frost dragon'],
      ['en-US', 'Gray frost dragon'],
    ]) {
      const given = { system: SNOMED, version: edition, code: id('frostDragon'), displayLanguage };
      assert.equal(valueIn(parameters(await run('CodeSystem/$lookup', given), 'display')[0]), display);
    }
  });
});

describe('value sets of SNOMED CT', () => {
  it('are implicit by hierarchy, reference set and expression', async () => {
    const cases: readonly (readonly [url: string, found: string[]])[] = [
      [`isa/${id('dragon')}`, names('dragon', 'fireDragon', 'frostDragon', 'seaDragon')],
      ['refset', ['900000000000523009', '900000000000527005', ...names('favourites', 'map')]],
      [`refset/${id('favourites')}`, names('frostDragon', 'griffin', 'oldDragon')],
      [`ecl/< ${id('dragon')} |Dragon| : ${id('heads')} |Heads| > #1`, names('fireDragon')],
      [`ecl/${encodeURIComponent(`^ ${id('map')} AND << ${id('dragon')}`)}`, names('dragon')],
    ];
    for (const [form, found] of cases) {
      for (const base of [SNOMED, VERSION])
        assert.deepEqual(
          (await expanded({ url: `${base}?fhir_vs=${form}`, excludeNested: true })).sort(),
          found.sort(),
          form,
        );
    }
    const page = await expanded({ url: `${SNOMED}?fhir_vs=ecl/<<${id('creature')}`, filter: 'frost', count: 10 });
    assert.deepEqual(page, names('frostDragon'));
  });

  it('are defined by filters', async () => {
    const valueSet = (filter: Json) => ({
      resourceType: 'ValueSet',
      status: 'active',
      compose: { include: [{ system: SNOMED, filter: [filter] }] },
    });
    const cases: readonly (readonly [property: string, op: string, value: string, found: string[]])[] = [
      ['constraint', '=', `< ${id('dragon')} . ${id('livesIn')}`, names('mountain', 'sea')],
      ['concept', 'in', id('favourites'), names('frostDragon', 'griffin', 'oldDragon')],
      ['concept', 'descendent-of', id('substance'), names('ice', 'fire', 'steam')],
      [id('breathes'), '=', id('steam'), names('fireDragon')],
      ['inactive', '=', 'true', names('oldDragon')],
      ['sufficientlyDefined', '=', 'true', names('fireDragon', 'frostDragon')],
      [id('heads'), 'exists', 'true', names('fireDragon', 'frostDragon')],
    ];
    for (const [property, op, value, found] of cases) {
      const asked = { valueSet: valueSet({ property, op, value }), excludeNested: true };
      assert.deepEqual((await expanded(asked)).sort(), found.sort(), `${property} ${op} ${value}`);
    }
  });

  it('validate codes, and refuse an expression with the character', async () => {
    const url = `${SNOMED}?fhir_vs=ecl/< ${id('dragon')} : ${id('breathes')} = *`;
    for (const [name, isIn] of [
      ['frostDragon', true],
      ['griffin', false],
    ] as const) {
      const answer = await run('ValueSet/$validate-code', { url, system: SNOMED, code: id(name) });
      assert.equal(valueIn(parameters(answer, 'result')[0]), isIn);
    }
    for (const [ecl, message] of [
      ['<< 404684003', /has no code 404684003, which the expression constraint names at character 4/],
      ['<< (', /not valid at character 5: a concept is expected/],
    ] as const) {
      await assert.rejects(
        () => expanded({ url: `${SNOMED}?fhir_vs=ecl/${ecl}` }),
        (error) => error instanceof TerminologyError && error.kind === 'vs-invalid' && message.test(error.message),
      );
    }
  });
});

describe('relations of SNOMED CT', () => {
  it('say what subsumes what', async () => {
    const given = { system: SNOMED, codeA: id('creature'), codeB: id('frostDragon') };
    assert.equal(valueIn(parameters(await run('CodeSystem/$subsumes', given), 'outcome')[0]), 'subsumes');
  });

  it('translate inactive concepts by historical associations, in both directions', async () => {
    const translated = async (refset: string, given: Given) => {
      const answer = await run('ConceptMap/$translate', {
        url: `${SNOMED}?fhir_cm=${refset}`,
        system: SNOMED,
        ...given,
      });
      return parameters(answer, 'match').map((each) => [
        part(each, 'relationship'),
        (part(each, 'concept') as Json | undefined)?.['code'],
      ]);
    };
    const of = { sourceCode: id('oldDragon') };
    assert.deepEqual(await translated('900000000000527005', of), [['equivalent', id('dragon')]]);
    assert.deepEqual(await translated('900000000000523009', of), [['related-to', id('griffin')]]);
    assert.deepEqual(await translated('900000000000527005', { sourceCode: id('griffin') }), []);
    assert.deepEqual(await translated('900000000000527005', { targetCode: id('dragon') }), [
      ['equivalent', id('oldDragon')],
    ]);
    await assert.rejects(() => translated('900000000000526001', of), /is not known here/);
  });
});
