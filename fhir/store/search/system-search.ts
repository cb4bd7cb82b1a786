// Runs a search of several types (hl7.org/fhir/R5/search.html#searchcontexts): the matches of all types in one order,
// as one page. PostgreSQL plans its statement each time.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchQuery, SortKey } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { fillTexts, type ShortRow, shortColumns } from '../read/long-texts.ts';
import { type TypedVersionRow, toTypedVersion, typeNames } from '../read/stored-version.ts';
import { readCursor, unreadableCursor, writeCursor } from './cursor.ts';
import { findIncluded } from './include.ts';
import type { SearchResult } from './search.ts';
import { firstStart } from './search-plan.ts';
import { matchingRows, type SearchOptions } from './search-sql.ts';
import { afterValues, sortExpression, sortType } from './sql/sort-sql.ts';
import { SqlValues } from './sql/sql-values.ts';

/** Totals are exact up to here (G6). */
const COUNTED = 10_000;

type PageRow = ShortRow & Pick<TypedVersionRow, 'type'> & Readonly<Record<string, unknown>>;

/**
 * The page of a search that each of the queries makes of its own type; they are alike but for their types.
 * @throws ServiceError `invalid_request` for a cursor that is not this search's
 */
export async function searchSystem(
  db: Queryable,
  queries: readonly SearchQuery[],
  options: SearchOptions,
): Promise<SearchResult> {
  const [first] = queries;
  const visible = queries.filter(({ resourceType }) => options.access(resourceType).kind !== 'none');
  if (first === undefined || visible.length === 0)
    return { matches: [], included: [], cut: undefined, total: 0, nextCursor: undefined };
  if (first.summary === 'count') {
    const total = await countAll(db, visible, { options, isExact: (first.total ?? 'accurate') === 'accurate' });
    return { matches: [], included: [], cut: undefined, total, nextCursor: undefined };
  }
  const place = readPlace(first);
  const rows = await findPage(db, visible, { options, place });
  const names = typeNames(visible.map(({ resourceType }) => resourceType));
  const page = await fillTexts(db, rows.slice(0, first.count), { typeOf: ({ type }) => names.get(type) ?? '' });
  const matches = page.map((row) => toTypedVersion(row, names));
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const total = await totalOf(db, visible, { options, place, found: last === undefined ? page.length : undefined });
  const { versions: included, cut } = await findIncluded(db, matches, first.includes, options.access);
  return { matches, included, cut, total, nextCursor: last && cursorAt(last, first, total) };
}

/** Where the page before ended: the sort values, the type and the key of its last resource. */
interface Place {
  readonly sort: readonly (string | null)[];
  readonly type: string;
  readonly rid: string;
  readonly total: number | null;
}

function readPlace(query: SearchQuery): Place | undefined {
  const { cursor, sort } = query;
  if (cursor === undefined) return undefined;
  const read = readCursor(cursor, [...sort.map(sortType), 'bigint'], query);
  const type = read.sort.at(-1);
  if (type === null || type === undefined || (Number(type) | 0) !== Number(type)) throw unreadableCursor('search');
  return { sort: read.sort.slice(0, -1), type, rid: read.rid, total: read.total };
}

function cursorAt(last: PageRow, query: SearchQuery, total: number | undefined): string {
  const values = query.sort.map(({ parameter }, index) => {
    const value = last[`s${index}`];
    if (value instanceof Date) return value.toISOString();
    if (parameter.code === '_lastUpdated') return last.updated_at.toISOString();
    return value === null || value === undefined ? null : String(value);
  });
  const sort = [...values, String(last.type)];
  return writeCursor({ sort, rid: resourceKey(last.id ?? last.rid), total: total ?? null }, query);
}

interface Paging {
  readonly options: SearchOptions;
  readonly place: Place | undefined;
}

async function findPage(
  db: Queryable,
  queries: readonly SearchQuery[],
  { options, place }: Paging,
): Promise<PageRow[]> {
  const values = new SqlValues();
  const { sort, count, offset } = queries[0] ?? { sort: [], count: 0, offset: 0 };
  const limit = values.bind(count + offset + 1, 'bigint');
  const order = (alias: string) =>
    [
      ...sort.map((key, index) => `${alias}.s${index} ${key.isDescending ? 'DESC' : 'ASC'} NULLS LAST`),
      `${alias}.type, ${alias}.rid`,
    ].join(', ');
  const parts = queries.map((query) => {
    const type = values.key(nameKey(query.resourceType));
    const sorted = query.sort.map((key, index) => `, ${sortExpression(key, 'r', values)} AS s${index}`).join('');
    const found = `SELECT ${type} AS type, r.rid${sorted} FROM ${matchingRows({ query, options, start: firstStart(query), values })}`;
    const after = place === undefined ? 'TRUE' : afterPlace(query.sort, place, values);
    return `(SELECT * FROM (${found}) v WHERE ${after} ORDER BY ${order('v')} LIMIT ${limit})`;
  });
  const sortTexts = sort.map((_, index) => `, k.s${index}::text AS s${index}`).join('');
  const text = `SELECT r.type, ${shortColumns('r')}${sortTexts}
    FROM (SELECT * FROM (${parts.join(' UNION ALL ')}) u ORDER BY ${order('u')} LIMIT ${limit} OFFSET ${values.bind(offset, 'bigint')}) k
    JOIN fhir_resource r ON r.type = k.type AND r.rid = k.rid ORDER BY ${order('k')}`;
  return (await db.query<PageRow>(text, values.list)).rows;
}

function afterPlace(sort: readonly SortKey[], place: Place, values: SqlValues): string {
  const type = values.bind(Number(place.type), 'int');
  const tie = `(v.type > ${type} OR (v.type = ${type} AND v.rid > ${values.bind(place.rid, 'uuid')}))`;
  return afterValues(sort, place, 'v', { values, tie });
}

async function totalOf(
  db: Queryable,
  queries: readonly SearchQuery[],
  { options, place, found }: Paging & { readonly found: number | undefined },
): Promise<number | undefined> {
  const { total, offset } = queries[0] ?? { total: undefined, offset: 0 };
  if (total === 'none') return undefined;
  if (place !== undefined) return place.total ?? undefined;
  if (found !== undefined && (found > 0 || offset === 0)) return offset + found;
  return countAll(db, queries, { options, isExact: total === 'accurate' });
}

async function countAll(
  db: Queryable,
  queries: readonly SearchQuery[],
  { options, isExact }: { readonly options: SearchOptions; readonly isExact: boolean },
): Promise<number | undefined> {
  const values = new SqlValues();
  const limit = isExact ? '' : ` LIMIT ${COUNTED + 1}`;
  const parts = queries.map(
    (query) => `(SELECT FROM ${matchingRows({ query, options, start: firstStart(query), values })}${limit})`,
  );
  const text = `SELECT count(*)::int AS total FROM (SELECT FROM (${parts.join(' UNION ALL ')}) u${limit}) c`;
  const { rows } = await db.query<{ total: number }>(text, values.list);
  const count = rows[0]?.total ?? 0;
  return isExact || count <= COUNTED ? count : undefined;
}
