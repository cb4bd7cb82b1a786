// Reads the history of many types, newest first (hl7.org/fhir/R5/http.html#history): the newest versions of each type
// are read from its index, and merged.

import { nameKey } from '#fhir/search/extract/keys.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Access, groupByAccess, type TypesAccess } from '../access.ts';
import { fillTexts, type ShortRow, shortColumns } from '../read/long-texts.ts';
import { type TypedVersionRow, toTypedVersion, typeNames } from '../read/stored-version.ts';
import { visibleVersions } from '../read/visible-versions.ts';
import { isInstant, RID, unreadableCursor } from '../search/cursor.ts';
import { reusable, SqlValues } from '../search/sql/sql-values.ts';
import type { Reading } from '../threads.ts';
import {
  currentAt,
  type HistoryMarks,
  type HistoryQuery,
  type HistoryResult,
  isNewColumn,
  toHistoryVersion,
} from './history.ts';

export type SystemHistoryQuery = Omit<HistoryQuery, 'resourceType' | 'id'> & {
  readonly resourceTypes: readonly string[];
};

const ORDER = ['updated_at', 'type', 'rid', 'version'];

/** @throws ServiceError `invalid_request` for a bad cursor */
export async function readSystemHistory(
  db: Queryable,
  query: SystemHistoryQuery,
  access: Access,
  reading: Reading,
): Promise<HistoryResult> {
  const { resourceTypes, count } = query;
  const values = new SqlValues();
  const limit = values.bind(count + 1, 'bigint');
  const after = query.cursor === undefined ? undefined : bindCursor(query.cursor, values);
  const branches = groupByAccess(resourceTypes, access).flatMap((group) =>
    ['fhir_resource', 'fhir_history'].map((table) => branch(table, group, query, { values, limit, after })),
  );
  if (branches.length === 0) return { versions: [], nextCursor: undefined };
  const all = branches.join(' UNION ALL ');
  const newest = `SELECT u.* FROM (${all}) u ORDER BY ${ordered('u', query)} LIMIT ${limit}`;
  const text = `SELECT v.*, ${isNewColumn('v.type')} FROM (${newest}) v ORDER BY ${ordered('v', query)}`;
  const { rows } = await db.query<ShortRow & HistoryMarks & Pick<TypedVersionRow, 'type'>>(reusable(text), values.list);
  const names = typeNames(resourceTypes);
  const page = await fillTexts(db, rows.slice(0, count), { typeOf: ({ type }) => names.get(type) ?? '' });
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const versions = page.map((row) => toHistoryVersion(toTypedVersion(row, names), row));
  return {
    versions: await visibleVersions(versions, access, { ...reading, reader: { owner: query.owner } }),
    nextCursor: last && writeCursor(last),
  };
}

interface BranchContext {
  readonly values: SqlValues;
  readonly limit: string;
  readonly after: string | undefined;
}

function branch(
  table: string,
  { types, condition }: TypesAccess,
  { since, at, isAscending }: SystemHistoryQuery,
  { values, limit, after }: BranchContext,
): string {
  const visible = condition('r', values);
  const conditions = ['h.type = t.type'];
  if (visible !== 'TRUE')
    conditions.push(`EXISTS (SELECT FROM fhir_resource r WHERE r.type = h.type AND r.rid = h.rid AND ${visible})`);
  if (since !== undefined) conditions.push(`h.updated_at >= ${values.bind(since, 'timestamptz')}`);
  if (at !== undefined) conditions.push(currentAt(table, at, values));
  if (after !== undefined)
    conditions.push(`(${ORDER.map((column) => `h.${column}`).join(', ')}) ${isAscending ? '>' : '<'} (${after})`);
  const newest = `SELECT h.type, ${shortColumns('h')}, h.patched FROM ${table} h WHERE ${conditions.join(' AND ')}
    ORDER BY ${ordered('h', { isAscending })} LIMIT ${limit}`;
  return `SELECT n.* FROM unnest(${values.bind(types.map(nameKey), 'int[]')}) t(type) CROSS JOIN LATERAL (${newest}) n`;
}

function ordered(alias: string, { isAscending }: { readonly isAscending?: boolean | undefined }): string {
  return ORDER.map((column) => `${alias}.${column} ${isAscending ? 'ASC' : 'DESC'}`).join(', ');
}

function writeCursor({ updated_at, type, rid, version }: TypedVersionRow): string {
  return Buffer.from(JSON.stringify([updated_at.toISOString(), type, rid, version])).toString('base64url');
}

/** The place after which the page begins, as bound values in the order of {@link ORDER}. */
function bindCursor(text: string, values: SqlValues): string {
  const decoded = Buffer.from(text, 'base64url').toString('utf8');
  const [, time = '', type, rid = '', version] =
    /^\["([^"]{24})",(-?\d{1,10}),"([^"]{36})",(\d{1,9})\]$/.exec(decoded) ?? [];
  if (!isInstant(time) || !RID.test(rid) || (Number(type) | 0) !== Number(type)) {
    throw unreadableCursor('history');
  }
  return [
    values.bind(time, 'timestamptz'),
    values.bind(Number(type), 'int'),
    values.bind(rid, 'uuid'),
    values.bind(Number(version), 'int'),
  ].join(', ');
}
