// Searching one resource type: the page, its total and what it includes (decisions G6, G12, E2; docs/adr/0004).
import type { Queryable } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { COLUMN_PARAMETERS } from '#lib/fhir/search/definitions.ts';
import { nameKey, resourceKey } from '#lib/fhir/search/keys.ts';
import type { Criterion, SearchQuery } from '#lib/fhir/search/query.ts';
import { type Access, accessCondition, compartmentRows, type IndexRows } from './access.ts';
import { criterionCondition, indexRows, isIndexCriterion, type SqlContext } from './criterion-sql.ts';
import { type Cursor, readCursor, writeCursor } from './cursor.ts';
import { findIncluded } from './include.ts';
import { afterCursor, orderBy, sortExpression, sortType } from './sort-sql.ts';
import { reusable, SqlValues } from './sql-values.ts';
import { type StoredVersion, toStoredVersion, type VersionRow, versionColumns } from './stored-version.ts';

/** A further condition on the row `alias` of fhir_resource, for what a service knows and the search parameters do not. */
export type RowCondition = (alias: string, values: SqlValues) => string;

export interface SearchOptions {
  readonly access: Access;
  readonly condition?: RowCondition;
}

export interface SearchResult {
  readonly matches: readonly StoredVersion[];
  readonly included: readonly StoredVersion[];
  /** Undefined when not asked for, or beyond {@link COUNTED} without `_total=accurate`. */
  readonly total: number | undefined;
  /** Where the next page begins; undefined on the last. */
  readonly nextCursor: string | undefined;
}

/** Totals are exact up to here (G6). */
const COUNTED = 10_000;

/** @throws ServiceError `invalid_request` for a cursor that is not this search's */
export async function searchResources(
  db: Queryable,
  query: SearchQuery,
  options: SearchOptions,
): Promise<SearchResult> {
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, query.sort.map(sortType));
  if (cursor !== undefined && query.offset > 0) {
    throw new ServiceError('invalid_request', 'A cursor and an offset cannot be used together');
  }
  if (query.summary === 'count') {
    const total = await countMatches(db, { ...query, total: query.total ?? 'accurate' }, options);
    return { matches: [], included: [], total, nextCursor: undefined };
  }
  const rows = await findPage(db, query, options, cursor);
  const page = rows.slice(0, query.count);
  const hasMore = rows.length > query.count;
  const total = await totalOf(db, query, options, { cursor, found: page.length, hasMore });
  const matches = page.map((row) => toStoredVersion(query.resourceType, row));
  const included = await findIncluded(db, matches, query.includes, options.access);
  const last = hasMore ? page.at(-1) : undefined;
  return { matches, included, total, nextCursor: last && nextCursor(last, query, total) };
}

/** At most `limit` resources that fulfil the conditions, without total or includes. */
export async function findMatches(
  db: Queryable,
  query: SearchQuery,
  options: SearchOptions,
  limit: number,
): Promise<StoredVersion[]> {
  const rows = await findPage(db, { ...query, count: limit - 1 }, options, undefined);
  return rows.map((row) => toStoredVersion(query.resourceType, row));
}

type PageRow = VersionRow & Readonly<Record<string, unknown>>;

async function findPage(
  db: Queryable,
  query: SearchQuery,
  options: SearchOptions,
  cursor: Cursor | undefined,
): Promise<PageRow[]> {
  const values = new SqlValues();
  const text =
    query.sort.length === 0
      ? pageByKey(query, options, { values, cursor })
      : pageBySort(query, options, { values, cursor });
  const { rows } = await db.query<PageRow>(reusable(text), values.list);
  return rows;
}

interface PageContext {
  readonly values: SqlValues;
  readonly cursor: Cursor | undefined;
}

/** In the order of keys, which the index has already: nothing is sorted, and nothing read beyond the page. */
function pageByKey(query: SearchQuery, options: SearchOptions, { values, cursor }: PageContext): string {
  const found = matchingRows(query, options, values, cursor);
  const keys = `SELECT r.type, r.rid FROM ${found} ORDER BY r.rid ${limitOf(query, values)}`;
  return `SELECT ${versionColumns('r')} FROM (${keys}) k JOIN fhir_resource r ON r.type = k.type AND r.rid = k.rid ORDER BY r.rid`;
}

/** The page is chosen by sort values and key alone; only its own rows are then fetched with their texts. */
function pageBySort(query: SearchQuery, options: SearchOptions, { values, cursor }: PageContext): string {
  const { sort } = query;
  const found = matchingRows(query, options, values, undefined);
  const sorted = sort.map((key, index) => `, ${sortExpression(key, 'r', values)} AS s${index}`).join('');
  const after = cursor === undefined ? '' : `WHERE ${afterCursor(sort, cursor, 'm', values)}`;
  const keys = `SELECT m.* FROM (SELECT r.type, r.rid${sorted} FROM ${found}) m ${after}
    ORDER BY ${orderBy(sort, 'm')} ${limitOf(query, values)}`;
  const sortTexts = sort.map((_, index) => `, p.s${index}::text AS s${index}`).join('');
  return `SELECT ${versionColumns('r')}${sortTexts} FROM (${keys}) p JOIN fhir_resource r ON r.type = p.type AND r.rid = p.rid
    ORDER BY ${orderBy(sort, 'p')}`;
}

/** One more than the page, to know whether another follows. */
function limitOf({ count, offset }: SearchQuery, values: SqlValues): string {
  const limit = `LIMIT ${values.bind(count + 1, 'bigint')}`;
  return offset === 0 ? limit : `${limit} OFFSET ${values.bind(offset, 'bigint')}`;
}

/** The FROM and WHERE that find the matching rows `r`; the search starts at the condition that likely leaves the fewest. */
function matchingRows(
  query: SearchQuery,
  options: SearchOptions,
  values: SqlValues,
  cursor: Cursor | undefined,
): string {
  const type = values.key(nameKey(query.resourceType));
  const { rows, conditions, access } = chooseStart(query, options, values);
  if (access !== 'TRUE') conditions.push(access);
  if (options.condition !== undefined) conditions.push(options.condition('r', values));
  const after = cursor === undefined ? '' : `rid > ${values.bind(cursor.rid, 'uuid')}`;
  const ofRow = [`r.type = ${type}`, 'NOT r.deleted', ...conditions];
  if (rows === undefined) {
    return `fhir_resource r WHERE ${[...ofRow, ...(after === '' ? [] : [`r.${after}`])].join(' AND ')}`;
  }
  const further = after === '' ? '' : ` AND i.${after}`;
  const keys = `SELECT DISTINCT ${type} AS type, i.rid FROM ${rows.table} i WHERE ${rows.condition}${further}`;
  if (needsRow(query, options, access)) {
    return `(${keys}) d JOIN fhir_resource r ON r.rid = d.rid WHERE ${ofRow.join(' AND ')}`;
  }
  return `(${keys}) r${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;
}

interface Start {
  /** The index rows to start from; undefined: every resource of the type. */
  readonly rows: IndexRows | undefined;
  /** What else must hold of `r`. */
  readonly conditions: string[];
  /** Who may see `r`, as far as the start does not say so already. */
  readonly access: string;
}

function chooseStart({ resourceType, criteria }: SearchQuery, { access }: SearchOptions, values: SqlValues): Start {
  const context: SqlContext = { values, access };
  const filter = access(resourceType);
  const others = (start?: Criterion) =>
    criteria.filter((criterion) => criterion !== start).map((criterion) => criterionCondition(criterion, 'r', context));
  const start = criteria.filter(isIndexCriterion).sort((a, b) => rank(a) - rank(b))[0];
  // A patient's own records are few.
  const own = start !== undefined && rank(start) === 0 ? undefined : compartmentRows(filter, resourceType, values);
  if (own !== undefined) return { rows: own, conditions: others(), access: 'TRUE' };
  return {
    rows: start && indexRows(start, values),
    conditions: others(start),
    access: accessCondition(filter, resourceType, 'r', values),
  };
}

/** Whether the matches cannot be told from the index alone. (What is deleted has no index rows.) */
function needsRow({ criteria, sort }: SearchQuery, { condition }: SearchOptions, access: string): boolean {
  if (access !== 'TRUE' || condition !== undefined) return true;
  if (criteria.some((criterion) => criterion.kind === 'lastUpdated')) return true;
  return sort.some(({ parameter }) => COLUMN_PARAMETERS.has(parameter.code));
}

/** Smaller: fewer resources are expected to share the value. */
function rank(criterion: Criterion): number {
  switch (criterion.kind) {
    case 'token':
      return criterion.parameter.branches.some(([type]) => type === 'Identifier' || type === 'ContactPoint') ? 0 : 4;
    case 'reference':
    case 'compartment':
    case 'composite':
      return 1;
    case 'uri':
      return 2;
    case 'string':
      return 3;
    default:
      return 5;
  }
}

async function totalOf(
  db: Queryable,
  query: SearchQuery,
  options: SearchOptions,
  page: { cursor: Cursor | undefined; found: number; hasMore: boolean },
): Promise<number | undefined> {
  if (query.total === 'none') return undefined;
  if (page.cursor !== undefined) return page.cursor.total ?? undefined;
  if (!page.hasMore && (page.found > 0 || query.offset === 0)) return query.offset + page.found;
  return countMatches(db, query, options);
}

async function countMatches(db: Queryable, query: SearchQuery, options: SearchOptions): Promise<number | undefined> {
  const values = new SqlValues();
  const found = `SELECT FROM ${matchingRows(query, options, values, undefined)}`;
  const isExact = query.total === 'accurate';
  const limit = isExact ? '' : ` LIMIT ${values.bind(COUNTED + 1, 'bigint')}`;
  const { rows } = await db.query<{ count: number }>(
    reusable(`SELECT count(*) AS count FROM (${found}${limit}) c`),
    values.list,
  );
  const count = Number(rows[0]?.count ?? 0);
  return isExact || count <= COUNTED ? count : undefined;
}

function nextCursor(last: PageRow, query: SearchQuery, total: number | undefined): string {
  const sort = query.sort.map(({ parameter }, index) => {
    if (parameter.code === '_lastUpdated') return last.updated_at.toISOString();
    const value = last[`s${index}`];
    return value === null || value === undefined ? null : String(value);
  });
  return writeCursor({ sort, rid: resourceKey(last.id ?? last.rid), total: total ?? null });
}
