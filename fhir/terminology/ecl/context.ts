// What the evaluation of an expression constraint needs: the code system, and the evaluation of what is within.
import type { Steps } from '../content/unfinished.ts';
import { type Bitset, hasBit } from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import type { Comparison, Expression, TimeFilter } from './syntax.ts';

export interface EclContext {
  readonly model: CodeSystemModel;
  readonly evaluate: (expression: Expression) => Steps<Bitset>;
}

export function notSupported(what: string, at?: number): TerminologyError {
  const where = at === undefined ? '' : ` (at character ${at})`;
  return new TerminologyError(
    'not-supported',
    `the expression constraint cannot be evaluated${where}: ${what}`,
    'vs-invalid',
  );
}

/**
 * A test of the identifiers of concepts. Concepts that the expression names are compared as they are: those of the
 * metadata need not be known.
 */
export function* identifierTest(of: Expression, { evaluate, model }: EclContext): Steps<(id: string) => boolean> {
  const named = namedConcepts(of);
  if (named !== undefined) return (id) => named.has(id);
  const bits = yield* evaluate(of);
  return (id) => {
    const place = model.find(id);
    return place !== -1 && hasBit(bits, place);
  };
}

function namedConcepts(of: Expression): ReadonlySet<string> | undefined {
  if (of.kind === 'concept') return new Set([of.id]);
  if (of.kind !== 'or') return undefined;
  const ids = of.parts.flatMap((part) => (part.kind === 'concept' ? [part.id] : []));
  return ids.length === of.parts.length ? new Set(ids) : undefined;
}

/** Whether the comparison holds for a difference of two values. */
export function isDifference(comparison: Comparison, difference: number): boolean {
  switch (comparison) {
    case '=':
      return difference === 0;
    case '!=':
      return difference !== 0;
    case '<':
      return difference < 0;
    case '<=':
      return difference <= 0;
    case '>':
      return difference > 0;
    case '>=':
      return difference >= 0;
    default:
      return comparison satisfies never;
  }
}

/** Whether a date of `YYYYMMDD`, or `''` for none, is as the filter has it. */
export function isTime({ comparison, values }: TimeFilter, time: string): boolean {
  if (comparison === '!=') return !values.includes(time);
  if (comparison === '=') return values.includes(time);
  return time !== '' && values.some((value) => value !== '' && isDifference(comparison, Number(time) - Number(value)));
}
