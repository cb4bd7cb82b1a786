// Evaluates what has to do with reference sets: their members with filters, and supplements of history.
import { type Steps, strides } from '../content/unfinished.ts';
import { addBit, type Bitset, emptyBitset, hasBit, orBits } from '../model/bitset.ts';
import type { Refset } from '../model/snomed/refsets.ts';
import { concreteValue } from '../model/snomed/relations.ts';
import { TerminologyError } from '../terminology-error.ts';
import { type EclContext, identifierTest, isDifference, isTime, notSupported } from './context.ts';
import type { ComparedValue, Expression, HistoryProfile, MemberFilter, MembersOf } from './syntax.ts';
import { termTest } from './term-match.ts';

const REFERENCED = 'referencedComponentId';
const TARGET = 'targetComponentId';

/** The concepts of the members, or of one of their fields. */
export function* membersOf({ of, fields, filters, at }: MembersOf, context: EclContext): Steps<Bitset> {
  const [field = REFERENCED, ...more] = fields;
  if (field === '*' || more.length > 0) throw notSupported('several fields of a reference set are no concepts', at);
  const { model } = context;
  const found = emptyBitset(model.size);
  const tests: ((refset: Refset) => MemberTest)[] = [];
  for (const filter of filters) tests.push(yield* memberTest(filter, context));
  for (const refset of yield* refsetsOf(of, context)) {
    const passes = tests.map((test) => test(refset));
    const column = field === REFERENCED ? undefined : columnOf(refset, field, at);
    for (const stride of strides(placesFrom(refset))) {
      for (const member of stride) {
        if (!passes.every((test) => test(member))) continue;
        const place =
          column === undefined ? model.refsets.placeOf(member) : model.refsets.targetOf(refset, member, column);
        if (place >= 0) addBit(found, place);
      }
      yield;
    }
  }
  return found;
}

function* placesFrom({ start, end }: Refset): Generator<number, void, void> {
  for (let member = start; member < end; member += 1) yield member;
}

function* refsetsOf(of: Expression, { model, evaluate }: EclContext): Steps<readonly Refset[]> {
  const { all } = model.refsets;
  if (of.kind === 'any') return all;
  const bits = yield* evaluate(of);
  return all.filter(({ code }) => {
    const place = model.find(code);
    return place !== -1 && hasBit(bits, place);
  });
}

/** @throws TerminologyError for a field that the reference set does not have */
function columnOf({ code, fields }: Refset, name: string, at: number): number {
  const found = fields.indexOf(name);
  if (found !== -1) return found;
  const message = `the reference set ${code} has no field ${name}, which the expression constraint names at character ${at}`;
  throw new TerminologyError('invalid', message, 'vs-invalid');
}

type MemberTest = (member: number) => boolean;

function* memberTest(filter: MemberFilter, context: EclContext): Steps<(refset: Refset) => MemberTest> {
  const { refsets } = context.model;
  switch (filter.kind) {
    case 'active':
      if (filter.isActive === true) return () => () => true;
      throw notSupported('inactive members of reference sets are not kept');
    case 'time': {
      const verdicts = refsets.kinds.map(({ effectiveTime }) => isTime(filter, effectiveTime));
      return () => (member) => verdicts[refsets.kindOf(member)] ?? false;
    }
    case 'module': {
      const isThere = yield* identifierTest(filter.of, context);
      const verdicts = refsets.kinds.map(({ moduleId }) => isThere(moduleId) !== filter.isNot);
      return () => (member) => verdicts[refsets.kindOf(member)] ?? false;
    }
    case 'field':
      return yield* fieldTest(filter, context);
    default:
      return filter satisfies never;
  }
}

type FieldFilter = Extract<MemberFilter, { kind: 'field' }>;

function* fieldTest({ name, value, at }: FieldFilter, context: EclContext): Steps<(refset: Refset) => MemberTest> {
  const { refsets } = context.model;
  if (value.kind === 'expression') {
    const bits = yield* context.evaluate(value.of);
    return (refset) => {
      const column = name === REFERENCED ? -1 : columnOf(refset, name, at);
      return (member) => {
        const place = column === -1 ? refsets.placeOf(member) : refsets.targetOf(refset, member, column);
        return (place >= 0 && hasBit(bits, place)) !== value.isNot;
      };
    };
  }
  const passes = textTest(value);
  return (refset) => {
    const column = columnOf(refset, name, at);
    return (member) => passes(refsets.textOf(refset, member, column) ?? '');
  };
}

function textTest(value: Exclude<ComparedValue, { kind: 'expression' }>): (text: string) => boolean {
  switch (value.kind) {
    case 'number':
      return (text) =>
        /^#?[-+]?\d/.test(text) && isDifference(value.comparison, Number(text.replace('#', '')) - value.value);
    case 'text': {
      const matches = termTest(value.terms);
      return (text) => matches(text) !== value.isNot;
    }
    case 'boolean':
      return (text) =>
        (concreteValue(text).value === String(value.value) || text === (value.value ? '1' : '0')) !== value.isNot;
    case 'time':
      return (text) => isTime(value, text);
    default:
      return value satisfies never;
  }
}

/** Reference sets of historical associations: same as, replaced by, was a, partially equivalent to. */
const MINIMUM = ['900000000000527005'];
const MODERATE = [...MINIMUM, '900000000000526001', '900000000000528000', '1186924009'];
/** All of them are its descendants. */
const HISTORICAL = '900000000000522004';

/** The set, and the inactive concepts that are associated with it. */
export function* withHistory(bits: Bitset, profile: HistoryProfile, context: EclContext): Steps<Bitset> {
  const { model } = context;
  const added = emptyBitset(model.size);
  for (const refset of yield* historicalRefsets(profile, context)) {
    const column = refset.fields.indexOf(TARGET);
    if (column === -1) continue;
    for (const stride of strides(placesFrom(refset))) {
      for (const member of stride) {
        const target = model.refsets.targetOf(refset, member, column);
        if (target >= 0 && hasBit(bits, target)) addBit(added, model.refsets.placeOf(member));
      }
      yield;
    }
  }
  return orBits(bits, added);
}

function* historicalRefsets(profile: HistoryProfile, context: EclContext): Steps<readonly Refset[]> {
  const { model } = context;
  const known = (codes: readonly string[]): Refset[] => model.refsets.all.filter(({ code }) => codes.includes(code));
  switch (profile) {
    case 'minimum':
      return known(MINIMUM);
    case 'moderate':
      return known(MODERATE);
    case 'maximum': {
      const root = model.find(HISTORICAL);
      if (root === -1) return known(MODERATE);
      return model.refsets.all.filter(({ code }) => {
        const place = model.find(code);
        return place !== -1 && place !== root && model.hierarchy.isAtOrBelow(place, root);
      });
    }
    default:
      return yield* refsetsOf(profile, context);
  }
}
