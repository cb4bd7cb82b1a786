// One page of a search on a table of the directory (decision G6). Rows are ordered by key, which is the order of
// creation. So a page neither repeats nor skips rows when others are added.

import type { Criterion, SearchQuery } from '#fhir/search/parse/query.ts';
import { readCursor, writeCursor } from '#fhir/store/search/cursor.ts';
import { SqlValues } from '#fhir/store/search/sql/sql-values.ts';
import type { Queryable } from '#lib/db/database.ts';
import { criterionSql, matchesName, type SearchedTable } from './criteria-sql.ts';
import * as store from './store.ts';

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly nextCursor: string | undefined;
}

export interface TableSearch {
  readonly table: SearchedTable;
  /** The selected columns; one is called `id`. */
  readonly columns: (values: SqlValues) => string;
  readonly idOfUrl: (url: string) => string | undefined;
}

/** @throws ServiceError `invalid_request` for an invalid cursor, `validation_error` for what is not supported */
export async function searchTable<Row extends { readonly id: string }>(
  db: Queryable,
  query: SearchQuery,
  search: TableSearch,
): Promise<RowPage<Row>> {
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, [], query);
  const named = await findNamed(db, query, search.table);
  const conditions = (values: SqlValues) =>
    query.criteria.map((criterion) => criterionSql(criterion, { ...search, values, named }));
  const count = () => countRows(db, query, { from: search.table.from, conditions });
  if (query.summary === 'count') return { rows: [], total: await count(), nextCursor: undefined };
  const values = new SqlValues();
  const columns = search.columns(values);
  const where = conditions(values);
  if (cursor !== undefined) where.push(`${search.table.key} > ${values.bind(cursor.rid, 'uuid')}`);
  const { from, key } = search.table;
  const found = await store.selectRows<Row>(db, { columns, from, where, key, values }, query.count + 1);
  const rows = found.slice(0, query.count);
  const hasMore = found.length > rows.length;
  const total = await totalOf(query, { cursor, found: rows.length, hasMore, count });
  const last = hasMore ? rows.at(-1) : undefined;
  const nextCursor = last && writeCursor({ sort: [], rid: last.id, total: total ?? null }, query);
  return { rows, total, nextCursor };
}

async function totalOf(
  query: SearchQuery,
  page: {
    readonly cursor: { readonly total: number | null } | undefined;
    readonly found: number;
    readonly hasMore: boolean;
    readonly count: () => Promise<number | undefined>;
  },
): Promise<number | undefined> {
  if (query.total === 'none') return undefined;
  if (page.cursor !== undefined) return page.cursor.total ?? undefined;
  return page.hasMore ? page.count() : page.found;
}

/** Totals are exact up to this number (G6). */
const COUNTED = 10_000;

async function countRows(
  db: Queryable,
  query: SearchQuery,
  { from, conditions }: { from: string; conditions: (values: SqlValues) => string[] },
): Promise<number | undefined> {
  const values = new SqlValues();
  const isExact = query.total === 'accurate' || query.summary === 'count';
  const count = await store.countRows(db, { from, where: conditions(values), values }, isExact ? null : COUNTED + 1);
  return isExact || count <= COUNTED ? count : undefined;
}

/**
 * The keys of the rows that match each criterion on the name. Names are compared in Kedja, since SQL cannot compare
 * strings as FHIR search does.
 */
async function findNamed(
  db: Queryable,
  { criteria }: SearchQuery,
  table: SearchedTable,
): Promise<ReadonlyMap<Criterion, readonly string[]>> {
  const wanted = criteria.filter((criterion) => criterion.kind === 'string');
  if (wanted.length === 0) return new Map();
  const names = await store.listNames(db, table);
  return new Map(
    wanted.map((criterion) => [
      criterion,
      names.filter(({ name }) => matchesName(name, criterion)).map(({ id }) => id),
    ]),
  );
}
