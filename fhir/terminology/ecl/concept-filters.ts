// Filters of concepts by their status, module, date and definition.
import type { Steps } from '../content/unfinished.ts';
import { addBit, andBits, type Bitset, emptyBitset, withoutBits } from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import { type EclContext, identifierTest, isTime } from './context.ts';
import { activeConcepts, eachMember } from './sets.ts';
import type { ConceptFilter } from './syntax.ts';

const [PRIMITIVE, DEFINED] = ['900000000000074008', '900000000000073002'];

export function* filterConcepts(bits: Bitset, filters: readonly ConceptFilter[], context: EclContext): Steps<Bitset> {
  let found = bits;
  for (const filter of filters) found = yield* filterBy(found, filter, context);
  return found;
}

function* filterBy(bits: Bitset, filter: ConceptFilter, context: EclContext): Steps<Bitset> {
  const { model } = context;
  switch (filter.kind) {
    case 'active': {
      if (filter.isActive === undefined) return bits;
      const active = yield* activeConcepts(model);
      return filter.isActive ? andBits(bits, active) : withoutBits(bits, active);
    }
    case 'time':
      return yield* withValue(model, bits, 'effectiveTime', (time) => isTime(filter, time));
    case 'module': {
      const isThere = yield* identifierTest(filter.of, context);
      return yield* withValue(model, bits, 'moduleId', (id) => isThere(id) !== filter.isNot);
    }
    case 'definitionStatus': {
      const isThere = yield* identifierTest(filter.of, context);
      const statusOf = (value: string): string => (value === 'true' ? DEFINED : PRIMITIVE);
      return yield* withValue(model, bits, 'sufficientlyDefined', (value) => isThere(statusOf(value)) !== filter.isNot);
    }
    default:
      return filter satisfies never;
  }
}

/** Members whose value of the property passes; `''` for a concept without one. */
function* withValue(
  model: CodeSystemModel,
  bits: Bitset,
  property: string,
  passes: (value: string) => boolean,
): Steps<Bitset> {
  const { values, indexes } = yield* valueIndexes(model, property);
  const verdicts = values.map(passes);
  const found = emptyBitset(model.size);
  yield* eachMember(bits, (place) => {
    if (verdicts[indexes[place] ?? 0] === true) addBit(found, place);
  });
  return found;
}

interface ValueIndexes {
  readonly values: readonly string[];
  /** By place: the index of its value. */
  readonly indexes: Uint16Array;
}

const known = new WeakMap<CodeSystemModel, Map<string, ValueIndexes>>();
const RANGE = 8_192;
const MAX_VALUES = 0xff_ff;

/** The values of a property with few of them; computed once for a code system. */
function* valueIndexes(model: CodeSystemModel, property: string): Steps<ValueIndexes> {
  const ofModel = known.get(model) ?? new Map<string, ValueIndexes>();
  known.set(model, ofModel);
  const before = ofModel.get(property);
  if (before !== undefined) return before;
  const indexes = new Uint16Array(model.size);
  const places = new Map([['', 0]]);
  const visit = (place: number, value: string): void => {
    const index = places.get(value) ?? places.size;
    if (index > MAX_VALUES) {
      const message = `the concepts have more than ${MAX_VALUES} values of ${property}`;
      throw new TerminologyError('too-costly', message);
    }
    places.set(value, index);
    indexes[place] = index;
  };
  for (let from = 0; from < model.size; from += RANGE) {
    model.eachValue(property, visit, from, Math.min(model.size, from + RANGE));
    yield;
  }
  const found = { values: [...places.keys()], indexes };
  ofModel.set(property, found);
  return found;
}
