// The codes of a value set, computed from its definition (hl7.org/fhir/R5/valueset.html#compositions): systems as a whole, listed concepts,
// filters, other value sets, and what is excluded.
import {
  type CodeSelection,
  intersect,
  NO_CODES,
  selectCodes,
  selectWhole,
  sizeOf,
  subtract,
  unite,
} from './code-selection.ts';
import type { CodeSystem } from './code-system.ts';
import { TerminologyFault } from './fault.ts';
import { filterConcepts } from './filter.ts';
import { type Json, objects, text, texts } from './json.ts';

/** What an expansion may look at; undefined for what is not there. */
export interface Definitions {
  codeSystem(url: string, version: string | undefined): Promise<CodeSystem | undefined>;
  valueSet(url: string, version: string | undefined): Promise<Json | undefined>;
}

/** More codes than this are not compared in one search. */
export const MAX_CODES = 20_000;
/** Value sets that one may be put together from. */
const MAX_VALUE_SETS = 200;

interface Expansion {
  readonly definitions: Definitions;
  /** The way from the first value set here, to name a circle. */
  readonly path: readonly string[];
  /** What is expanded already, and how many were begun. */
  readonly known: Map<string, CodeSelection>;
}

/** @throws TerminologyFault naming what is not known, runs in a circle, or is too much */
export function expandValueSet(valueSet: Json, definitions: Definitions): Promise<CodeSelection> {
  return expand(valueSet, { definitions, path: [], known: new Map() });
}

async function expand(valueSet: Json, expansion: Expansion): Promise<CodeSelection> {
  const name = `${text(valueSet['url']) ?? String(valueSet['id'])}`;
  if (expansion.path.includes(name)) {
    const circle = [...expansion.path.slice(expansion.path.indexOf(name)), name];
    throw new TerminologyFault('invalid', `the value set is made of itself: ${circle.join(' → ')}`);
  }
  const known = expansion.known.get(name);
  if (known !== undefined) return known;
  if (expansion.known.size >= MAX_VALUE_SETS) {
    throw new TerminologyFault('too-costly', `the value set is made of more than ${MAX_VALUE_SETS} others`);
  }
  const inner = { ...expansion, path: [...expansion.path, name] };
  const [compose] = objects(valueSet['compose']);
  const selection = compose === undefined ? expansionCodes(valueSet, name) : await composed(compose, inner);
  expansion.known.set(name, selection);
  return selection;
}

async function composed(compose: Json, expansion: Expansion): Promise<CodeSelection> {
  let selection = NO_CODES;
  for (const include of objects(compose['include'])) {
    selection = bounded(unite(selection, await included(include, expansion)));
  }
  for (const exclude of objects(compose['exclude'])) {
    selection = bounded(subtract(selection, await included(exclude, expansion)));
  }
  return selection;
}

/** What one include (or exclude) names: its system's codes, and of those only what all its value sets hold. */
async function included(include: Json, expansion: Expansion): Promise<CodeSelection> {
  const system = text(include['system']);
  let selection = system === undefined ? undefined : await ofSystem(include, system, expansion);
  for (const canonical of texts(include['valueSet'])) {
    const imported = await importValueSet(canonical, expansion);
    selection = selection === undefined ? imported : intersect(selection, imported);
  }
  return selection ?? NO_CODES;
}

async function importValueSet(canonical: string, expansion: Expansion): Promise<CodeSelection> {
  const { url, version } = splitCanonical(canonical);
  const found = await expansion.definitions.valueSet(url, version);
  if (found === undefined) throw new TerminologyFault('not-found', `the value set ${canonical} is not known here`);
  return expand(found, expansion);
}

async function ofSystem(include: Json, system: string, { definitions }: Expansion): Promise<CodeSelection> {
  const concepts = objects(include['concept']);
  if (concepts.length > 0)
    return selectCodes(
      system,
      concepts.flatMap(({ code }) => text(code) ?? []),
    );
  const filters = objects(include['filter']);
  const version = text(include['version']);
  const found = await definitions.codeSystem(system, version);
  if (filters.length === 0) {
    return found?.isComplete === true ? selectCodes(system, found.concepts.keys()) : selectWhole(system);
  }
  if (found?.isComplete !== true) {
    throw new TerminologyFault('not-found', `the codes of ${system} are not known here, which a filter asks for`);
  }
  return selectCodes(system, filterConcepts(found, filters));
}

/** A value set without a definition may still list its codes. */
function expansionCodes(valueSet: Json, name: string): CodeSelection {
  const [expansion] = objects(valueSet['expansion']);
  if (expansion === undefined) throw new TerminologyFault('invalid', `the value set ${name} says nothing of its codes`);
  let selection = NO_CODES;
  const add = (contains: readonly Json[]): void => {
    for (const { system, code, abstract, contains: nested } of contains) {
      const found = text(code);
      if (found !== undefined && abstract !== true)
        selection = unite(selection, selectCodes(text(system) ?? '', [found]));
      add(objects(nested));
    }
  };
  add(objects(expansion['contains']));
  return bounded(selection);
}

function bounded(selection: CodeSelection): CodeSelection {
  if (sizeOf(selection) <= MAX_CODES) return selection;
  throw new TerminologyFault('too-costly', `the value set has more than ${MAX_CODES} codes`);
}

/** `url|version`. */
export function splitCanonical(canonical: string): { readonly url: string; readonly version: string | undefined } {
  const bar = canonical.indexOf('|');
  if (bar === -1) return { url: canonical, version: undefined };
  return { url: canonical.slice(0, bar), version: canonical.slice(bar + 1) || undefined };
}
