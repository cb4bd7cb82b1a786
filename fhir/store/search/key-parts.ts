// Resources whose keys are in the order of time, in parts of a span of time each (docs/adr/0113): which parts a search
// reads. Of a search in this order the first parts that hold a whole page are enough.

import type { Criterion, SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import type { Cursor } from './cursor.ts';

/** Where a match is: what it is sorted by, and its key. */
type Place = Pick<Cursor, 'sort' | 'rid'>;

/** Times are milliseconds since 1970. */
export interface KeyPart {
  /** The time of its first key, and of that of the part after it. */
  readonly from: number;
  readonly until: number;
  /** The earliest value of the time parameter in it. A value is never later than the time of the key. */
  readonly earliest: number;
  /** Whether the matches of a usual search in it are counted beforehand. */
  readonly isCounted: boolean;
}

/** What a store reads in parts. */
export interface PartedRows {
  /** The code of the time parameter. */
  readonly timeCode: string;
  /** Oldest first. */
  readonly parts: readonly KeyPart[];
  /** Reads these parts, and whatever has no parts; undefined: all parts, those that came meanwhile included. */
  over(parts: readonly KeyPart[] | undefined): Queryable;
  /** Reads pages from the parts themselves. */
  readonly direct?: DirectParts;
}

export interface DirectStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface CountOfEvents {
  /** Undefined: all of them, which are `all`. */
  readonly parts: readonly KeyPart[] | undefined;
  readonly all: readonly KeyPart[];
  readonly limit: number;
  /** Whether all are counted now, and what was counted beforehand is left aside. */
  readonly isPlain: boolean;
}

/** It counts what was not counted beforehand. */
export interface CountStatement extends DirectStatement {
  /** What was: then `counts` has `<from>:<matches>`, separated by spaces. Where matches changed they are missing. */
  readonly counted: readonly KeyPart[] | undefined;
}

export interface PageOfEvents {
  /** Undefined: all of them. */
  readonly parts: readonly KeyPart[] | undefined;
  readonly after: Pick<Cursor, 'sort' | 'rid'> | undefined;
  readonly limit: number;
  /** Whether it is known that there are no matches elsewhere. */
  readonly isChecked: boolean;
}

/**
 * A search that is answered from the parts themselves. Both statements return one row, with `is_elsewhere`: whether
 * there may be other matches, which makes the rest of it worthless.
 */
export interface DirectSearch {
  /** Whether all matches are read for a page: then there may be only few. */
  readonly isSized: boolean;
  /** `total`, as far as the limit. */
  count(asked: CountOfEvents): CountStatement;
  /** `page`, as ./packed-page.ts unpacks it. */
  page(page: PageOfEvents): DirectStatement;
}

/** How a store reads parts directly. */
export interface DirectParts {
  /** Runs the statements of a search in one transaction, and plans each of them once. */
  within<T>(work: (db: Queryable) => Promise<T>): Promise<T>;
  /** Undefined for a search that asks for something else. */
  of(query: SearchQuery): DirectSearch | undefined;
}

/** From the first part to the last one, by their indexes. */
export interface Window {
  readonly first: number;
  readonly last: number;
}

/** The parts in which there may be matches, by the conditions on the time and by where the page begins. */
export function windowOf({ timeCode, parts }: PartedRows, query: SearchQuery, after: Place | undefined): Window {
  let [low, high] = [-Infinity, Infinity];
  for (const criterion of query.criteria) {
    if (!isOfTime(criterion, timeCode)) continue;
    low = Math.max(low, Math.min(...criterion.values.map((value) => (isFrom(value.prefix) ? value.low : -Infinity))));
    high = Math.min(
      high,
      Math.max(...criterion.values.map((value) => (isUntil(value.prefix) ? value.high : Infinity))),
    );
  }
  const order = orderOf(query, timeCode);
  const from = after === undefined || order !== 'keys' ? -Infinity : timeOfKey(after.rid);
  if (after !== undefined && order === 'newest') high = Math.min(high, Number(after.sort[0] ?? Infinity));
  const first = parts.findIndex(({ until }) => until > low && until > from);
  const last = parts.findLastIndex(({ earliest }) => earliest <= high);
  if (first === -1 || last === -1) return { first: Math.max(parts.length - 1, 0), last: Math.max(parts.length - 1, 0) };
  return { first, last: Math.max(first, last) };
}

/** The order in which a search reads one part after the other; undefined: it may need all. */
function orderOf({ sort, offset }: SearchQuery, timeCode: string): 'keys' | 'newest' | undefined {
  const [first] = sort;
  if (offset > 0) return undefined;
  if (first === undefined) return 'keys';
  return first.isDescending && first.parameter.code === timeCode ? 'newest' : undefined;
}

/** The windows that begin where the search does: those of all sizes, up to the whole. */
function windowsOf(whole: Window, order: 'keys' | 'newest'): Window[] {
  const size = whole.last - whole.first + 1;
  return [...SIZES.filter((each) => each < size), size].map((each) => {
    if (each === size) return whole;
    return order === 'keys'
      ? { first: whole.first, last: whole.first + each - 1 }
      : { first: whole.last - each + 1, last: whole.last };
  });
}

function sizeOf({ first, last }: Window): number {
  return last - first + 1;
}

/** Few sizes, so that few statements are prepared. */
const SIZES = [1, 2, 4, 8, 16];
/** More parts than this are read as all: the statement would be long. */
const MAX_NAMED = 16;

/** The parts of a window; undefined where that may be all of them, and further ones. */
export function partsOf(parts: readonly KeyPart[], { first, last }: Window): readonly KeyPart[] | undefined {
  const isAll = (first === 0 && last >= parts.length - 1) || last - first >= MAX_NAMED;
  return isAll ? undefined : parts.slice(first, last + 1);
}

/** Whether a page may need some of the parts only. */
export function isReadByWindows({ timeCode }: PartedRows, query: SearchQuery, { first, last }: Window): boolean {
  return last > first && orderOf(query, timeCode) !== undefined;
}

interface ReadWindows<P> {
  readonly query: SearchQuery;
  readonly parted: PartedRows;
  readonly whole: Window;
  /** The number of matches, where it is known. */
  readonly total: number | undefined;
  /** That of each part by its `from`, where it is known. */
  readonly matches?: ReadonlyMap<number, number> | undefined;
  /** Reads the page from a window; undefined: none of them can be read so. */
  readonly read: (window: Window) => Promise<P | undefined>;
}

/** The page of the first window that holds it. */
export async function readWindows<P extends { readonly rows: readonly Row[]; readonly hasMore: boolean }>({
  query,
  parted: { parts, timeCode },
  whole,
  total,
  matches,
  read,
}: ReadWindows<P>): Promise<P | undefined> {
  const size = sizeOf(whole);
  const order = orderOf(query, timeCode);
  if (order === undefined || size === 1) return read(whole);
  // As if each part had about as many of them.
  const least = total === undefined ? 1 : Math.ceil((1.5 * size * (query.count + 1)) / Math.max(total, 1));
  const wanted = Math.min(total ?? Number.POSITIVE_INFINITY, query.count + 1);
  for (const window of windowsOf(whole, order)) {
    const known = matches && matchesIn(parts, window, matches);
    if (window !== whole && (known === undefined ? sizeOf(window) < least : known < wanted)) continue;
    const page = await read(window);
    const last = page?.rows.at(query.count - 1);
    const isFull = page?.hasMore && last !== undefined && isBeforeOthers(timeAndKey(last), { order, parts, window });
    if (page === undefined || isFull || window === whole || (known !== undefined && known === total)) return page;
  }
  throw new TypeError('The last window is the whole');
}

function matchesIn(parts: readonly KeyPart[], { first, last }: Window, matches: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const { from } of parts.slice(first, last + 1)) sum += matches.get(from) ?? 0;
  return sum;
}

type Row = Readonly<Record<string, unknown>> & { readonly rid: string };

/** Where a row of a page is: parts have no other order than these. */
function timeAndKey({ rid, s0 }: Row): Place {
  return { sort: s0 === undefined || s0 === null ? [] : [String(s0)], rid };
}

/** Whether no match of further parts comes before this one. */
function isBeforeOthers(
  place: Place,
  {
    order,
    parts,
    window,
  }: { readonly order: 'keys' | 'newest'; readonly parts: readonly KeyPart[]; readonly window: Window },
): boolean {
  if (order === 'keys') return timeOfKey(place.rid) < (parts[window.last]?.until ?? -Infinity);
  const [time] = place.sort;
  return time != null && Number(time) >= (parts[window.first]?.from ?? Infinity);
}

function timeOfKey(key: string): number {
  return Number.parseInt(key.slice(0, 8) + key.slice(9, 13), 16);
}

function isOfTime(criterion: Criterion, code: string): criterion is Extract<Criterion, { kind: 'date' }> {
  return criterion.kind === 'date' && criterion.parameter.code === code;
}

function isFrom(prefix: string): boolean {
  return prefix === 'eq' || prefix === 'ge' || prefix === 'gt' || prefix === 'sa';
}

function isUntil(prefix: string): boolean {
  return prefix === 'eq' || prefix === 'le' || prefix === 'lt' || prefix === 'eb';
}
