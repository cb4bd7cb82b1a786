// Bounded replacements for FHIRPath functions whose standard form may take exponential time or memory (docs/adr/0043).
// Regular expressions run in linear time, and texts grow no longer than a resource may be
// (hl7.org/fhirpath/#string-manipulation).
import { linearPattern } from './linear-pattern.ts';

const MAX_TEXT = 10 * 1024 * 1024;

/** Thrown when a text grows beyond what a resource may hold. */
class TextTooLong extends Error {
  constructor(name: string) {
    super(`${name}() makes a text of more than ${MAX_TEXT} characters`);
  }
}

type Inputs = readonly unknown[];

/**
 * Functions for the fhirpath package's table of user-defined functions. An argument is a single value, or a list when
 * it is empty.
 */
export const boundedFunctions = {
  matches: {
    arity: { 1: ['String' as const], 2: ['String' as const, 'String' as const] },
    fn: (inputs: Inputs, pattern: unknown, flags?: unknown): unknown[] =>
      onText(inputs, [pattern], (text) => linearPattern(String(pattern), flagsIn(flags)).matches(text)),
  },
  matchesFull: {
    arity: { 1: ['String' as const], 2: ['String' as const, 'String' as const] },
    fn: (inputs: Inputs, pattern: unknown, flags?: unknown): unknown[] =>
      onText(inputs, [pattern], (text) => linearPattern(`^(?:${String(pattern)})$`, flagsIn(flags)).matches(text)),
  },
  replaceMatches: {
    arity: { 2: ['String' as const, 'String' as const] },
    fn: (inputs: Inputs, pattern: unknown, substitution: unknown): unknown[] =>
      onText(inputs, [pattern, substitution], (text) =>
        linearPattern(String(pattern)).replaceAll(text, String(substitution)),
      ),
  },
  replace: {
    arity: { 2: ['String' as const, 'String' as const] },
    fn: (inputs: Inputs, pattern: unknown, substitution: unknown): unknown[] =>
      onText(inputs, [pattern, substitution], (text) => replaced(text, String(pattern), String(substitution))),
  },
};

/** Applies a function to the single text of the input. The result is empty for an empty input or argument. */
function onText(inputs: Inputs, given: Inputs, make: (text: string) => unknown): unknown[] {
  const [input, ...others] = inputs;
  if (input === undefined || given.some((each) => typeof each !== 'string')) return [];
  if (others.length > 0) throw new Error('A text function takes a single text');
  const text = textOf(input);
  return text === undefined ? [] : [make(text)];
}

/** A node of the package, or a plain value. */
function textOf(input: unknown): string | undefined {
  const value: unknown = typeof input === 'object' && input !== null && 'data' in input ? input.data : input;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new Error('A text function takes a single text');
}

function flagsIn(flags: unknown): string {
  return typeof flags === 'string' ? flags : '';
}

function replaced(text: string, pattern: string, substitution: string): string {
  const growth = substitution.length - pattern.length;
  if (growth > 0 && text.length + growth * countOf(text, pattern) > MAX_TEXT) throw new TextTooLong('replace');
  return text.replaceAll(pattern, () => substitution);
}

function countOf(text: string, pattern: string): number {
  if (pattern === '') return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + pattern.length)) count += 1;
  return count;
}
