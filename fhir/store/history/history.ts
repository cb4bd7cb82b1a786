// The versions of one resource or of all resources of a type, newest first (hl7.org/fhir/R5/http.html#history).

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Queryable } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { type Access, accessCondition } from '../access.ts';
import { fillTexts, type ShortRow, shortColumns } from '../read/long-texts.ts';
import { findCurrent } from '../read/lookup.ts';
import { type StoredVersion, toStoredVersion, type VersionRow, versionColumns } from '../read/stored-version.ts';
import { visibleVersions } from '../read/visible-versions.ts';
import { isInstant, RID, unreadableCursor } from '../search/cursor.ts';
import { reusable, SqlValues } from '../search/sql/sql-values.ts';
import type { Reading } from '../threads.ts';

export interface HistoryQuery {
  readonly resourceType: string;
  /** Undefined: all resources of the type. */
  readonly id: string | undefined;
  readonly count: number;
  /** Only versions made at or after this time. */
  readonly since?: Date;
  /** Only versions that were current at some time in this period. */
  readonly at?: { readonly from: Date; readonly to: Date };
  readonly cursor?: string;
  /** The oldest first. */
  readonly isAscending?: boolean;
  /** Guid of the caller. */
  readonly owner?: string | undefined;
}

/** A version, and whether there was nothing before it: the first, or the first after a deletion. */
export interface HistoryVersion extends StoredVersion {
  readonly isNew: boolean;
  /** Whether it was made under an id that the server gave. */
  readonly isPosted: boolean;
  /** Whether a patch made it. */
  readonly isPatched: boolean;
}

export interface HistoryRow extends VersionRow {
  readonly is_new: boolean;
  readonly patched: boolean | null;
}

/** What the row of a version has beside the version itself. */
export type HistoryMarks = Pick<HistoryRow, 'is_new' | 'patched'>;

/**
 * The version as histories show it: a first version that was put has its id where the key alone would do
 * (../write/new-version.ts).
 */
export function toHistoryVersion(version: StoredVersion, row: HistoryMarks & Pick<VersionRow, 'id'>): HistoryVersion {
  const isPosted = version.version === 1 && row.id === null;
  return { ...version, isNew: row.is_new, isPosted, isPatched: row.patched === true };
}

/** Whether the version `v` of the type was made of nothing. */
export function isNewColumn(type: string): string {
  return `v.version = 1 OR EXISTS (SELECT FROM fhir_history p
    WHERE p.type = ${type} AND p.rid = v.rid AND p.version = v.version - 1 AND p.deleted) AS is_new`;
}

export interface HistoryResult {
  readonly versions: readonly HistoryVersion[];
  readonly nextCursor: string | undefined;
}

/**
 * @throws ServiceError `not_found` when the one resource asked for never was or may not be seen; `invalid_request` for
 * a bad cursor
 */
export async function readHistory(
  db: Queryable,
  query: HistoryQuery,
  access: Access,
  reading: Reading,
): Promise<HistoryResult> {
  const { resourceType, id, count } = query;
  if (id !== undefined && (await findCurrent(db, { resourceType, id }, access)) === undefined) {
    throw notFound(`${resourceType}/${id}`);
  }
  const values = new SqlValues();
  const limit = values.bind(count + 1, 'bigint');
  const branches = ['fhir_resource', 'fhir_history'].map((table) => branch(table, query, access, values));
  const union = branches.map((part) => `(${part} LIMIT ${limit})`).join(' UNION ALL ');
  const newest = `SELECT * FROM (${union}) u ORDER BY ${ordered('u', query)} LIMIT ${limit}`;
  const { rows } = await db.query<ShortRow & HistoryMarks>(
    reusable(`SELECT ${versionColumns('v')}, v.patched, ${isNewColumn(values.key(nameKey(resourceType)))} FROM (${newest}) v
     ORDER BY ${ordered('v', query)}`),
    values.list,
  );
  const page = await fillTexts(db, rows.slice(0, count), { typeOf: () => resourceType });
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const versions = page.map((row) => toHistoryVersion(toStoredVersion(resourceType, row), row));
  return {
    versions: await visibleVersions(versions, access, { ...reading, reader: { owner: query.owner } }),
    nextCursor: last && writeCursor(last),
  };
}

function branch(table: string, query: HistoryQuery, access: Access, values: SqlValues): string {
  const { resourceType, id, since, at, cursor } = query;
  const conditions = [`h.type = ${values.key(nameKey(resourceType))}`];
  if (id !== undefined) conditions.push(`h.rid = ${values.bind(resourceKey(id), 'uuid')}`);
  else conditions.push(visibleNow(resourceType, access, values));
  if (since !== undefined) conditions.push(`h.updated_at >= ${values.bind(since, 'timestamptz')}`);
  if (at !== undefined) conditions.push(currentAt(table, at, values));
  if (cursor !== undefined) {
    const [time, rid, version] = readCursor(cursor);
    const place = [values.bind(time, 'timestamptz'), values.bind(rid, 'uuid'), values.bind(version, 'int')];
    conditions.push(`(h.updated_at, h.rid, h.version) ${query.isAscending ? '>' : '<'} (${place.join(', ')})`);
  }
  return `SELECT ${shortColumns('h')}, h.patched FROM ${table} h WHERE ${conditions.filter((part) => part !== 'TRUE').join(' AND ')}
    ORDER BY ${ordered('h', query)}`;
}

function ordered(alias: string, { isAscending }: HistoryQuery): string {
  const direction = isAscending ? 'ASC' : 'DESC';
  return ['updated_at', 'rid', 'version'].map((column) => `${alias}.${column} ${direction}`).join(', ');
}

function visibleNow(resourceType: string, access: Access, values: SqlValues): string {
  const condition = accessCondition(access(resourceType), resourceType, 'r', values);
  if (condition === 'TRUE') return condition;
  return `EXISTS (SELECT FROM fhir_resource r WHERE r.type = h.type AND r.rid = h.rid AND ${condition})`;
}

/** A version `h` that was made before the period's end, and not replaced by its beginning. */
export function currentAt(table: string, { from, to }: { from: Date; to: Date }, values: SqlValues): string {
  const made = `h.updated_at <= ${values.bind(to, 'timestamptz')}`;
  if (table === 'fhir_resource') return made;
  const replaced = (next: string, version: string) =>
    `EXISTS (SELECT FROM ${next} n WHERE n.type = h.type AND n.rid = h.rid AND ${version} AND n.updated_at <= ${values.bind(from, 'timestamptz')})`;
  return `${made} AND NOT ${replaced('fhir_history', 'n.version = h.version + 1')} AND NOT ${replaced('fhir_resource', 'n.version = h.version + 1')}`;
}

function writeCursor({ updated_at, rid, version }: VersionRow): string {
  return Buffer.from(JSON.stringify([updated_at.toISOString(), rid, version])).toString('base64url');
}

function readCursor(text: string): readonly [time: string, rid: string, version: number] {
  const decoded = Buffer.from(text, 'base64url').toString('utf8');
  const match = /^\["([^"]{24})","([^"]{36})",(\d{1,9})\]$/.exec(decoded);
  if (match === null || !isInstant(match[1] ?? '') || !RID.test(match[2] ?? '')) {
    throw unreadableCursor('history');
  }
  return [match[1] ?? '', match[2] ?? '', Number(match[3])];
}
