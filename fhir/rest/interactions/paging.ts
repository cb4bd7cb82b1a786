// The parameters and links by which histories and $everything are paged (hl7.org/fhir/R5/http.html#paging).

import { parseDateTimePeriod } from '#fhir/primitives/date-time.ts';
import { type ServiceError, validationError } from '#lib/errors.ts';
import type { FhirCall } from './call.ts';

const MAX_COUNT = 1000;
const COMMON_NAMES: ReadonlySet<string> = new Set(['_count', '_cursor', '_format', '_pretty']);

export interface Paging {
  readonly count: number;
  readonly since?: Date;
  readonly cursor?: string;
}

/** `_count` (at most 1000), `_since` and `_cursor`. @throws ServiceError `validation_error` */
export function readPaging(query: URLSearchParams, defaultCount: number): Paging {
  const count = query.get('_count') ?? String(defaultCount);
  if (!/^[1-9]\d{0,8}$/.test(count))
    throw invalidQueryParameter('_count', 'must be a whole number from 1 to 999999999');
  const since = readPeriod(query, '_since')?.from;
  const cursor = query.get('_cursor');
  return {
    count: Math.min(Number(count), MAX_COUNT),
    ...(since === undefined ? {} : { since }),
    ...(cursor === null ? {} : { cursor }),
  };
}

/** What a date or time in the query stands for. @throws ServiceError `validation_error` */
export function readPeriod(query: URLSearchParams, name: string): { from: Date; to: Date } | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const period = parseDateTimePeriod(text.replace(/ (?=\d\d:\d\d$)/, '+'));
  if (period === undefined) throw invalidQueryParameter(name, 'must be a date or a time');
  return { from: new Date(period.start), to: new Date(period.end) };
}

/**
 * @throws ServiceError `validation_error` for a parameter beside those named and of every page, under strict handling
 */
export function requireKnown({ query, preferences }: FhirCall, names: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !COMMON_NAMES.has(name) && !names.includes(name));
  if (preferences.isStrict && unknown !== undefined) throw invalidQueryParameter(unknown, 'is not supported');
}

export function invalidQueryParameter(name: string, message: string): ServiceError {
  return validationError([{ message: `${name} ${message}`, field: name, code: 'value' }]);
}

/** The link to the page itself, and to the next one when there is a cursor. */
export function pageLinks(
  address: string,
  query: URLSearchParams,
  nextCursor: string | undefined,
): { relation: string; url: string }[] {
  const url = (given: URLSearchParams) => (given.size === 0 ? address : `${address}?${given}`);
  const links = [{ relation: 'self', url: url(query) }];
  if (nextCursor === undefined) return links;
  const next = new URLSearchParams(query);
  next.set('_cursor', nextCursor);
  return [...links, { relation: 'next', url: url(next) }];
}
