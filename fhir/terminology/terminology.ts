// The terminology interface of search: the codes of a value set, and those above and below a code. The implementation
// here reads the code systems and value sets that HL7 publishes and those that users have stored. A store accepts any
// other implementation.
import { append } from '#lib/append.ts';
import { type Catalog, type Definition, layered, splitCanonical } from './catalog/catalog.ts';
import { officialCatalog } from './catalog/official.ts';
import { catalogOfResources } from './catalog/table-catalog.ts';
import { type CodeSelection, NO_CODES, selectCodes, selectWhole, sizeOf, subtract, unite } from './code-selection.ts';
import { type Content, type Part, sizeOfContent } from './content/content.ts';
import { createEvaluate, findValueSet } from './content/evaluate.ts';
import { impliedSystem } from './content/implicit.ts';
import { viewOf } from './content/system-view.ts';
import { finished } from './content/unfinished.ts';
import { type Json, objects, text, texts } from './json.ts';
import { emptyBitset, members } from './model/bitset.ts';
import type { CodeSystemModel } from './model/code-system-model.ts';
import { TerminologyError } from './terminology-error.ts';

/** Users' stored resources that the caller may read. */
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
  /** The codes of a value set, named by `url`, `url|version` or `ValueSet/id`. @throws TerminologyError */
  valueSet(address: string, stored: StoredTerminology): Promise<CodeSelection>;
  /** The code and all that it subsumes. @throws TerminologyError */
  below(coding: Coding, stored: StoredTerminology): Promise<CodeSelection>;
  /** The code and all that subsume it. @throws TerminologyError */
  above(coding: Coding, stored: StoredTerminology): Promise<CodeSelection>;
}

/** The most codes in one search condition. */
export const MAX_CODES = 20_000;
/** The most definitions that are read for one value set. */
const MAX_DEFINITIONS = 400;

const BY_ID = /^ValueSet\/([A-Za-z0-9.-]{1,64})$/;

export const r5Terminology: Terminology = {
  valueSet: async (address, stored) => {
    const id = BY_ID.exec(address)?.[1];
    if (id === undefined) {
      const catalog = await collectValueSet(address, stored);
      return selected(findValueSet(catalog, address).resource(), catalog);
    }
    const found = await stored.valueSet(id);
    if (found === undefined) throw new TerminologyError('not-found', `the value set ${address} is not known here`);
    const catalog = await collectFrom(found, stored);
    return selected(found, catalog);
  },
  below: (coding, stored) => related(coding, stored, addBelow),
  above: (coding, stored) => related(coding, stored, addAbove),
};

/** @throws TerminologyError */
function selected(valueSet: Json, catalog: Catalog): Promise<CodeSelection> {
  const evaluate = createEvaluate(catalog);
  return finished(() => selectionOf(evaluate(valueSet).content));
}

/** The same from a complete catalog in memory, without further lookups. */
export function catalogTerminology(catalog: Catalog): Terminology {
  const select = createValueSetSelector(catalog);
  return {
    valueSet: (address) => finished(() => select(address)),
    below: async (coding) => relatedIn(catalog, coding, addBelow),
    above: async (coding) => relatedIn(catalog, coding, addAbove),
  };
}

/**
 * Selects the codes of a value set by name, as {@link Terminology.valueSet}; the result is cached for each generation
 * of the catalog. The function throws a TerminologyError.
 */
export function createValueSetSelector(catalog: Catalog): (address: string) => CodeSelection {
  const evaluate = createEvaluate(catalog);
  const known = new WeakMap<Content, CodeSelection>();
  return (address) => {
    const { content } = evaluate(definitionOf(catalog, address).resource());
    const found = known.get(content) ?? selectionOf(content);
    known.set(content, found);
    return found;
  };
}

/** @throws TerminologyError `not-found` */
function definitionOf(catalog: Catalog, address: string): Definition {
  const id = BY_ID.exec(address)?.[1];
  if (id === undefined) return findValueSet(catalog, address);
  const found = catalog.byId('ValueSet', id);
  if (found === undefined) throw new TerminologyError('not-found', `the value set ${address} is not known here`);
  return found;
}

type AddRelated = (model: CodeSystemModel, place: number, bits: Uint32Array) => void;

const addBelow: AddRelated = ({ hierarchy }, place, bits) => hierarchy.addAtOrBelow(place, bits);
const addAbove: AddRelated = ({ hierarchy }, place, bits) => hierarchy.addAtOrAbove(place, bits);

async function related(coding: Coding, stored: StoredTerminology, add: AddRelated): Promise<CodeSelection> {
  const { url } = splitCanonical(coding.system);
  return relatedIn(
    layered([catalogOfResources(await stored.byUrl('CodeSystem', url)), officialCatalog()]),
    coding,
    add,
  );
}

function relatedIn(catalog: Catalog, { system, code }: Coding, add: AddRelated): CodeSelection {
  const { url, version } = splitCanonical(system);
  const model = viewOf(catalog, url, version)?.model;
  if (model === undefined) throw new TerminologyError('not-found', `the codes of ${system} are not known here`);
  if (!model.isSubsuming) {
    throw new TerminologyError('not-supported', `the hierarchy of ${system} does not say what a code subsumes`);
  }
  const place = model.find(code);
  if (place === -1) throw new TerminologyError('code-invalid', `${system} has no code ${code}`);
  const bits = emptyBitset(model.size);
  add(model, place, bits);
  return selectCodes(
    url,
    members(bits).map((each) => model.code(each)),
  );
}

/** The stored definitions that the value set names, before HL7's. */
async function collectValueSet(address: string, stored: StoredTerminology): Promise<Catalog> {
  const { url } = splitCanonical(address);
  const start: Json = { compose: { include: [{ valueSet: [url] }] } };
  return collectFrom(start, stored);
}

/** Reads a value set and all definitions that it names, recursively. */
async function collectFrom(valueSet: Json, stored: StoredTerminology): Promise<Catalog> {
  const found: Json[] = [];
  const visited = new Set<string>();
  const open = [valueSet];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const { type, url } of namedIn(at)) {
      if (visited.has(`${type} ${url}`)) continue;
      visited.add(`${type} ${url}`);
      if (visited.size > MAX_DEFINITIONS) {
        throw new TerminologyError('too-costly', `the value set is made of more than ${MAX_DEFINITIONS} definitions`);
      }
      const resources = await stored.byUrl(type, url);
      append(found, resources);
      if (type === 'ValueSet') {
        append(open, resources);
        open.push(
          ...officialCatalog()
            .valueSets(url)
            .map(({ resource }) => resource()),
        );
      }
    }
  }
  return layered([catalogOfResources(found), officialCatalog()]);
}

interface Named {
  readonly type: 'CodeSystem' | 'ValueSet';
  readonly url: string;
}

function namedIn(valueSet: Json): Named[] {
  return [valueSet, ...objects(valueSet['contained'])].flatMap(namedInCompose);
}

function namedInCompose(valueSet: Json): Named[] {
  const [compose] = objects(valueSet['compose']);
  const parts = [...objects(compose?.['include']), ...objects(compose?.['exclude'])];
  return parts.flatMap(({ system, valueSet: imported }) => [
    ...(text(system) === undefined
      ? []
      : [{ type: 'CodeSystem' as const, url: splitCanonical(text(system) ?? '').url }]),
    ...texts(imported).flatMap(namedByCanonical),
  ]);
}

/** A value set, or the code system of an implicit one. */
function namedByCanonical(canonical: string): Named[] {
  const { url } = splitCanonical(canonical);
  if (url === '') return [];
  const system = impliedSystem(url);
  return [{ type: 'ValueSet', url }, ...(system === undefined ? [] : [{ type: 'CodeSystem' as const, url: system }])];
}

function selectionOf(content: Content): CodeSelection {
  if (sizeOfContent(content) > MAX_CODES) throw tooMany();
  let selection = NO_CODES;
  for (const part of content) selection = unite(selection, partSelection(part));
  if (sizeOf(selection) > MAX_CODES) throw tooMany();
  return selection;
}

function partSelection(part: Part): CodeSelection {
  if (part.kind === 'loose') {
    const codes = selectCodes(part.system, part.codes.keys());
    return part.isAllBut ? subtract(selectWhole(part.system), codes) : codes;
  }
  // A system that is known in part has more codes than it lists.
  if (part.isOpen) return selectWhole(part.system);
  const { model } = part.view;
  return selectCodes(
    part.system,
    members(part.bits).map((place) => model.code(place)),
  );
}

function tooMany(): TerminologyError {
  return new TerminologyError('too-costly', `the value set has more than ${MAX_CODES} codes`);
}
