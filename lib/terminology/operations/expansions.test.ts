// $expand against the official expansions of R5's value sets: the same codes in the same order, with the same displays and marks.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readPackage } from '../../../scripts/fhir-definitions/package-files.ts';
import { splitCanonical } from '../catalog/catalog.ts';
import { officialCatalog } from '../catalog/official.ts';
import { TerminologyFault } from '../fault.ts';
import type { Json } from '../json.ts';
import { Inputs } from './inputs.ts';
import { createTerminologyOperations } from './service.ts';

interface Item {
  readonly system?: string;
  readonly code?: string;
  readonly display?: string;
  readonly abstract?: boolean;
  readonly inactive?: boolean;
  readonly contains?: readonly Item[];
}

interface Expansion {
  readonly contains?: readonly Item[];
  readonly parameter?: readonly { readonly name: string; readonly valueUri?: string }[];
}

/** The official one shows the Danish designation of `ar` as its display, where the value set says Arabic. */
const WRONG = new Set(['http://hl7.org/fhir/ValueSet/languages']);

function flat(items: readonly Item[] = []): string[] {
  return items.flatMap(({ system, code, display, abstract = false, inactive = false, contains }) => [
    [system, code, display, abstract, inactive].join(' | '),
    ...flat(contains),
  ]);
}

/** Whether every code system is here in the version that the expansion was made of. */
function isComparable({ parameter = [] }: Expansion): boolean {
  return parameter.every(({ name, valueUri }) => {
    const { url, version } = splitCanonical(valueUri ?? '');
    return (
      name !== 'version' ||
      officialCatalog()
        .codeSystems(url)
        .some((each) => each.version === version)
    );
  });
}

it('the official expansions come out equal, wherever their code systems are here in the same version', () => {
  const expand = createTerminologyOperations(officialCatalog(), { now: () => 0 }).find(({ name }) => name === 'expand');
  assert.ok(expand !== undefined);
  let compared = 0;
  const unlisted: string[] = [];
  for (const published of readPackage<Json>('hl7.fhir.r5.expansions', 'ValueSet')) {
    const url = String(published['url']);
    const official = published['expansion'] as Expansion;
    if (!isComparable(official) || WRONG.has(url)) continue;
    const inputs = new Inputs([
      { name: 'url', valueUri: url },
      { name: 'excludeNested', valueBoolean: true },
    ]);
    try {
      const { expansion } = expand.run(inputs, {}) as { expansion: Expansion };
      assert.deepEqual(flat(expansion.contains), flat(official.contains), url);
      compared += 1;
    } catch (error) {
      if (!(error instanceof TerminologyFault)) throw error;
      assert.equal(error.issue, 'not-found', url);
      unlisted.push(`${url}: ${error.message}`);
    }
  }
  // SNOMED CT, LOINC and others that HL7 does not publish.
  assert.ok(unlisted.every((each) => /not known here/.test(each)));
  assert.ok(compared > 425, `only ${compared} were compared`);
});
