// Pages of resources that are kept in another form (../computed-rows.ts), read from that form by statements of its own.
// A search that these cannot answer takes the usual way, by index rows.

import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { accessCondition } from '../access.ts';
import type { Cursor } from './cursor.ts';
import {
  type CountOfEvents,
  type CountStatement,
  type DirectSearch,
  type KeyPart,
  type PartedRows,
  partsOf,
  readWindows,
  type Window,
  windowOf,
} from './key-parts.ts';
import { isPacked, type PackedRow, unpackPage } from './packed-page.ts';
import { FEW } from './search-plan.ts';
import type { SearchOptions } from './search-sql.ts';
import { reusable, SqlValues } from './sql/sql-values.ts';
import { StatisticsCache } from './statistics-cache.ts';

export interface DirectPage {
  readonly rows: readonly PackedRow[];
  readonly hasMore: boolean;
  /** The number of matches where they were counted; `counted` and one for all above. */
  readonly counted: number | undefined;
}

interface Asked {
  readonly query: SearchQuery;
  readonly options: SearchOptions;
  readonly cursor: Cursor | undefined;
  /** So many matches are counted. */
  readonly counted: number;
}

/** Searches that have more matches than are counted, or than are read for a page. */
const beyondCounts = new StatisticsCache();

/** The page; undefined when the search has to take the usual way. */
export async function findDirectly({ query, options, cursor, counted }: Asked): Promise<DirectPage | undefined> {
  const { parted } = options;
  const direct = parted?.direct;
  if (parted === undefined || direct === undefined || !isAnswerable(query, options)) return undefined;
  const pages = direct.of(query);
  if (pages === undefined) return undefined;
  const whole = windowOf(parted, query, cursor);
  const limit = query.total === 'none' || cursor !== undefined ? FEW : counted;
  const asking = { parts: partsOf(parted.parts, whole), all: parted.parts, limit: limit + 1 };
  const counting = pages.count({ ...asking, isPlain: false });
  const key = JSON.stringify([counting.text, counting.values]);
  const beyond = beyondCounts.of(options.store ?? '');
  const isBeyond = beyond.get(key) !== undefined;
  if (isBeyond && pages.isSized) return undefined;
  const isAsked = cursor === undefined && query.total !== 'none';
  const isCounted = !isBeyond && (isAsked || (pages.isSized && cursor?.total == null));
  return direct.within(async (db) => {
    const counts = isCounted ? await count(db, pages, { asking, counting }) : undefined;
    if (isCounted && counts === undefined) return undefined;
    const total = counts?.total;
    if (total !== undefined && total > limit) beyond.set(key, total);
    if (total !== undefined && total > limit && pages.isSized) return undefined;
    if (total === 0) return { rows: [], hasMore: false, counted: 0 };
    const isExact = isAsked && total !== undefined && total <= limit;
    const read = (window: Window) => readPage(window, { pages, parted, query, cursor, db, total, isExact });
    const { matches } = counts ?? {};
    const found = await readWindows({
      query,
      parted,
      whole,
      total: total ?? cursor?.total ?? undefined,
      matches,
      read,
    });
    const many = isBeyond ? limit + 1 : total && Math.min(total, limit + 1);
    return found && { ...found, counted: isAsked ? many : undefined };
  });
}

/** Whether all that is asked for is in the statements. */
function isAnswerable(query: SearchQuery, { access, condition, plan }: SearchOptions): boolean {
  const { resourceType, offset, total, summary } = query;
  const filter = access(resourceType);
  return (
    condition === undefined &&
    plan === undefined &&
    offset === 0 &&
    total !== 'accurate' &&
    summary !== 'count' &&
    isPacked({ query }) &&
    accessCondition(filter, resourceType, 'r', new SqlValues()) === 'TRUE'
  );
}

interface Elsewhere {
  readonly is_elsewhere: boolean;
}

interface Counts {
  readonly total: number;
  /** By the `from` of the part, where each was counted. */
  readonly matches: ReadonlyMap<number, number> | undefined;
}

interface Counting {
  readonly asking: Omit<CountOfEvents, 'isPlain'>;
  readonly counting: CountStatement;
}

/** Undefined when there may be matches elsewhere. */
async function count(db: Queryable, pages: DirectSearch, { asking, counting }: Counting): Promise<Counts | undefined> {
  const { text, values, counted } = counting;
  const { rows } = await db.query<Elsewhere & { total: number; counts?: string | null }>(reusable(text), values);
  const [row] = rows;
  if (row === undefined || row.is_elsewhere) return undefined;
  if (counted === undefined) return { total: row.total, matches: undefined };
  const matches = matchesOf(row.counts ?? '', counted);
  if (matches === undefined) return count(db, pages, { asking, counting: pages.count({ ...asking, isPlain: true }) });
  let total = row.total;
  for (const each of matches.values()) total += each;
  const [open, ...others] = asking.all.filter((part) => !counted.includes(part));
  if (open !== undefined && others.length === 0) matches.set(open.from, row.total);
  return { total, matches };
}

/** Undefined where a part has to be counted again. */
function matchesOf(counts: string, counted: readonly KeyPart[]): Map<number, number> | undefined {
  const known = new Set(counted.map(({ from }) => from));
  const matches = new Map<number, number>();
  for (const each of counts.split(' ')) {
    const [from = '', found = ''] = each.split(':');
    if (!known.has(Number(from))) continue;
    if (found === '') return undefined;
    matches.set(Number(from), Number(found));
  }
  return matches;
}

interface Reading extends Omit<Asked, 'options' | 'counted'> {
  readonly db: Queryable;
  readonly pages: DirectSearch;
  readonly parted: PartedRows;
  readonly total: number | undefined;
  /** Whether that is the number of matches. */
  readonly isExact: boolean;
}

async function readPage(
  window: Window,
  { db, pages, parted, query, cursor, total, isExact }: Reading,
): Promise<Omit<DirectPage, 'counted'> | undefined> {
  const { text, values } = pages.page({
    parts: partsOf(parted.parts, window),
    after: cursor,
    // The total says whether another page follows.
    limit: isExact ? query.count : query.count + 1,
    isChecked: total !== undefined,
  });
  const { rows: found } = await db.query<Elsewhere & { page: string | null }>(reusable(text), values);
  const [first] = found;
  if (first === undefined || first.is_elsewhere) return undefined;
  const rows = unpackPage(first.page, query.sort.length);
  return { rows, hasMore: isExact ? (total ?? 0) > query.count : rows.length > query.count };
}
