// The codes of the value sets that elements are bound to. R5's own come from the compiled lists or from a syntax check,
// those of users from the lookups of the request (hl7.org/fhir/R5/terminologies.html#binding).
import { type CodeSelection, hasCode } from '#fhir/terminology/code-selection.ts';
import type { Definitions } from '../definitions/definitions.ts';
import { codeSyntax } from '../primitives/code-syntax.ts';
import { isJsonObject, type ValidationContext, type ValueSetLookup } from './context.ts';

/** The codes of one value set. */
export interface KnownCodes {
  /** Whether any system of the set has the code: the rule for values without a system. */
  readonly hasCode: (code: string) => boolean;
  readonly has: (system: string, code: string) => boolean;
  /** A short description of a valid value, where there is one: `one of a, b`. */
  readonly expected: string | undefined;
}

export const NO_VALUE_SETS: ValueSetLookup = { find: () => undefined, hasCode: () => false };

const MAX_LISTED = 12;
const officialSets = new WeakMap<Definitions, Map<string, KnownCodes | undefined>>();
const foundSets = new WeakMap<CodeSelection, KnownCodes>();

/** The codes of a value set; undefined when they are not known here. */
export function knownCodes(
  { definitions, valueSets }: Pick<ValidationContext, 'definitions' | 'valueSets'>,
  canonical: string,
): KnownCodes | undefined {
  const official = officialCodes(definitions, canonical);
  if (official !== undefined) return official;
  const found = valueSets.find(canonical);
  return found === undefined || typeof found === 'string' ? undefined : selectedCodes(found);
}

/** The codes of a value set that R5 or HL7 defines. */
export function officialCodes(definitions: Definitions, canonical: string): KnownCodes | undefined {
  let known = officialSets.get(definitions);
  if (known === undefined) {
    known = new Map();
    officialSets.set(definitions, known);
  }
  const before = known.get(canonical);
  if (before !== undefined || known.has(canonical)) return before;
  const created = readOfficial(definitions, canonical.split('|', 1)[0] ?? '');
  // Users name canonicals too: unknown ones are not cached.
  if (created !== undefined) known.set(canonical, created);
  return created;
}

function readOfficial(definitions: Definitions, url: string): KnownCodes | undefined {
  const list = definitions.codeSet(url);
  const syntax = codeSyntax(url);
  if (syntax === undefined) return list && { ...list, expected: listed(list.codes) };
  return {
    hasCode: (code) => list?.hasCode(code) === true || syntax.isValid(code),
    has: (system, code) =>
      list?.has(system, code) === true || (syntax.systems.includes(system) && syntax.isValid(code)),
    expected: syntax.expected,
  };
}

function selectedCodes(selection: CodeSelection): KnownCodes {
  const known = foundSets.get(selection);
  if (known !== undefined) return known;
  const systems = [...selection.keys()];
  const isOpen = [...selection.values()].some(({ isAllBut }) => isAllBut);
  const created = {
    hasCode: (code: string) => systems.some((system) => hasCode(selection, system, code)),
    has: (system: string, code: string) => hasCode(selection, system, code),
    expected: isOpen ? undefined : listed([...selection.values()].flatMap(({ codes }) => [...codes])),
  };
  foundSets.set(selection, created);
  return created;
}

function listed(codes: readonly string[]): string | undefined {
  return codes.length > 0 && codes.length <= MAX_LISTED ? `one of ${codes.join(', ')}` : undefined;
}

/** Whether a Coding or Quantity is in the set; without a system it is in none. */
export function hasCoding(known: KnownCodes, coding: unknown): boolean {
  if (!isJsonObject(coding)) return false;
  const { system, code } = coding;
  return typeof code === 'string' && typeof system === 'string' && known.has(system, code);
}

/** Whether one of a concept's codings is in the set. */
export function hasConcept(known: KnownCodes, concept: unknown): boolean {
  const codings = isJsonObject(concept) ? concept['coding'] : undefined;
  return Array.isArray(codings) && codings.some((coding) => hasCoding(known, coding));
}
