// Pages of resources that are kept in another form (../computed-rows.ts), read from that form by statements of its own.
// A search that these cannot answer takes the usual way, by index rows.

import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { accessCondition } from '../access.ts';
import type { Cursor } from './cursor.ts';
import {
  type DirectSearch,
  type DirectStatement,
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
const beyond = new StatisticsCache();

/** The page; undefined when the search has to take the usual way. */
export async function findDirectly({ query, options, cursor, counted }: Asked): Promise<DirectPage | undefined> {
  const { parted } = options;
  const direct = parted?.direct;
  if (parted === undefined || direct === undefined || !isAnswerable(query, options)) return undefined;
  const pages = direct.of(query);
  if (pages === undefined) return undefined;
  const whole = windowOf(parted, query, cursor);
  const limit = query.total === 'none' || cursor !== undefined ? FEW : counted;
  const counting = pages.count(partsOf(parted.parts, whole), limit + 1);
  const key = JSON.stringify(counting);
  const isBeyond = beyond.get(key) !== undefined;
  if (isBeyond && pages.isSized) return undefined;
  const isAsked = cursor === undefined && query.total !== 'none';
  let total: number | undefined;
  if (!isBeyond && (isAsked || (pages.isSized && cursor?.total == null))) {
    total = await count(direct.db, counting);
    if (total === undefined) return undefined;
    if (total > limit) beyond.set(key, total);
    if (total > limit && pages.isSized) return undefined;
  }
  if (total === 0) return { rows: [], hasMore: false, counted: 0 };
  const isExact = isAsked && total !== undefined && total <= limit;
  const read = (window: Window) => readPage(window, { pages, parted, query, cursor, db: direct.db, total, isExact });
  const found = await readWindows({ query, parted, whole, total: total ?? cursor?.total ?? undefined, read });
  const many = isBeyond ? limit + 1 : total;
  return found && { ...found, counted: isAsked ? many : undefined };
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

/** Undefined when there may be matches elsewhere. */
async function count(db: Queryable, { text, values }: DirectStatement): Promise<number | undefined> {
  const { rows } = await db.query<Elsewhere & { total: number }>(reusable(text), values);
  return rows[0]?.is_elsewhere === false ? rows[0].total : undefined;
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
