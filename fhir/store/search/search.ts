// Runs a search of one resource type. It plans where the search starts, builds the SQL, and reads the page, its total
// and its includes (decisions G6, G12, E2; docs/adr/0012). The plan is made by `startOf` here and `planStart`
// (search-plan.ts).

import { resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { fillTexts } from '../read/long-texts.ts';
import { type ShownVersion, type StoredVersion, toStoredVersion, type VersionRow } from '../read/stored-version.ts';
import { type Cursor, readCursor, writeCursor } from './cursor.ts';
import { findDirectly } from './direct-page.ts';
import { findIncluded, type IncludeCut } from './include.ts';
import { isReadByWindows, partsOf, readWindows, type Window, windowOf } from './key-parts.ts';
import {
  countedScannedPage,
  pageWithoutValue,
  planScan,
  type ScanPlan,
  scannedPage,
  scansMatchesOnly,
} from './keyset-scan.ts';
import { isPacked, unpackPage } from './packed-page.ts';
import { isDense } from './search-density.ts';
import { asKnown, EACH, FEW, isByKey, planIntersection, planStart, type Start } from './search-plan.ts';
import {
  countedPageByKey,
  countedPageBySort,
  countStatement,
  isFirstPage,
  isFromFew,
  type KeepMatches,
  type PageRow,
  pageByKey,
  type SearchFrame,
  type SearchOptions,
  type SearchPlace,
} from './search-sql.ts';
import { sortType } from './sql/sort-sql.ts';
import { reusable, SqlValues } from './sql/sql-values.ts';
import { StatisticsCache } from './statistics-cache.ts';

export interface SearchResult {
  readonly matches: readonly ShownVersion[];
  readonly included: readonly StoredVersion[];
  /** Why not all that is included is sent with the page; undefined when it is. */
  readonly cut: IncludeCut | undefined;
  /** Undefined when not asked for, or beyond {@link COUNTED} without `_total=accurate`. */
  readonly total: number | undefined;
  /** Where the next page begins; undefined on the last. */
  readonly nextCursor: string | undefined;
}

/** Totals are exact up to here (G6). */
const COUNTED = 10_000;
const MORE = COUNTED + 1;

/** Row counts of conditions; and searches that have more matches than are counted. */
const counts = new StatisticsCache();
const beyondCounts = new StatisticsCache();
const statisticsOf = ({ store = '' }: SearchOptions) => counts.of(store);
const beyondOf = ({ store = '' }: SearchOptions) => beyondCounts.of(store);

/** @throws ServiceError `invalid_request` for a cursor that is not this search's */
export async function searchResources(
  db: Queryable,
  query: SearchQuery,
  options: SearchOptions,
): Promise<SearchResult> {
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, query.sort.map(sortType), query);
  if (cursor !== undefined && query.offset > 0) {
    throw new ServiceError('invalid_request', 'A cursor and an offset cannot be used together');
  }
  const direct = await findDirectly({ query, options, cursor, counted: COUNTED });
  const start = direct === undefined ? (options.plan?.start ?? (await startOf(db, query, options))) : EACH;
  const search: Search = { db, query, options, start, cursor };
  if (query.summary === 'count') {
    const total = await countMatches(search, (query.total ?? 'accurate') === 'accurate');
    return { matches: [], included: [], cut: undefined, total, nextCursor: undefined };
  }
  const { rows, hasMore, counted } = direct ?? (await findInParts(search));
  const typeOf = () => query.resourceType;
  // Pages by number follow from how many each of them holds.
  const isNumbered = query.understood.some(([name]) => name === 'page' || name === 'per_page');
  const limit = isNumbered ? { length: Infinity } : {};
  const filled = await fillTexts(db, rows.slice(0, query.count), { typeOf, ...limit });
  const isCut = hasMore || filled.length < rows.length;
  const page = options.keep === undefined ? filled : filled.slice(0, kept(options.keep, search, { filled, isCut }));
  const total = await totalOf(search, { found: rows.length, hasMore, counted });
  const matches = page.map((row) => shown(query.resourceType, row));
  const { versions: included, cut } = await findIncluded(db, matches, query.includes, options.access);
  const last = isCut || page.length < filled.length ? page.at(-1) : undefined;
  return { matches, included, cut, total, nextCursor: last && nextCursor(last, query, total) };
}

function kept(
  keep: KeepMatches,
  { query }: Search,
  { filled, isCut }: { readonly filled: readonly PageRow[]; readonly isCut: boolean },
): number {
  return keep(
    filled.map((row) => placeOf(row, query)),
    !isCut,
  );
}

/** At most `limit` resources that fulfil the conditions, without total or includes. */
export async function findMatches(
  db: Queryable,
  query: SearchQuery,
  options: SearchOptions,
  limit: number,
): Promise<StoredVersion[]> {
  const start = await startOf(db, query, options);
  const few = { ...query, count: limit - 1, total: 'none' as const };
  const { rows } = await findPage<WholeRow>({ db, query: few, options, start, cursor: undefined, isWhole: true });
  const filled = await fillTexts(db, rows, { typeOf: () => query.resourceType, length: Infinity });
  return filled.map((row) => toStoredVersion(query.resourceType, row));
}

/**
 * Plans the start. Where no condition is rare, but many resources fulfil all of them, each resource is checked in turn.
 */
async function startOf(db: Queryable, query: SearchQuery, options: SearchOptions): Promise<Start> {
  const statistics = statisticsOf(options);
  const start = await planStart(db, query, options.access, statistics);
  const isExact = query.summary === 'count' || query.total === 'accurate';
  const isCommon = !isExact && (start.size ?? 0) > FEW && query.criteria.length > 0;
  if (isCommon && (await isDense(db, query, { options, statistics }))) return EACH;
  // What is read in parts has statistics of its own.
  return options.parted === undefined ? asKnown(db, start, statistics) : start;
}

/** As {@link toStoredVersion}, of a row that holds no more. */
function shown(resourceType: string, { rid, id, version, content }: PageRow & { content: string }): ShownVersion {
  return { resourceType, id: id ?? rid, version, content };
}

interface Search {
  readonly db: Queryable;
  readonly query: SearchQuery;
  readonly options: SearchOptions;
  readonly start: Start;
  readonly cursor: Cursor | undefined;
  readonly isWhole?: boolean;
}

type WholeRow = PageRow & Omit<VersionRow, 'content'>;

interface FoundPage<R> {
  /** Of the page, and perhaps one more. */
  readonly rows: readonly R[];
  readonly hasMore: boolean;
  /** The number of matches where it came along, {@link MORE} for all above. */
  readonly counted?: number | undefined;
}

/** The page, of the first parts that hold it; the matches are counted in all of them. */
async function findInParts(search: Search): Promise<FoundPage<PageRow>> {
  const { query, cursor, options } = search;
  const { parted } = options;
  if (parted === undefined) return findPage(search);
  const over = (window: Window): Search => ({ ...search, db: parted.over(partsOf(parted.parts, window)) });
  const whole = windowOf(parted, query, cursor);
  if (!isReadByWindows(parted, query, whole)) return findPage(over(whole));
  const isCounted = cursor === undefined && query.total !== 'none' && !isBeyond(search);
  const counted = isCounted ? await countUpTo(over(whole), MORE) : undefined;
  if (counted === 0) return { rows: [], hasMore: false, counted };
  const uncounted: SearchQuery = { ...query, total: 'none' };
  const read = (window: Window) => findPage<PageRow>({ ...over(window), query: uncounted });
  const total = counted ?? cursor?.total ?? undefined;
  const page = await readWindows({ query, parted, whole, total, read });
  return { rows: page?.rows ?? [], hasMore: page?.hasMore ?? false, counted };
}

async function findPage<R extends PageRow>(search: Search): Promise<FoundPage<R>> {
  const { query, start, cursor } = search;
  if (query.sort.length > 0) return findSorted(search);
  // A page that is likely to hold all matches needs no count.
  const isShort = start.size === undefined || start.size <= query.count;
  // Of many matches the first are found soonest by checking one resource after the other.
  if (isBeyond(search)) {
    return uncounted(search, await runPage<R>(isByKey(start) ? search : { ...search, start: EACH }));
  }
  if (cursor !== undefined || query.total === 'none' || isShort) {
    return uncounted(search, await runPage<R>(search));
  }
  return counted(search, (frame) => countedPageByKey(frame, MORE));
}

async function findSorted<R extends PageRow>(search: Search): Promise<FoundPage<R>> {
  const scan = planScan(search);
  if (scan !== undefined && scansMatchesOnly({ ...search, values: new SqlValues() }, scan))
    return scanMatches(search, scan);
  if (isBeyond(search)) return uncounted(search, await scanPage(search));
  const found = await counted<R>(search, (frame) => countedPageBySort(frame, MORE));
  return found.counted === MORE ? { ...uncounted(search, await scanPage<R>(search)), counted: MORE } : found;
}

/** The index holds the matches in order and nothing else: the page is scanned, and the total counted beside it. */
async function scanMatches<R extends PageRow>(search: Search, scan: ScanPlan): Promise<FoundPage<R>> {
  if (search.cursor !== undefined || search.query.total === 'none' || isBeyond(search)) {
    return uncounted(search, await run<R>(search, (frame) => scannedPage(frame, scan)));
  }
  return counted(search, (frame) => countedScannedPage(frame, scan, MORE));
}

/** The page of a search with many matches: by a keyset scan, where an index holds the sort key in order. */
async function scanPage<R extends PageRow>(search: Search): Promise<readonly R[]> {
  const { query, cursor } = search;
  const wanted = query.count + 1;
  const scan = planScan(search);
  if (scan !== undefined) {
    const isPast = cursor !== undefined && cursor.sort[0] === null;
    // To plan a scan of parts costs more than to run it, and it has one plan.
    const scanned = search.options.parted === undefined ? plan<R> : runOnce<R>;
    const rows = isPast ? [] : await scanned(search, (frame) => scannedPage(frame, scan));
    if (rows.length === wanted || scan.isComplete) return rows;
    // The page reaches those without a value to sort by.
    if (query.offset === 0 && query.sort.length === 1) {
      const missing = wanted - rows.length;
      return [...rows, ...(await plan<R>(search, (frame) => pageWithoutValue(frame, scan.key, missing)))];
    }
  }
  const whole: Search = search.start === EACH ? { ...search, start: { ...EACH, size: FEW + 1 } } : search;
  return (await runCounted<R>(whole, (frame) => countedPageBySort(frame, undefined))).rows;
}

/** Of rows that are one more than a page holds when another follows. */
function uncounted<R extends PageRow>({ query }: Search, rows: readonly R[]): FoundPage<R> {
  return { rows, hasMore: rows.length > query.count };
}

async function counted<R extends PageRow>(
  search: Search,
  statement: (frame: SearchFrame) => string,
): Promise<FoundPage<R>> {
  const { rows, total } = await runCounted<R>(await intersected(search), statement);
  if (total > COUNTED) beyondOf(search.options).set(countKey(search), total);
  const hasMore = isFirstPage(search) ? total > search.query.count : rows.length > search.query.count;
  return { rows, hasMore, counted: total };
}

/** The search as it counts: by all common conditions at once, where that is sooner than to check each key of one. */
async function intersected(search: Search): Promise<Search> {
  const { db, query, options, start } = search;
  const isOfMany = start === EACH || (start.size ?? 0) > FEW;
  if (!isOfMany || options.plan !== undefined || options.parted !== undefined) return search;
  const statistics = statisticsOf(options);
  const together = await planIntersection(db, query, options.access, statistics);
  return together === undefined ? search : { ...search, start: await asKnown(db, together, statistics) };
}

type Counted<R> = Paged<R> & { readonly total: number };
/** A row of a page, or all of a packed one. */
type Paged<R> = R & { readonly page?: string | null };

/** Runs a statement of {@link withTotal}. */
async function runCounted<R extends PageRow>(
  search: Search,
  statement: (frame: SearchFrame) => string,
): Promise<{ readonly rows: readonly R[]; readonly total: number }> {
  const found = await run<Counted<R>>(search, statement);
  return { rows: rowsIn(search, found).filter(({ rid }) => rid !== null), total: found[0]?.total ?? 0 };
}

/** Runs {@link pageByKey}. */
async function runPage<R extends PageRow>(search: Search): Promise<readonly R[]> {
  return rowsIn(search, await run<Paged<R>>(search, (frame) => pageByKey(frame)));
}

/** The resources of a page, or of a packed one. */
function rowsIn<R extends PageRow>(search: Search, found: readonly Paged<R>[]): readonly R[] {
  if (!isPacked(search)) return found;
  // A caller that wants more of a row than this has no packed page.
  return unpackPage(found[0]?.page ?? null, search.query.sort.length) as readonly PageRow[] as readonly R[];
}

/** Whether the search had too many matches to count within the last minute: they are then not counted again. */
function isBeyond(search: Search): boolean {
  const { plan: given } = search.options;
  if (given !== undefined) return given.isBeyond;
  const beyond = beyondOf(search.options);
  return !beyond.isEmpty && beyond.get(countKey(search)) !== undefined;
}

function countKey(search: Search): string {
  const { text, values } = write(search, (frame) => countStatement(frame, MORE));
  return JSON.stringify([text, values.list]);
}

async function totalOf(
  search: Search,
  { found, hasMore, counted }: Omit<FoundPage<PageRow>, 'rows'> & { readonly found: number },
): Promise<number | undefined> {
  const { query, cursor } = search;
  if (query.total === 'none') return undefined;
  if (cursor !== undefined) return cursor.total ?? undefined;
  if (counted !== undefined && counted <= COUNTED) return counted;
  if (counted !== undefined && query.total !== 'accurate') return undefined;
  if (!hasMore && (found > 0 || query.offset === 0)) return query.offset + found;
  return countMatches(search, query.total === 'accurate');
}

async function countMatches(search: Search, isExact: boolean): Promise<number | undefined> {
  if (!isExact && isBeyond(search)) return undefined;
  const count = await countUpTo(search, isExact ? undefined : MORE);
  return isExact || count <= COUNTED ? count : undefined;
}

async function countUpTo(search: Search, limit: number | undefined): Promise<number> {
  const rows = await run<{ total: number }>(await intersected(search), (frame) => countStatement(frame, limit));
  const count = rows[0]?.total ?? 0;
  if (count > COUNTED) beyondOf(search.options).set(countKey(search), count);
  return count;
}

function write(search: Search, statement: (frame: SearchFrame) => string): { text: string; values: SqlValues } {
  const values = new SqlValues();
  return { text: statement({ ...search, values }), values };
}

/**
 * Runs a statement. One that starts from few resources keeps its order of joins, and is prepared once. The best plan of
 * any other depends on how common its values are: PostgreSQL plans it each time.
 */
async function run<R extends object>(search: Search, statement: (frame: SearchFrame) => string): Promise<R[]> {
  return isFromFew(search.start) ? runOnce(search, statement) : plan(search, statement);
}

async function runOnce<R extends object>(search: Search, statement: (frame: SearchFrame) => string): Promise<R[]> {
  const { text, values } = write(search, statement);
  return (await (search.options.batched ?? search.db).query<R>(reusable(text), values.list)).rows;
}

async function plan<R extends object>(search: Search, statement: (frame: SearchFrame) => string): Promise<R[]> {
  const { text, values } = write(search, statement);
  return (await search.db.query<R>(text, values.list)).rows;
}

function nextCursor(last: PageRow, query: SearchQuery, total: number | undefined): string {
  return writeCursor({ ...placeOf(last, query), total: total ?? null }, query);
}

function placeOf(row: PageRow, query: SearchQuery): SearchPlace {
  const sort = query.sort.map(({ parameter }, index) => {
    const value = parameter.code === '_lastUpdated' ? row['updated_at'] : row[`s${index}`];
    if (value instanceof Date) return value.toISOString();
    return value === null || value === undefined ? null : String(value);
  });
  return { sort, rid: resourceKey(row.id ?? row.rid) };
}
