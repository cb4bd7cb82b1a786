// What search asks of terminology: the codes of a value set, and those above and below a code. Answered from the code systems and value
// sets of R5 and from those that users have stored; whoever has a fuller terminology gives the store another one of the same form.
import { type CodeSelection, selectCodes } from './code-selection.ts';
import { type CodeSystem, readCodeSystem, withAncestors, withDescendants } from './code-system.ts';
import { coreResources } from './core.ts';
import { type Definitions, expandValueSet, splitCanonical } from './expand.ts';
import { TerminologyFault } from './fault.ts';
import { type Json, text } from './json.ts';

/** Resources that users have stored, as far as the caller may see them. */
export interface StoredTerminology {
  /** Every stored version of a definition with this URL. */
  byUrl(resourceType: 'CodeSystem' | 'ValueSet', url: string): Promise<readonly Json[]>;
  valueSet(id: string): Promise<Json | undefined>;
}

export interface Coding {
  readonly system: string;
  readonly code: string;
}

export interface Terminology {
  /** The codes of a value set, named by `url`, `url|version` or `ValueSet/id`. @throws TerminologyFault */
  valueSet(address: string, stored: StoredTerminology): Promise<CodeSelection>;
  /** The code and all that it subsumes. @throws TerminologyFault */
  below(coding: Coding, stored: StoredTerminology): Promise<CodeSelection>;
  /** The code and all that subsume it. @throws TerminologyFault */
  above(coding: Coding, stored: StoredTerminology): Promise<CodeSelection>;
}

const BY_ID = /^ValueSet\/([A-Za-z0-9.-]{1,64})$/;

export const r5Terminology: Terminology = {
  valueSet: async (address, stored) => {
    const definitions = definitionsOver(stored);
    const id = BY_ID.exec(address)?.[1];
    const { url, version } = splitCanonical(address);
    const found = id === undefined ? await definitions.valueSet(url, version) : await stored.valueSet(id);
    if (found === undefined) throw new TerminologyFault('not-found', `the value set ${address} is not known here`);
    return expandValueSet(found, definitions);
  },
  below: (coding, stored) => related(coding, stored, withDescendants),
  above: (coding, stored) => related(coding, stored, withAncestors),
};

async function related(
  { system, code }: Coding,
  stored: StoredTerminology,
  reach: (system: CodeSystem, code: string) => Set<string>,
): Promise<CodeSelection> {
  const { url, version } = splitCanonical(system);
  const found = await definitionsOver(stored).codeSystem(url, version);
  if (found === undefined) throw new TerminologyFault('not-found', `the codes of ${system} are not known here`);
  if (!found.isSubsuming) {
    throw new TerminologyFault('not-supported', `the hierarchy of ${system} does not say what a code subsumes`);
  }
  const codes = reach(found, code);
  if (codes.size === 0) throw new TerminologyFault('code-invalid', `${system} has no code ${code}`);
  return selectCodes(url, codes);
}

/** What is stored goes before what R5 publishes; each is looked up once. */
function definitionsOver(stored: StoredTerminology): Definitions {
  const systems = new Map<string, Promise<CodeSystem | undefined>>();
  const find = async (type: 'CodeSystem' | 'ValueSet', url: string, version: string | undefined) =>
    pick(await stored.byUrl(type, url), version) ?? pick(coreResources(type, url), version);
  return {
    valueSet: (url, version) => find('ValueSet', url, version),
    codeSystem: (url, version) => {
      const key = `${url}|${version ?? ''}`;
      const known = systems.get(key);
      if (known !== undefined) return known;
      const reading = find('CodeSystem', url, version).then((found) =>
        found === undefined ? undefined : readCodeSystem(found),
      );
      systems.set(key, reading);
      return reading;
    },
  };
}

/** The version asked for; without one the latest that is not retired. */
function pick(resources: readonly Json[], version: string | undefined): Json | undefined {
  if (version !== undefined) return resources.find((resource) => resource['version'] === version);
  const current = resources.filter(({ status }) => status !== 'retired');
  return (current.length > 0 ? current : resources).reduce<Json | undefined>(
    (best, each) => (best === undefined || versionOrder(each, best) > 0 ? each : best),
    undefined,
  );
}

function versionOrder(a: Json, b: Json): number {
  return (text(a['version']) ?? '').localeCompare(text(b['version']) ?? '', 'en', { numeric: true });
}
