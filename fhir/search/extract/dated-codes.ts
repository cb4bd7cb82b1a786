// What was found or done when: types with a code and a date keep both together in the index, so that "this code in
// these days, latest first" is one walk of one index (docs/adr/0012).

import type { SearchParameter } from '../parameters/definitions.ts';
import type { CompositeRow } from './composites.ts';
import { derivedKey, rowsKey } from './derived-keys.ts';

interface CodeRow {
  readonly param: number;
  readonly system: string;
  readonly code: string;
  readonly mask: number;
}
interface Span {
  readonly param: number;
  readonly low: number;
  readonly high: number;
}

export interface DatedCode {
  readonly code: SearchParameter;
  readonly date: SearchParameter;
}

/** The pair among the parameters of a type; undefined where the definitions of R5 give it none. */
export function datedCode(parameters: ReadonlyMap<string, SearchParameter>): DatedCode | undefined {
  const code = parameters.get('code');
  const date = parameters.get('date');
  return code !== undefined && date !== undefined && isClinicalCode(code) && isClinicalDate(date)
    ? { code, date }
    : undefined;
}

export function isClinicalCode({ id }: SearchParameter): boolean {
  return id === 'clinical-code';
}

export function isClinicalDate({ id }: SearchParameter): boolean {
  return id === 'clinical-date';
}

/**
 * Where a resource has one date, and no longer one than this (milliseconds), its codes stand under the key `dated`:
 * what begins that long before a span of time cannot reach into it. All others stand under `dated-other`, with the span
 * of their dates.
 */
export const LONGEST_DATED = 86_400_000;

/** A row for each code of a resource, with its dates. */
export function datedRows(
  { code, date }: DatedCode,
  { tokens, dates }: { readonly tokens: readonly CodeRow[]; readonly dates: readonly Span[] },
): CompositeRow[] {
  const own = dates.filter(({ param }) => param === date.key);
  const [first] = own;
  if (first === undefined) return [];
  const { low, high } = spanOf(own, first);
  const [key, bit] = [rowsKey(code), code.shared?.bit ?? 0];
  const param = derivedKey(code, own.length === 1 && high - low <= LONGEST_DATED ? 'dated' : 'dated-other');
  return tokens
    .filter((token) => token.param === key && (bit === 0 || (token.mask & bit) !== 0))
    .map((token) => ({
      param,
      parts: [
        { text: token.code, system: token.system, low: undefined, high: undefined },
        { text: undefined, system: '0', low, high },
      ],
    }));
}

/** Marks a resource that has several dates by one parameter; nothing for those with one or none. */
export function severalDates(parameter: SearchParameter, dates: readonly Span[]): Span[] {
  const [first, second] = dates;
  if (first === undefined || second === undefined) return [];
  return [{ param: derivedKey(parameter, 'several'), ...spanOf(dates, first) }];
}

function spanOf(dates: readonly Span[], first: Span): { low: number; high: number } {
  let { low, high } = first;
  for (const date of dates) {
    low = Math.min(low, date.low);
    high = Math.max(high, date.high);
  }
  return { low, high };
}
