// $closure: the subsumptions among the codes that a client uses
// (hl7.org/fhir/R5/conceptmap-operation-closure.html; docs/adr/0108). What is stored is in services/engine/closures/.
import type { SystemView } from '../content/system-view.ts';
import type { Steps } from '../content/unfinished.ts';
import type { Json } from '../json.ts';
import { addBit, andBits, emptyBitset, hasBit, members } from '../model/bitset.ts';
import type { Coding } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import { contextOf, requireView, type TerminologyBase } from './context.ts';
import type { Inputs } from './inputs.ts';

/** The most concepts in one request. */
const MAX_CONCEPTS = 1_000;
const MAX_NAME = 200;

/** One concept of a closure table. */
export interface ClosureConcept {
  readonly system: string;
  readonly code: string;
}

/** The first code is below the second. */
export interface ClosureEntry {
  readonly system: string;
  readonly narrower: string;
  readonly broader: string;
}

/** New concepts of one code system, by place. */
export interface ClosureAddition {
  readonly view: SystemView;
  readonly places: readonly number[];
}

export type ClosureRequest =
  | { readonly kind: 'initialise'; readonly name: string }
  | { readonly kind: 'add'; readonly name: string; readonly additions: readonly ClosureAddition[] }
  | { readonly kind: 'resynchronise'; readonly name: string; readonly version: number };

/**
 * Reads a request. Errors of its parameters become issues of the inputs, and then what is returned is not to be run.
 * @throws TerminologyError `required`, `too-costly`, `not-found` for a code system or code
 */
export function readClosure(base: TerminologyBase, inputs: Inputs): ClosureRequest {
  const name = nameIn(inputs);
  const [concepts, version] = [inputs.codingsNamed('concept'), inputs.text('version')];
  if (version !== undefined && concepts.length > 0) inputs.issue('version', 'version must not be given beside concept');
  if (version !== undefined && !/^\d{1,9}$/.test(version))
    inputs.issue('version', 'version must be one that $closure has answered');
  for (const { system, code } of concepts)
    if (system === undefined) inputs.issue('concept', `concept ${code} must have a system`);
  if (concepts.length > MAX_CONCEPTS) {
    const message = `${concepts.length} concepts are more than ${MAX_CONCEPTS}, which one request may add`;
    throw new TerminologyError('too-costly', message);
  }
  const additions = additionsOf(base, inputs, concepts);
  if (name === undefined) {
    // Beside other errors it is one more of them, unless what was given as the name is one already.
    if (inputs.issues.length > 0 && !inputs.issues.some((each) => each.name === 'name')) inputs.issue('name', NO_NAME);
    throw new TerminologyError('required', NO_NAME);
  }
  if (version !== undefined) return { kind: 'resynchronise', name, version: Number(version) };
  return concepts.length === 0 ? { kind: 'initialise', name } : { kind: 'add', name, additions };
}

const NO_NAME = 'name must say which closure table is meant';

function nameIn(inputs: Inputs): string | undefined {
  const name = inputs.text('name');
  if (name !== undefined && name.length > MAX_NAME)
    inputs.issue('name', `name must have at most ${MAX_NAME} characters`);
  return name;
}

/** The concepts by their code systems. Beside other errors an unknown one is one more of them. */
function additionsOf(base: TerminologyBase, inputs: Inputs, concepts: readonly Coding[]): readonly ClosureAddition[] {
  const context = contextOf(base, inputs, {});
  const additions = new Map<SystemView['model'], { readonly view: SystemView; readonly places: Set<number> }>();
  for (const { system, version, code = '' } of concepts) {
    if (system === undefined) continue;
    try {
      const view = requireView(context, system, version);
      const known = additions.get(view.model) ?? { view, places: new Set() };
      additions.set(view.model, known);
      known.places.add(placeOf(view, code));
    } catch (error) {
      if (!(error instanceof TerminologyError) || inputs.issues.length === 0) throw error;
      inputs.issue('concept', error.message);
    }
  }
  return [...additions.values()].map(({ view, places }) => ({ view, places: [...places] }));
}

function placeOf({ model }: SystemView, code: string): number {
  const exact = model.find(code);
  const place = exact === -1 ? model.findFolded(code) : exact;
  if (place !== -1) return place;
  const message = `Unknown code '${code}' in the CodeSystem '${model.meta.url}'`;
  throw new TerminologyError('not-found', message, 'invalid-code');
}

export interface AddedConcepts {
  /** Those that are new to the table. */
  readonly concepts: readonly ClosureConcept[];
  readonly entries: readonly ClosureEntry[];
}

export interface ClosureLimits {
  /** The most entries that may be added. */
  readonly entries: number;
}

/**
 * The concepts of the addition that the table does not have, and their subsumptions: among each other and with those
 * that it has. @throws TerminologyError `too-costly`
 */
export function* closureOf(
  { view: { model }, places }: ClosureAddition,
  known: Iterable<string>,
  limits: ClosureLimits,
): Steps<AddedConcepts> {
  const { url: system } = model.meta;
  const inTable = emptyBitset(model.size);
  for (const code of known) {
    const place = model.find(code);
    if (place !== -1) addBit(inTable, place);
  }
  const [concepts, entries]: [ClosureConcept[], ClosureEntry[]] = [[], []];
  for (const place of places) {
    if (hasBit(inTable, place)) continue;
    const code = model.code(place);
    concepts.push({ system, code });
    if (model.isSubsuming) {
      const [above, below] = [emptyBitset(model.size), emptyBitset(model.size)];
      model.hierarchy.addAtOrAbove(place, above);
      model.hierarchy.addAtOrBelow(place, below);
      for (const other of members(andBits(above, inTable))) {
        entries.push({ system, narrower: code, broader: model.code(other) });
      }
      for (const other of members(andBits(below, inTable))) {
        // In a circle each is above and below the other: one entry says that already.
        if (!hasBit(above, other)) entries.push({ system, narrower: model.code(other), broader: code });
      }
      if (entries.length > limits.entries) throw tooManyEntries();
    }
    addBit(inTable, place);
    yield;
  }
  return { concepts, entries };
}

export function tooManyEntries(): TerminologyError {
  const message = 'the closure table has more entries than it may have: initialise it, or use several tables';
  return new TerminologyError('too-costly', message);
}

export interface ClosureUpdate {
  readonly name: string;
  readonly version: number;
  /** In the order of system, narrower and broader code. */
  readonly entries: readonly ClosureEntry[];
}

/** The ConceptMap of an answer: the entries that the client adds to its table. */
export function closureMap({ name, version, entries }: ClosureUpdate, now: number, ignored: readonly string[]): Json {
  const bySystem = Map.groupBy(entries, ({ system }) => system);
  const group = [...bySystem].map(([system, some]) => ({
    source: system,
    target: system,
    element: [...Map.groupBy(some, ({ narrower }) => narrower)].map(([code, targets]) => ({
      code,
      target: targets.map(({ broader }) => ({ code: broader, relationship: 'source-is-narrower-than-target' })),
    })),
  }));
  return {
    resourceType: 'ConceptMap',
    version: String(version),
    name: 'ClosureTableUpdate',
    title: `New entries of the closure table ${name}`,
    status: 'active',
    experimental: true,
    date: new Date(now).toISOString(),
    ...(ignored.length === 0 ? {} : { description: `Ignored parameters: ${ignored.join(', ')}` }),
    // FHIR has no empty lists.
    ...(group.length === 0 ? {} : { group }),
  };
}
