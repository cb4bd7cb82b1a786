// Expands the value sets that R5's elements, profiles and extensions are bound to with strength "required" or
// "extensible" into plain lists of codes. The sources are the core package, HL7's terminology, its package of
// extensions and, for currencies, countries and time zones, the official expansions.
import type { CodeList, TypeRow } from '#fhir/definitions/rows.ts';
import { readPackage } from './package-files.ts';

export interface Concept {
  readonly code: string;
  readonly concept?: readonly Concept[];
  readonly property?: readonly { readonly code: string; readonly valueCode?: string }[];
}

export interface CodeSystem {
  readonly url: string;
  readonly version?: string;
  readonly content: string;
  readonly caseSensitive?: boolean;
  readonly concept?: readonly Concept[];
}

interface Filter {
  readonly property: string;
  readonly op: string;
  readonly value: string;
}

interface Include {
  readonly system?: string;
  readonly concept?: readonly Concept[];
  readonly filter?: readonly Filter[];
  readonly valueSet?: readonly string[];
}

interface ValueSet {
  readonly url: string;
  readonly compose?: { readonly include: readonly Include[]; readonly exclude?: readonly Include[] };
  readonly expansion?: { readonly contains?: readonly { readonly system: string; readonly code: string }[] };
}

/** Sets without a list: checked by syntax in fhir/primitives/code-syntax.ts. */
const BY_SYNTAX = new Set(['all-languages', 'mimetypes', 'ucum-units'].map(coreUrl));
/** Sets over systems that HL7 does not publish; the expansions hold their codes. */
const FROM_EXPANSIONS = new Set(['currencies', 'country', 'timezones'].map(coreUrl));
/** `#rrggbb`: a system without a list, beside the named colours; code-syntax.ts checks it. */
const SYSTEM_BY_SYNTAX = 'http://hl7.org/fhir/color-rgb';
/** LOINC's answer list for chromosomes: not published by HL7, and under LOINC's own licence. */
const LEFT_OUT = new Set(['http://loinc.org/LL2938-0/']);

const LICENSED = new Set(['http://loinc.org', 'http://snomed.info/sct']);

interface Sources {
  readonly codeSystems: ReadonlyMap<string, CodeSystem>;
  readonly valueSets: ReadonlyMap<string, ValueSet>;
}

/** The codes of every required value set, and of the others named as far as they have a list, by value set URL. */
export function compileValueSets(
  types: Readonly<Record<string, TypeRow>>,
  others: readonly string[],
): Record<string, CodeList> {
  const sources = {
    codeSystems: byUrl(readAll<CodeSystem>('CodeSystem')),
    valueSets: byUrl(readAll<ValueSet>('ValueSet')),
  };
  const expansions = byUrl(readPackage<ValueSet>('hl7.fhir.r5.expansions', 'ValueSet'));
  const compiled: Record<string, CodeList> = {};
  for (const url of requiredSets(types)) {
    if (BY_SYNTAX.has(url) || LEFT_OUT.has(url)) continue;
    compiled[url] = FROM_EXPANSIONS.has(url) ? expanded(url, expansions) : sorted(expand(url, sources));
  }
  for (const url of others) {
    if (compiled[url] !== undefined || BY_SYNTAX.has(url) || FROM_EXPANSIONS.has(url)) continue;
    const codes = expandIfOpen(url, sources);
    if (codes !== undefined) compiled[url] = sorted(codes);
  }
  return Object.fromEntries(Object.entries(compiled).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Undefined for a set that needs what HL7 does not publish, or a system with a licence of its own. */
function expandIfOpen(url: string, sources: Sources): Map<string, Set<string>> | undefined {
  try {
    const codes = expand(url, sources);
    return [...codes.keys()].some((system) => LICENSED.has(system)) ? undefined : codes;
  } catch {
    return undefined;
  }
}

function requiredSets(types: Readonly<Record<string, TypeRow>>): string[] {
  const rows = Object.values(types).flatMap((type) => Object.values(type.shapes).flatMap((shape) => shape.elements));
  const urls = rows.flatMap(({ binding }) => (binding?.[0] === 'required' ? [binding[1]] : []));
  return [...new Set(urls)].sort();
}

function expanded(url: string, expansions: ReadonlyMap<string, ValueSet>): CodeList {
  const contains = expansions.get(url)?.expansion?.contains;
  if (contains === undefined) throw new Error(`${url} has no official expansion`);
  const codes = new Map<string, Set<string>>();
  for (const { system, code } of contains) codesOf(codes, system).add(code);
  return sorted(codes);
}

function expand(url: string, sources: Sources): Map<string, Set<string>> {
  const set = sources.valueSets.get(url);
  if (set?.compose === undefined) throw new Error(`${url} is not there or has no compose`);
  const codes = new Map<string, Set<string>>();
  for (const include of set.compose.include) {
    for (const [system, code] of included(include, sources, url)) codesOf(codes, system).add(code);
  }
  for (const exclude of set.compose.exclude ?? []) {
    for (const [system, code] of included(exclude, sources, url)) codesOf(codes, system).delete(code);
  }
  return codes;
}

function included(include: Include, sources: Sources, url: string): [system: string, code: string][] {
  if (include.valueSet !== undefined) {
    if (include.system !== undefined || include.valueSet.length > 1) throw new Error(`${url} intersects value sets`);
    const [imported = ''] = include.valueSet;
    return [...expand(imported.replace(/\|.*$/, ''), sources)].flatMap(([system, codes]) =>
      [...codes].map((code): [string, string] => [system, code]),
    );
  }
  const { system = '' } = include;
  if (system === SYSTEM_BY_SYNTAX) return [];
  const concepts = include.concept ?? filtered(completeConcepts(system, sources, url), include.filter ?? [], url);
  return concepts.map(({ code }) => [system, code]);
}

function filtered(concepts: readonly Concept[], filters: readonly Filter[], url: string): readonly Concept[] {
  return filters.reduce((left, { property, op, value }) => {
    const isBelow = belowOf(concepts, value);
    if (property === 'concept' && op === 'is-a') return left.filter(({ code }) => isBelow.has(code));
    if (property === 'concept' && op === 'is-not-a') return left.filter(({ code }) => !isBelow.has(code));
    if (property === 'concept' && op === 'descendent-of')
      return left.filter(({ code }) => code !== value && isBelow.has(code));
    throw new Error(`${url} has a filter, which this generator does not compute`);
  }, concepts);
}

/** A code and all below it, by nesting or by the property `subsumedBy`. */
function belowOf(concepts: readonly Concept[], top: string): ReadonlySet<string> {
  const found = new Set([top]);
  // The set grows while it is walked.
  for (const parent of found) {
    for (const { code, concept = [], property = [] } of concepts) {
      if (code === parent) for (const child of concept) found.add(child.code);
      if (property.some((each) => each.code === 'subsumedBy' && each.valueCode === parent)) found.add(code);
    }
  }
  return found;
}

function completeConcepts(system: string, sources: Sources, url: string): Concept[] {
  const codeSystem = sources.codeSystems.get(system);
  if (codeSystem?.content !== 'complete') throw new Error(`${url} needs ${system}, which is not there in full`);
  return allConcepts(codeSystem.concept ?? []);
}

/** The concepts at every depth. */
export function allConcepts(concepts: readonly Concept[]): Concept[] {
  return concepts.flatMap((concept) => [concept, ...allConcepts(concept.concept ?? [])]);
}

/**
 * What the core package defines wins over a later edition in HL7's terminology, and that over the package of
 * extensions.
 */
export function readAll<T>(resourceType: string): T[] {
  return ['hl7.fhir.uv.extensions.r5', 'hl7.terminology.r5', 'hl7.fhir.r5.core'].flatMap((name) =>
    readPackage<T>(name, resourceType),
  );
}

export function byUrl<T extends { readonly url: string }>(resources: readonly T[]): Map<string, T> {
  return new Map(resources.map((resource) => [resource.url, resource]));
}

function codesOf(codes: Map<string, Set<string>>, system: string): Set<string> {
  const known = codes.get(system) ?? new Set<string>();
  codes.set(system, known);
  return known;
}

function sorted(codes: ReadonlyMap<string, ReadonlySet<string>>): CodeList {
  const entries = [...codes].map(([system, set]): [string, string[]] => [system, [...set].sort()]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function coreUrl(name: string): string {
  return `http://hl7.org/fhir/ValueSet/${name}`;
}
