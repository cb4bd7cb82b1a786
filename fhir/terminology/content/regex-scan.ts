// The filter `regex`: concepts of which some value of a property is what the pattern says, looked for value by value,
// so that the look can be left off. Patterns come from strangers.
import { RE2JS } from 're2js';
import { addBit, type Bitset, emptyBitset } from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import type { SystemView } from './system-view.ts';

/**
 * Characters of one value times states of the pattern, for each of which the slowest pattern takes more than a
 * microsecond.
 */
const MOST_STATES = 200_000;
/** Different values of which the verdict is remembered. */
const MAX_VERDICTS = 10_000;

type ValuesOf = (place: number) => readonly (string | undefined)[];

/** Leaves off after each concept. @throws TerminologyError for a pattern that cannot be used, or is too costly */
export function* regexScan(
  view: SystemView,
  pattern: string,
  valuesIn: (model: CodeSystemModel) => ValuesOf,
): Generator<void, Bitset> {
  const { model, supplements } = view;
  const bits = emptyBitset(model.size);
  const passes = remembered(createTest(pattern));
  for (const source of [model, ...supplements]) {
    const valuesOf = valuesIn(source);
    for (let place = 0; place < source.size; place += 1) {
      if (valuesOf(place).some((value) => value !== undefined && passes(value))) {
        const own = source === model ? place : model.find(source.code(place));
        if (own !== -1) addBit(bits, own);
      }
      yield;
    }
  }
  return bits;
}

function remembered(test: (value: string) => boolean): (value: string) => boolean {
  const verdicts = new Map<string, boolean>();
  return (value) => {
    const known = verdicts.get(value);
    if (known !== undefined) return known;
    const verdict = test(value);
    if (verdicts.size < MAX_VERDICTS) verdicts.set(value, verdict);
    return verdict;
  };
}

/**
 * A pattern of RE2's syntax, whose time grows with the text and with its own size alone, and not with more than a bit
 * of both.
 */
function createTest(pattern: string): (value: string) => boolean {
  const compiled = compile(pattern);
  const longest = Math.floor(MOST_STATES / compiled.programSize());
  return (value) => {
    if (value.length <= longest) return compiled.testExact(value);
    const message = `the filter's regular expression ${pattern} is too costly for a value of ${value.length} characters`;
    throw new TerminologyError('too-costly', message, 'too-costly');
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TerminologyError(
      'invalid',
      `the filter's regular expression ${pattern} cannot be used: ${why}`,
      'vs-invalid',
    );
  }
}
