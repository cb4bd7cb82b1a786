// Dated codes. Types with a code and a date have both in one index row. So "this code in these days, latest first" is
// one index scan (docs/adr/0012).

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

/** The code and date parameters of a type; undefined when R5 does not define both. */
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
 * The longest single date (milliseconds) for the key `dated`: a search then knows how long before a period a matching
 * date can begin. Resources with several or longer dates have their rows under `dated-other`, with the span of their
 * dates.
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

/** The row that marks a resource with several dates for one parameter; none for one date or no date. */
export function multipleDatesRow(parameter: SearchParameter, dates: readonly Span[]): Span[] {
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
