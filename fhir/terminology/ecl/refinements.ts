// Evaluates refinements. Attributes without a cardinality are sets of concepts: from the values to the concepts that
// have them, or by a scan of all relations. Only what counts attributes, or asks for one group, is tested concept by
// concept, and among those that have such attributes at all.
import type { Steps } from '../content/unfinished.ts';
import { addBit, andBits, type Bitset, countBits, emptyBitset, hasBit, orBits, withoutBits } from '../model/bitset.ts';
import { type Relations, TYPE_SHIFT } from '../model/snomed/relations.ts';
import { type AttributeTest, attributeTest, hasConceptValues } from './attribute-test.ts';
import { type EclContext, notSupported } from './context.ts';
import { eachMember } from './sets.ts';
import type { Attribute, Cardinality, Refinement } from './syntax.ts';

/** The members that the refinement holds for. */
export function* refine(bits: Bitset, refinement: Refinement, context: EclContext): Steps<Bitset> {
  switch (refinement.kind) {
    case 'and': {
      let found = bits;
      for (const part of refinement.parts) found = yield* refine(found, part, context);
      return found;
    }
    case 'or': {
      let found = emptyBitset(context.model.size);
      for (const part of refinement.parts) found = orBits(found, yield* refine(bits, part, context));
      return found;
    }
    case 'attribute':
      return refinement.isReverse
        ? yield* withSources(bits, refinement, context)
        : yield* withAttribute(bits, refinement, context);
    case 'group':
      return yield* withGroup(bits, refinement.of, { cardinality: refinement.cardinality, context });
    default:
      return refinement satisfies never;
  }
}

function isWithin({ min, max }: Cardinality, count: number): boolean {
  return count >= min && count <= max;
}

function* withAttribute(bits: Bitset, attribute: Attribute, context: EclContext): Steps<Bitset> {
  const { model } = context;
  const { min, max } = attribute.cardinality;
  const test = yield* attributeTest(attribute, context);
  if (min === 0 && max === Number.POSITIVE_INFINITY) return bits;
  const some = yield* withSome(bits, test, model.relations);
  if (min === 1 && max === Number.POSITIVE_INFINITY) return some;
  if (max === 0) return withoutBits(bits, some);
  // Concepts without the attribute have it as few times as is allowed.
  const found = min === 0 ? withoutBits(bits, some) : emptyBitset(model.size);
  const { starts } = model.relations;
  yield* eachMember(some, (place) => {
    const count = countOf(test, starts[place] ?? 0, starts[place + 1] ?? 0);
    if (isWithin(attribute.cardinality, count)) addBit(found, place);
  });
  return found;
}

function countOf({ holds }: AttributeTest, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (holds(at)) count += 1;
  return count;
}

/** Sources are looked up from the values where these have less than this part of all relations. */
const FEW = 1 / 8;
/** Words of a set that are read in one step. */
const STRIDE = 64;

/** The members with at least one relation that passes. */
function* withSome(bits: Bitset, test: AttributeTest, relations: Relations): Steps<Bitset> {
  const found = new Uint32Array(bits.length);
  if (relations.isEmpty) return found;
  const hasSome = someTest(test, relations);
  const visit = (place: number): void => {
    if (!hasBit(found, place) && hasSome(place)) addBit(found, place);
  };
  const { values } = test;
  if (values === undefined || !(yield* areFew(values, bits, relations))) {
    yield* eachMember(bits, visit, STRIDE);
    return found;
  }
  yield* eachMember(values, (value) => {
    for (const source of relations.sourcesOf(value)) if (hasBit(bits, source)) visit(source);
  });
  return found;
}

/** Whether a concept has a relation that passes; most questions ask this of very many concepts. */
function someTest(
  { holds, values, types }: AttributeTest,
  { starts, targets, keys }: Relations,
): (place: number) => boolean {
  if (values === undefined) {
    return (place) => {
      const to = starts[place + 1] ?? 0;
      for (let at = starts[place] ?? 0; at < to; at += 1) if (holds(at)) return true;
      return false;
    };
  }
  return (place) => {
    const to = starts[place + 1] ?? 0;
    for (let at = starts[place] ?? 0; at < to; at += 1) {
      const target = targets[at] ?? -1;
      if (target >= 0 && types[(keys[at] ?? 0) >>> TYPE_SHIFT] === 1 && hasBit(values, target)) return true;
    }
    return false;
  };
}

function* areFew(values: Bitset, bits: Bitset, relations: Relations): Steps<boolean> {
  const limit = Math.min(relations.targets.length * FEW, countBits(bits));
  let count = countBits(values);
  if (count > limit) return false;
  yield* eachMember(values, (value) => {
    count += relations.sourceCount(value);
  });
  return count <= limit;
}

/** The members that are values of the attribute of concepts in the set of its values. */
function* withSources(bits: Bitset, attribute: Attribute, context: EclContext): Steps<Bitset> {
  const { value, cardinality, at: position } = attribute;
  if (!hasConceptValues(value)) throw notSupported('a reversed attribute has concepts as its values', position);
  const test = yield* attributeTest({ ...attribute, value: ANY_VALUE }, context);
  const given = yield* context.evaluate(value.of);
  const { model } = context;
  const { relations, size } = model;
  const counts = new Int32Array(size);
  const lastOf = new Int32Array(size);
  const count = (source: number): void => {
    if (relations.isEmpty || hasBit(given, source) === value.isNot) return;
    for (let at = relations.starts[source] ?? 0; at < (relations.starts[source + 1] ?? 0); at += 1) {
      const target = relations.targets[at] ?? -1;
      // A source counts once for each of its values.
      if (target < 0 || lastOf[target] === source + 1 || !test.holds(at)) continue;
      lastOf[target] = source + 1;
      counts[target] = (counts[target] ?? 0) + 1;
    }
  };
  if (value.isNot) yield* eachPlace(size, count);
  else yield* eachMember(given, count, STRIDE);
  const found = emptyBitset(size);
  yield* eachMember(bits, (place) => {
    if (isWithin(cardinality, counts[place] ?? 0)) addBit(found, place);
  });
  return found;
}

const ANY_VALUE: Attribute['value'] = { kind: 'expression', isNot: false, of: { kind: 'any' } };
const PLACES = 4_096;

function* eachPlace(size: number, visit: (place: number) => void): Steps<void> {
  for (let place = 0; place < size; place += 1) {
    visit(place);
    if (place % PLACES === PLACES - 1) yield;
  }
}

/** Whether a range of relations, which are of one group, is as the refinement has it. */
type GroupTest = (from: number, to: number) => boolean;

interface GroupOptions {
  readonly cardinality: Cardinality;
  readonly context: EclContext;
}

function* withGroup(bits: Bitset, of: Refinement, { cardinality, context }: GroupOptions): Steps<Bitset> {
  const { relations, size } = context.model;
  const { test, some } = yield* groupTest(bits, of, context);
  const candidates = some ?? bits;
  const { min, max } = cardinality;
  if (min === 0 && max === Number.POSITIVE_INFINITY) return bits;
  const found = min === 0 ? withoutBits(bits, candidates) : emptyBitset(size);
  yield* eachMember(
    andBits(candidates, bits),
    (place) => {
      if (isWithin(cardinality, countGroups(relations, place, test))) addBit(found, place);
    },
    STRIDE,
  );
  return found;
}

/** Each attribute without a group is a group of its own. */
function countGroups(relations: Relations, place: number, test: GroupTest): number {
  if (relations.isEmpty) return 0;
  const to = relations.starts[place + 1] ?? 0;
  let count = 0;
  for (let from = relations.starts[place] ?? 0; from < to; ) {
    const group = relations.groupOf(from);
    let end = from + 1;
    while (group !== 0 && end < to && relations.groupOf(end) === group) end += 1;
    if (test(from, end)) count += 1;
    from = end;
  }
  return count;
}

interface FoundGroupTest {
  readonly test: GroupTest;
  /** The concepts that may have such a group; undefined for all. */
  readonly some: Bitset | undefined;
}

function* groupTest(bits: Bitset, of: Refinement, context: EclContext): Steps<FoundGroupTest> {
  switch (of.kind) {
    case 'attribute': {
      if (of.isReverse) throw notSupported('a reversed attribute in a group', of.at);
      const test = yield* attributeTest(of, context);
      const { cardinality } = of;
      const some = cardinality.min === 0 ? undefined : yield* withSome(bits, test, context.model.relations);
      return { test: (from, to) => isWithin(cardinality, countOf(test, from, to)), some };
    }
    case 'and':
    case 'or': {
      const parts: FoundGroupTest[] = [];
      for (const part of of.parts) parts.push(yield* groupTest(bits, part, context));
      return of.kind === 'and' ? allOf(parts) : anyOf(parts);
    }
    default:
      throw notSupported('a group within a group');
  }
}

function allOf(parts: readonly FoundGroupTest[]): FoundGroupTest {
  const sets = parts.flatMap(({ some }) => some ?? []);
  const [first, ...more] = sets;
  return {
    test: (from, to) => parts.every(({ test }) => test(from, to)),
    some: first === undefined ? undefined : more.reduce(andBits, first),
  };
}

function anyOf(parts: readonly FoundGroupTest[]): FoundGroupTest {
  const sets = parts.map(({ some }) => some);
  const known = sets.filter((set) => set !== undefined);
  return {
    test: (from, to) => parts.some(({ test }) => test(from, to)),
    some: known.length < sets.length ? undefined : known.reduce(orBits),
  };
}
