// Builds the SQL statements of a planned search: its page, with the total in the same statement or by itself
// (docs/adr/0012).

import { nameKey } from '#fhir/search/extract/keys.ts';
import { COLUMN_PARAMETERS } from '#fhir/search/parameters/definitions.ts';
import type { SearchQuery, SortKey } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Access, accessCondition, compartmentRows, isKnownFromIndex, soleOwnerCondition } from '../access.ts';
import { shortColumns } from '../read/long-texts.ts';
import { type VersionRow, versionColumns } from '../read/stored-version.ts';
import type { Cursor } from './cursor.ts';
import type { PartedRows } from './key-parts.ts';
import { isPacked } from './packed-page.ts';
import { FEW, isByKey, isEachOnce, originKeys, type Start } from './search-plan.ts';
import { criterionCondition, needsColumns } from './sql/criterion-sql.ts';
import { afterCursor, orderBy, sortExpression, sortType } from './sql/sort-sql.ts';
import { fence, type SqlContext } from './sql/sql-context.ts';
import { SqlValues } from './sql/sql-values.ts';

/**
 * A further condition on the row `alias` of fhir_resource, for what a service knows and the search parameters do not.
 */
export type RowCondition = (alias: string, values: SqlValues) => string;

/** Where a match is among others: by the texts of what it is sorted by (null: it has none), then by its key. */
export type SearchPlace = Pick<Cursor, 'sort' | 'rid'>;

/** Of the matches that a page has room for, how many it shows; `isEnd`: no others follow them. */
export type KeepMatches = (places: readonly SearchPlace[], isEnd: boolean) => number;

export interface SearchOptions {
  readonly access: Access;
  readonly condition?: RowCondition;
  /** Names the store, whose tables have their own counts; the store sets it. */
  readonly store?: string;
  /** Runs statements that start from few resources, batched with those of other requests. */
  readonly batched?: Queryable;
  /** The plan to use, instead of the one that sizes suggest. It does not change the matches. */
  readonly plan?: SearchPlan;
  /** Where the rows of the type are read in parts; not together with `batched`. */
  readonly parted?: PartedRows;
  /** For callers that merge other resources into the page. */
  readonly keep?: KeepMatches;
}

export interface SearchPlan {
  readonly start: Start;
  /** Whether there are more matches than are counted. */
  readonly isBeyond: boolean;
}

/** A search being written as a statement. */
export interface SearchFrame {
  readonly query: SearchQuery;
  readonly options: SearchOptions;
  readonly start: Start;
  readonly values: SqlValues;
  /** Where the page before ended. */
  readonly cursor?: Cursor | undefined;
  /** Whether all that is known of each version is wanted, and not only what is shown of it. */
  readonly isWhole?: boolean;
}

/** A row of a page, or of the page's total alone. */
export interface PageRow extends Pick<VersionRow, 'rid' | 'version' | 'id'>, Readonly<Record<string, unknown>> {
  /** Null when it is long. */
  readonly content: string | null;
}

/**
 * The columns of the alias `a` that are wanted of a page's versions: each of them costs something in each of many rows.
 */
export function pageColumns({ query, isWhole = false }: SearchFrame, a: string): string {
  if (isWhole) return versionColumns(a);
  const isByTime = query.sort.some(({ parameter }) => parameter.code === '_lastUpdated');
  return `${a}.rid, ${a}.version, ${a}.id, ${a}.content${isByTime ? `, ${a}.updated_at` : ''}`;
}

/** Whether the start leaves so few that the statement is carried out as written, the same for all values. */
export function isFromFew({ size, isUnknown }: Start): boolean {
  return isUnknown === true || size === undefined || size <= FEW;
}

/**
 * In the order of keys, which most indexes have already: nothing is sorted, and nothing read beyond the page. One row
 * with all of the page in a text, where it is packed; else a row for each resource.
 */
export function pageByKey(frame: SearchFrame, isOneText = isPacked(frame)): string {
  const keys = `SELECT r.rid FROM ${matchingRows(frame, afterKey(frame))} ORDER BY r.rid ${limitOf(frame)}`;
  const of = `(${keys}) k ${rowOf(frame)} ORDER BY k.rid`;
  return isOneText ? packed(frame, of) : `SELECT ${pageColumns(frame, 'r')} FROM ${of}`;
}

/** The page `of` resources `r` and sort values `k` as one text, null when it is empty. */
function packed({ query: { sort } }: SearchFrame, of: string): string {
  const values = sort.map((key, index) => `coalesce(${sortText(key, index)}, '')`);
  const fields = ['r.rid::text', 'r.version::text', `coalesce(r.id, '')`, ...values, `coalesce(r.content, '')`];
  return `SELECT string_agg(p.record, chr(30)) AS page FROM (SELECT ${fields.join(' || chr(31) || ')} AS record FROM ${of}) p`;
}

/** The same with the number of matches, as far as `limit`: see {@link withTotal}. */
export function countedPageByKey(frame: SearchFrame, limit: number): string {
  const keys = `SELECT r.rid FROM ${matchingRows(frame)} ORDER BY r.rid LIMIT ${frame.values.key(limit)}`;
  const page = `SELECT m.rid FROM m ORDER BY m.rid ${pageLimit(frame)}`;
  return `WITH m AS MATERIALIZED (${keys}) ${withTotal(frame, 'SELECT count(*)::int AS total FROM m', page)}`;
}

/**
 * A page (keys `rid` with their sort values) beside its total. It is one row with all of the page in a text, where
 * {@link isPacked}. Otherwise it is a row for each resource, and one without a resource when the page is empty.
 */
export function withTotal(frame: SearchFrame, total: string, page: string): string {
  const { sort } = frame.query;
  const of = `(${page}) k ${rowOf(frame)}`;
  const order = `ORDER BY ${orderBy(sort, 'k')}`;
  if (!isPacked(frame)) {
    return `SELECT n.total, ${pageColumns(frame, 'r')}${sortTexts(sort)} FROM (${total}) n LEFT JOIN (${of}) ON TRUE ${order}`;
  }
  return `SELECT n.total, (${packed(frame, `${of} ${order}`)}) AS page FROM (${total}) n`;
}

/** Sort values as texts. Dates beside codes are stored as floating-point numbers. */
export function sortTexts(sort: readonly SortKey[]): string {
  return sort.map((key, index) => `, ${sortText(key, index)} AS s${index}`).join('');
}

function sortText(key: SortKey, index: number): string {
  return `k.s${index}::${sortType(key)}::text`;
}

/**
 * All matches are collected (up to `limit`; beyond it no page is returned). Then the page is chosen by sort values and
 * key alone, and only its own rows are fetched. The number of matches comes along as in {@link countedPageByKey}.
 */
export function countedPageBySort(frame: SearchFrame, limit: number | undefined): string {
  const { query, values, cursor } = frame;
  const { sort } = query;
  const collected = `SELECT ${batchedColumns(frame)} FROM ${matchingRows(frame)}${limit === undefined ? '' : ` LIMIT ${values.key(limit)}`}`;
  const sorted = sort.map((key, index) => `, ${sortValue(key, frame)} AS s${index}`).join('');
  const bound = limit === undefined ? '' : ` WHERE (SELECT count(*) FROM m) < ${values.key(limit)}`;
  const after = cursor === undefined ? '' : `WHERE ${afterCursor(sort, cursor, 'v', values)}`;
  const page = `SELECT v.* FROM (SELECT m.rid${sorted} FROM m${bound} OFFSET 0) v ${after} ORDER BY ${orderBy(sort, 'v')} ${limit === undefined ? limitOf(frame) : pageLimit(frame)}`;
  return `WITH m AS MATERIALIZED (${collected}) ${withTotal(frame, 'SELECT count(*)::int AS total FROM m', page)}`;
}

function batchedColumns(frame: SearchFrame): string {
  const columns = [
    'r.rid',
    ...(needsRow(frame) ? ['r.id', 'r.updated_at'] : []),
    ...(bringsDate(frame) ? ['r.at'] : []),
  ];
  return columns.join(', ');
}

/** Whether the start brings the date to sort by. */
function bringsDate({ start }: SearchFrame): boolean {
  return typeof start.at !== 'string' && 'sort' in start.at && start.at.sort !== undefined;
}

/** What a collected match `m` is sorted by. */
function sortValue(key: SortKey, frame: SearchFrame): string {
  const isBrought = key === frame.query.sort[0] && bringsDate(frame);
  return isBrought ? 'm.at' : sortExpression(key, 'm', frame.values, frame.start.isUnknown);
}

/** The number of matches, as far as `limit`. */
export function countStatement(frame: SearchFrame, limit: number | undefined): string {
  const bound = limit === undefined ? '' : ` LIMIT ${frame.values.key(limit)}`;
  return `SELECT count(*)::int AS total FROM (SELECT FROM ${matchingRows(frame)}${bound}) c`;
}

/**
 * The resource of the key `k`, without its text when that is long: one visit each, however many the planner expects.
 */
export function rowOf({ query, values }: SearchFrame): string {
  return `CROSS JOIN LATERAL (SELECT ${shortColumns('f')} FROM fhir_resource f
    WHERE f.type = ${values.key(nameKey(query.resourceType))} AND f.rid = k.rid OFFSET 0) r`;
}

/** One more than the page, to know whether another follows. */
export function limitOf(frame: SearchFrame): string {
  return limitTo(frame, frame.query.count + 1);
}

/** For a page that is counted: of a first page the total says whether another follows. */
export function pageLimit(frame: SearchFrame): string {
  return isFirstPage(frame) ? limitTo(frame, frame.query.count) : limitOf(frame);
}

export function isFirstPage({ query, cursor }: Pick<SearchFrame, 'query' | 'cursor'>): boolean {
  return cursor === undefined && query.offset === 0;
}

function limitTo({ query: { offset }, values }: SearchFrame, count: number): string {
  const limit = `LIMIT ${values.bind(count, 'bigint')}`;
  return offset === 0 ? limit : `${limit} OFFSET ${values.bind(offset, 'bigint')}`;
}

function afterKey({ cursor, values }: SearchFrame): string {
  return cursor === undefined ? '' : `.rid > ${values.bind(cursor.rid, 'uuid')}`;
}

/** The FROM and WHERE that find the matching rows `r`, each once; `after` is a condition that begins with a column. */
export function matchingRows(frame: SearchFrame, after = ''): string {
  const { query, options, start, values } = frame;
  const context: SqlContext = { values, access: options.access, isFenced: isFromFew(start) };
  const isRow = start.at === 'all' || needsRow(frame);
  const conditions = furtherConditions(frame, { alias: 'r', isRow }, context);
  const type = `r.type = ${values.key(nameKey(query.resourceType))} AND NOT r.deleted`;
  const keys = startKeys(frame, context);
  if (keys === undefined) {
    return `fhir_resource r WHERE ${[type, ...conditions, ...(after === '' ? [] : [`r${after}`])].join(' AND ')}`;
  }
  const columns = bringsDate(frame) ? 'i.rid, i.at' : 'i.rid';
  const found = `(SELECT ${onlyOnce(start)}${columns} FROM (${keys}) i${after === '' ? '' : ` WHERE i${after}`})`;
  if (!needsRow(frame)) {
    return `${found} r${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;
  }
  const at = bringsDate(frame) ? ', d.at' : '';
  const row = `SELECT r.*${at} FROM fhir_resource r WHERE r.rid = d.rid AND ${type}${fence(context)}`;
  // Said again outside of the fence: the rows come in the order of the keys.
  return `${found} d CROSS JOIN LATERAL (${row}) r WHERE ${['r.rid = d.rid', ...conditions].join(' AND ')}`;
}

/** The keys to start from; undefined: every resource of the type. */
function startKeys({ query, options, start, values }: SearchFrame, context: SqlContext): string | undefined {
  if (start.at === 'all') return undefined;
  if (start.at !== 'own') return originKeys(start.at, query.resourceType, context);
  const own = compartmentRows(options.access(query.resourceType), query.resourceType, values);
  return own && `SELECT i.rid FROM ${own.table} i WHERE ${own.condition}`;
}

/** Each key once; what the index has in the order of keys is read in that order, and no further than asked for. */
function onlyOnce(start: Start): string {
  if (isEachOnce(start)) return '';
  return start.at !== 'own' && isByKey(start) ? 'DISTINCT ON (i.rid) ' : 'DISTINCT ';
}

/** What conditions are checked on: an alias with a key, which is the resource's own row or an index row. */
export interface ConditionTarget {
  readonly alias: string;
  readonly isRow: boolean;
}

/** The conditions on `alias` that the start does not cover. */
export function furtherConditions(
  frame: SearchFrame,
  { alias, isRow }: ConditionTarget,
  context: SqlContext,
): string[] {
  const { query, options, start, values } = frame;
  const conditions = query.criteria
    .filter((criterion) => !start.covered.includes(criterion))
    .map((criterion) => criterionCondition(criterion, alias, context));
  if (isLimited(frame)) {
    const seen = (row: string) => accessCondition(options.access(query.resourceType), query.resourceType, row, values);
    conditions.push(isRow ? seen(alias) : seenKey(frame, alias, context));
  }
  if (options.condition !== undefined) conditions.push(options.condition(alias, values));
  return conditions;
}

/** Whether the caller sees the resource of the key `alias`, without its row. */
function seenKey(
  { query: { resourceType }, options, values }: SearchFrame,
  alias: string,
  context: SqlContext,
): string {
  const filter = options.access(resourceType);
  const seen = accessCondition(filter, resourceType, 'o', values);
  const each = `EXISTS (SELECT FROM fhir_resource o
    WHERE o.type = ${values.key(nameKey(resourceType))} AND o.rid = ${alias}.rid AND ${seen}${fence(context)})`;
  // Where much is collected the planner may join all keys with all that is seen, which it cannot do beside an
  // alternative.
  const sole = context.isFenced ? soleOwnerCondition(filter, resourceType, values) : undefined;
  return sole === undefined ? each : `(${sole} OR ${each})`;
}

/** Whether the caller sees only some of the resources, and the start does not say which already. */
function isLimited({ query, options, start }: SearchFrame): boolean {
  if (start.at === 'own') return false;
  const filter = options.access(query.resourceType);
  return accessCondition(filter, query.resourceType, 'r', new SqlValues()) !== 'TRUE';
}

/** Whether the matches cannot be found from the index alone. (Deleted resources have no index rows.) */
export function needsRow(frame: SearchFrame): boolean {
  const { criteria, sort } = frame.query;
  const isVisited = isLimited(frame) && !isKnownFromIndex(frame.options.access(frame.query.resourceType));
  if (isVisited || frame.options.condition !== undefined) return true;
  if (criteria.some(needsColumns)) return true;
  return sort.some(({ parameter }) => COLUMN_PARAMETERS.has(parameter.code));
}
