// Computes the filters of a value set's definition over a known code system
// (hl7.org/fhir/R5/valueset-filter-operator.html), as sets of its concepts. Results are cached with the code system.

import { type Json, text } from '../json.ts';
import { addBit, type Bitset, emptyBitset, fullBitset, removeBit, withoutBits } from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import { regexScan } from './regex-scan.ts';
import { snomedFilter } from './snomed-filter.ts';
import type { SystemView } from './system-view.ts';
import { type Now, type Steps, startWork } from './unfinished.ts';

/** Cached filters of one code system: each takes one bit for a concept. */
const MAX_CACHED_EACH = 64;
const cache = new WeakMap<CodeSystemModel, Map<string, CachedFilter>>();

interface CachedFilter {
  readonly bits: Bitset;
  /** Supplements change while the code system stays. */
  readonly supplements: readonly CodeSystemModel[];
}

export interface Filter {
  readonly property: string;
  readonly op: string;
  readonly value: string;
}

/** Operators on the hierarchy. */
const HIERARCHY_OPERATORS = new Set([
  'is-a',
  'descendent-of',
  'is-not-a',
  'generalizes',
  'child-of',
  'descendent-leaf',
]);

export function readFilter(filter: Json): Filter {
  return {
    property: text(filter['property']) ?? '',
    op: text(filter['op']) ?? '',
    value: typeof filter['value'] === 'string' ? filter['value'] : '',
  };
}

export function isHierarchyFilter({ property, op }: Filter): boolean {
  return HIERARCHY_OPERATORS.has(op) && (property === 'concept' || property === 'code');
}

/**
 * The concepts that match the filter.
 * @throws TerminologyError for one that cannot be computed
 * @throws UnfinishedWork where very many concepts are read, and for a long expression constraint
 */
export function filtered(view: SystemView, filter: Filter, now: Now = () => performance.now()): Bitset {
  const key = JSON.stringify([filter.property, filter.op, filter.value]);
  const found = cache.get(view.model)?.get(key);
  const isOfThese = found !== undefined && isSame(found.supplements, view.supplements);
  const snomed = isOfThese ? undefined : snomedFilter(view.model, filter);
  if (snomed !== undefined) {
    const name = `the filter ${filter.property} ${filter.op} ${filter.value}`;
    return startWork({ name, steps: snomed, done: (bits) => addToCache(view, key, bits) }, now);
  }
  if (!isOfThese && !isHierarchyFilter(filter)) requireProperty(view, filter.property);
  if (filter.op === 'regex' && !isOfThese) {
    const { property, value } = filter;
    const name = `the filter ${property} regex ${value} over the ${view.model.size} codes of ${view.model.meta.url}`;
    const steps = regexScan(view, value, (model) => valuesOf(model, property));
    return startWork({ name, steps, done: (bits) => addToCache(view, key, bits) }, now);
  }
  if (isOfThese) {
    addToCache(view, key, found.bits);
    return found.bits;
  }
  const name = `the filter ${filter.property} ${filter.op} over the ${view.model.size} codes of ${view.model.meta.url}`;
  return startWork({ name, steps: compute(view, filter), done: (bits) => addToCache(view, key, bits) }, now);
}

function addToCache({ model, supplements }: SystemView, key: string, bits: Bitset): void {
  const known = cache.get(model) ?? new Map<string, CachedFilter>();
  cache.set(model, known);
  known.delete(key);
  known.set(key, { bits, supplements });
  if (known.size > MAX_CACHED_EACH) known.delete(known.keys().next().value ?? '');
}

function isSame(some: readonly CodeSystemModel[], others: readonly CodeSystemModel[]): boolean {
  return some.length === others.length && some.every((each, at) => each === others[at]);
}

/**
 * Refuses a property that no concept can have: it is a typing error, and would match nothing, or everything.
 * @throws TerminologyError
 */
function requireProperty({ model, supplements }: SystemView, property: string): void {
  const isKnown =
    OF_ALL_SYSTEMS.has(property) ||
    ownValues(model, property) !== undefined ||
    [model, ...supplements].some((each) => each.hasProperty(property));
  if (isKnown) return;
  const message = `${model.meta.url} has no property ${property}, which a filter asks for`;
  throw new TerminologyError('invalid', message, 'vs-invalid');
}

/**
 * Properties that any code system may use without defining them
 * (terminology.hl7.org/CodeSystem-concept-properties.html).
 */
const OF_ALL_SYSTEMS = new Set(
  `inactive deprecated deprecationDate retirementDate notSelectable parent child partOf synonym comment itemWeight status effectiveDate
  alternateCode`.split(/\s+/),
);

/** A reader of a property's values, the system's own properties included. */
function valuesOf(model: CodeSystemModel, property: string): (place: number) => readonly (string | undefined)[] {
  return ownValues(model, property) ?? ((place) => model.valuesOf(place, property));
}

function* compute(view: SystemView, filter: Filter): Steps<Bitset> {
  if (isHierarchyFilter(filter)) return yield* hierarchyFilter(view.model, filter);
  const { property, op, value } = filter;
  const listed = new Set(value.split(',').map((item) => item.trim()));
  switch (op) {
    case '=':
      return yield* withOneOf(view, property, new Set([value]));
    case 'in':
      return yield* withOneOf(view, property, listed);
    case 'not-in':
      return except(view, yield* withOneOf(view, property, listed));
    case 'exists': {
      if (value !== 'true' && value !== 'false') {
        throw new TerminologyError(
          'invalid',
          `the filter ${property} exists must have the value true or false; it has ${value}`,
          'vs-invalid',
        );
      }
      const found = yield* withValue(view, property, () => true);
      return value === 'true' ? found : except(view, found);
    }
    default:
      throw new TerminologyError(
        'not-supported',
        `the filter ${property} ${op} ${value} cannot be computed here`,
        'vs-invalid',
      );
  }
}

function except({ model }: SystemView, bits: Bitset): Bitset {
  return withoutBits(fullBitset(model.size), bits);
}

function* hierarchyFilter(model: CodeSystemModel, { op, value }: Filter): Steps<Bitset> {
  const place = model.findMeant(value);
  if (place === -1) {
    throw new TerminologyError(
      'invalid',
      `${model.meta.url} has no code ${value}, which a filter asks for`,
      'vs-invalid',
    );
  }
  const { hierarchy, size } = model;
  const bits = emptyBitset(size);
  switch (op) {
    case 'generalizes':
      hierarchy.addAtOrAbove(place, bits);
      return bits;
    case 'child-of':
      for (const child of hierarchy.childrenOf(place)) addBit(bits, child);
      return bits;
  }
  hierarchy.addAtOrBelow(place, bits);
  if (op === 'is-not-a') return withoutBits(fullBitset(size), bits);
  if (op !== 'is-a') removeBit(bits, place);
  return op === 'descendent-leaf' ? withoutBits(bits, yield* inner(model)) : bits;
}

/** Concepts that have children. */
function* inner({ hierarchy, size }: CodeSystemModel): Steps<Bitset> {
  const bits = emptyBitset(size);
  for (const { from, to } of rangesOf(size)) {
    for (let place = from; place < to; place += 1) if (hierarchy.childrenOf(place).length > 0) addBit(bits, place);
    yield;
  }
  return bits;
}

/** Concepts that are read in one step. */
const RANGE = 4_096;

function* rangesOf(size: number): Generator<{ readonly from: number; readonly to: number }> {
  for (let from = 0; from < size; from += RANGE) yield { from, to: Math.min(size, from + RANGE) };
}

/** Concepts with one of the values. Codes are looked up: reading those of all concepts would take long. */
function* withOneOf(view: SystemView, property: string, values: ReadonlySet<string>): Steps<Bitset> {
  if (property !== 'code' && property !== 'concept')
    return yield* withValue(view, property, (each) => values.has(each));
  const { model } = view;
  const bits = emptyBitset(model.size);
  for (const value of values) {
    const place = model.findMeant(value);
    if (place !== -1) addBit(bits, place);
  }
  return bits;
}

/** Concepts with a value of the property that passes the test. */
function* withValue(view: SystemView, property: string, passes: (value: string) => boolean): Steps<Bitset> {
  const { model, supplements } = view;
  const bits = emptyBitset(model.size);
  const verdicts = new Map<string, boolean>();
  yield* eachValue(model, property, (place, value) => {
    let verdict = verdicts.get(value);
    if (verdict === undefined) {
      verdict = passes(value);
      if (verdicts.size < MAX_VERDICTS) verdicts.set(value, verdict);
    }
    if (verdict) addBit(bits, place);
  });
  for (const supplement of supplements) {
    yield* eachStored(supplement, property, (place, value) => {
      const own = model.find(supplement.code(place));
      if (own !== -1 && passes(value)) addBit(bits, own);
    });
  }
  return bits;
}

const MAX_VERDICTS = 10_000;

type Visit = (place: number, value: string) => void;

/** Values of the members that every concept has, and of the system's properties. */
function* eachValue(model: CodeSystemModel, property: string, visit: Visit): Steps<void> {
  const valuesOf = ownValues(model, property);
  if (valuesOf === undefined) {
    yield* eachStored(model, property, visit);
    return;
  }
  for (const { from, to } of rangesOf(model.size)) {
    for (let place = from; place < to; place += 1)
      for (const value of valuesOf(place)) if (value !== undefined) visit(place, value);
    yield;
  }
}

function* eachStored(model: CodeSystemModel, property: string, visit: Visit): Steps<void> {
  for (const { from, to } of rangesOf(model.size)) {
    model.eachValue(property, visit, from, to);
    yield;
  }
}

/** A reader of a property that the system does not define. */
function ownValues(
  model: CodeSystemModel,
  property: string,
): ((place: number) => readonly (string | undefined)[]) | undefined {
  const { hierarchy } = model;
  switch (property) {
    case 'concept':
    case 'code':
      return (place) => [model.code(place)];
    case 'display':
      return (place) => [model.display(place)];
    case 'definition':
      return (place) => [model.definition(place)];
    case 'parent':
      return (place) => Array.from(hierarchy.parentsOf(place), (other) => model.code(other));
    case 'child':
      return (place) => Array.from(hierarchy.childrenOf(place), (other) => model.code(other));
    case 'inactive':
      return (place) => [String(model.isInactive(place))];
    // A concept that does not have the property is neither.
    case 'notSelectable':
      return (place) => (model.isAbstract(place) ? ['true'] : model.valuesOf(place, property));
    default:
      return undefined;
  }
}
