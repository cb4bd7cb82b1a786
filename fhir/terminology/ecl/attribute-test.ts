// Tests of single relations by the name and the value of an attribute.
import type { Steps } from '../content/unfinished.ts';
import { type Bitset, hasBit } from '../model/bitset.ts';
import { concreteValue, type Relations } from '../model/snomed/relations.ts';
import { type EclContext, isDifference, notSupported } from './context.ts';
import type { Attribute, ComparedValue, Expression } from './syntax.ts';
import { termTest } from './term-match.ts';

export interface AttributeTest {
  /** Whether the relation at the index has the name and the value. */
  readonly holds: (at: number) => boolean;
  /** The concepts that it must have as its value; undefined where they are not known. */
  readonly values: Bitset | undefined;
  /** By the index of a type: 1 for those that the name stands for. */
  readonly types: Uint8Array;
}

export function* attributeTest({ name, value, at }: Attribute, context: EclContext): Steps<AttributeTest> {
  const { relations } = context.model;
  const types = yield* typeFlags(name, context);
  const { test, values } = yield* valueTest(value, context, at);
  return { holds: (index) => types[relations.typeOf(index)] === 1 && test(index), values, types };
}

/** By the index of a type: 1 for those that the name stands for. */
export function* typeFlags(name: Expression, { model, evaluate }: EclContext): Steps<Uint8Array> {
  const { types } = model.relations;
  if (name.kind === 'any') return new Uint8Array(types.length).fill(1);
  const bits = yield* evaluate(name);
  return Uint8Array.from(types, (code) => {
    const place = model.find(code);
    return place !== -1 && hasBit(bits, place) ? 1 : 0;
  });
}

export function hasConceptValues(value: ComparedValue): value is Extract<ComparedValue, { kind: 'expression' }> {
  return value.kind === 'expression';
}

interface ValueTest {
  readonly test: (at: number) => boolean;
  readonly values?: Bitset;
}

function* valueTest(value: ComparedValue, { model, evaluate }: EclContext, position: number): Steps<ValueTest> {
  const { relations } = model;
  const { targets } = relations;
  switch (value.kind) {
    case 'expression': {
      // Any value is a concrete one, too.
      if (value.of.kind === 'any') return { test: () => !value.isNot };
      const bits = yield* evaluate(value.of);
      const test = (at: number): boolean => {
        const target = targets[at] ?? -1;
        return target >= 0 && hasBit(bits, target) !== value.isNot;
      };
      return value.isNot ? { test } : { test, values: bits };
    }
    case 'number':
      return {
        test: concreteTest(relations, 'decimal', (text) => isDifference(value.comparison, Number(text) - value.value)),
      };
    case 'text': {
      const matches = termTest(value.terms);
      return { test: concreteTest(relations, 'string', (text) => matches(text) !== value.isNot) };
    }
    case 'boolean':
      return { test: concreteTest(relations, 'boolean', (text) => (text === String(value.value)) !== value.isNot) };
    case 'time':
      throw notSupported('the value of an attribute is no date', position);
    default:
      return value satisfies never;
  }
}

/** Each distinct value is tested once. */
function concreteTest(
  relations: Relations,
  kind: 'decimal' | 'string' | 'boolean',
  passes: (text: string) => boolean,
): (at: number) => boolean {
  const verdicts = new Map<number, boolean>();
  return (at) => {
    const target = relations.targets[at] ?? 0;
    if (target >= 0) return false;
    const known = verdicts.get(target);
    if (known !== undefined) return known;
    const value = concreteValue(relations.valueOf(at) ?? '');
    const verdict = value.kind === kind && passes(value.value);
    if (verdicts.size < MAX_VERDICTS) verdicts.set(target, verdict);
    return verdict;
  };
}

const MAX_VERDICTS = 10_000;
