// The filter `regex`: concepts with a property value that matches the pattern. Values are tested one by one, so that
// the scan can be suspended. Patterns are untrusted.
import { RE2JS } from 're2js';
import { addBit, type Bitset, emptyBitset } from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import { patternSize } from './pattern-size.ts';
import type { SystemView } from './system-view.ts';

/** Characters of one value times states of the pattern. The slowest pattern takes more than a microsecond for each. */
const MOST_STATES = 200_000;
/** Instructions of a compiled pattern: compiling so many takes some tens of milliseconds, and is not interrupted. */
const MOST_INSTRUCTIONS = 20_000;
/** Distinct values whose result is cached. */
const MAX_VERDICTS = 10_000;

/** Characters of a pattern in a message. */
const MOST_SHOWN = 200;

type ValuesOf = (place: number) => readonly (string | undefined)[];

/** Can be suspended after each concept. @throws TerminologyError for a pattern that is invalid or too costly */
export function* regexScan(
  view: SystemView,
  pattern: string,
  valuesIn: (model: CodeSystemModel) => ValuesOf,
): Generator<void, Bitset> {
  const { model, supplements } = view;
  const bits = emptyBitset(model.size);
  const passes = memoised(createTest(pattern));
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

function memoised(test: (value: string) => boolean): (value: string) => boolean {
  const verdicts = new Map<string, boolean>();
  return (value) => {
    const known = verdicts.get(value);
    if (known !== undefined) return known;
    const verdict = test(value);
    if (verdicts.size < MAX_VERDICTS) verdicts.set(value, verdict);
    return verdict;
  };
}

/** Compiles a pattern of RE2's syntax, whose time is linear in the text and the pattern, within limits of both. */
function createTest(pattern: string): (value: string) => boolean {
  const compiled = compile(pattern);
  const longest = Math.floor(MOST_STATES / compiled.programSize());
  return (value) => {
    if (value.length <= longest) return compiled.testExact(value);
    const message = `the filter's regular expression ${pattern} is too costly for a value of ${value.length} characters`;
    throw new TerminologyError('too-costly', message);
  };
}

function compile(pattern: string): RE2JS {
  if (patternSize(pattern, MOST_INSTRUCTIONS) > MOST_INSTRUCTIONS) {
    const shown = pattern.length <= MOST_SHOWN ? pattern : `${pattern.slice(0, MOST_SHOWN)}…`;
    throw new TerminologyError(
      'too-costly',
      `the filter's regular expression ${shown} is too long, or repeats too much`,
    );
  }
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
