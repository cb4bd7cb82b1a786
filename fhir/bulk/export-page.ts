// Reads one page of a bulk export: the resources of a type as they were at one moment, in the order of their keys
// (docs/adr/0015). What was changed since comes from the history, so that all pages show the same moment.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchQuery } from '#fhir/search/parse/query.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Access, accessCondition, compartmentKeys } from '../store/access.ts';
import { type StoredVersion, toStoredVersion, type VersionRow } from '../store/read/stored-version.ts';
import { visibleVersions } from '../store/read/visible-versions.ts';
import { criterionCondition } from '../store/search/sql/criterion-sql.ts';
import { SqlValues } from '../store/search/sql/sql-values.ts';
import type { Reading } from '../store/threads.ts';

export interface ExportQuery {
  readonly resourceType: string;
  /** The moment; whatever carries an earlier time must have been committed. */
  readonly at: Date;
  /** Only what was changed after this time. */
  readonly since?: Date | undefined;
  /** Only what is in the compartment of a patient: of any, or of those with these ids. */
  readonly patients?: 'any' | readonly string[] | undefined;
  /** Only what at least one of these searches finds. */
  readonly filters: readonly SearchQuery[];
  /** The last key of the page before. */
  readonly after: string | null;
}

export interface ExportPage {
  /** What there was, marks of deletions included. */
  readonly versions: readonly StoredVersion[];
  /** Under which key each of them is stored. */
  readonly keys: readonly string[];
  /** Rows looked at. */
  readonly scanned: number;
  /** Where the next page begins; null when this one found nothing. */
  readonly last: string | null;
}

/** A page holds at most so many resources, and ends with the one that goes beyond so many bytes. */
const PAGE = 1_000;
const PAGE_BYTES = 8 * 1024 * 1024;

export type ExportReading = { readonly access: Access } & Reading;

type PageRow = VersionRow & { readonly found: boolean; readonly is_current: boolean };

/** @param only no others than those with these keys */
export async function readExportPage(
  db: Queryable,
  query: ExportQuery,
  { access, ...reading }: ExportReading,
  only?: readonly string[],
): Promise<ExportPage> {
  const { resourceType } = query;
  const values = new SqlValues();
  const conditions = conditionsOf(query, access, values);
  if (only !== undefined) conditions.push(`r.rid = ANY(${values.bind(only, 'uuid[]')})`);
  const at = values.bind(query.at, 'timestamptz');
  const own = (column: string) => `CASE WHEN p.is_current THEN p.${column} ELSE h.${column} END AS ${column}`;
  const columns = ['version', 'updated_at', 'organisation', 'deleted', 'id', 'content'].map(own).join(', ');
  const { rows } = await db.query<PageRow>(
    `SELECT p.rid, p.is_current, p.is_current OR h.version IS NOT NULL AS found, ${columns} FROM (
       SELECT k.*, k.updated_at <= ${at} AS is_current, sum(octet_length(k.content)) OVER (ORDER BY k.rid) - octet_length(k.content) AS before
       FROM (SELECT r.* FROM fhir_resource r WHERE ${conditions.join(' AND ')} ORDER BY r.rid LIMIT ${PAGE}) k
     ) p LEFT JOIN LATERAL (
       SELECT v.* FROM fhir_history v WHERE NOT p.is_current AND v.type = p.type AND v.rid = p.rid AND v.updated_at <= ${at}
       ORDER BY v.version DESC LIMIT 1) h ON true
     WHERE p.before < ${PAGE_BYTES} ORDER BY p.rid`,
    values.list,
  );
  const { since } = query;
  const found = rows.filter((row) => row.found && (since === undefined || row.updated_at > since));
  const older = found.filter((row) => !row.is_current).map((row) => toStoredVersion(resourceType, row));
  const visible = await visibleVersions(older, access, { ...reading, reader: { isPatient: true } });
  const seen = new Set(visible.map(({ id }) => id));
  const shown = found.filter((row) => row.is_current || seen.has(row.id ?? row.rid));
  const versions = shown.map((row) => toStoredVersion(resourceType, row));
  return { versions, keys: shown.map(({ rid }) => rid), scanned: rows.length, last: rows.at(-1)?.rid ?? null };
}

/** Estimates how many rows the pages will scan. A caller with limited access gets fewer resources. */
export async function countForExport(db: Queryable, resourceTypes: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ type: number; count: number }>(
    'SELECT type, count(*) AS count FROM fhir_resource WHERE type = ANY($1::int[]) GROUP BY type',
    [resourceTypes.map(nameKey)],
  );
  const counts = new Map(rows.map(({ type, count }) => [type, Number(count)]));
  return new Map(resourceTypes.map((type) => [type, counts.get(nameKey(type)) ?? 0]));
}

/**
 * Whether a transaction is running that may still commit what carries an earlier time than `before`, by the
 * database's clock.
 */
export async function hasOlderWrites(db: Queryable, before: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_xid IS NOT NULL AND xact_start < $1
       AND pid <> pg_backend_pid() LIMIT 1`,
    [before],
  );
  return rowCount > 0;
}

export function conditionsOf(query: ExportQuery, access: Access, values: SqlValues): string[] {
  const { resourceType, since, after, patients, filters } = query;
  const conditions = [`r.type = ${values.key(nameKey(resourceType))}`];
  if (after !== null) conditions.push(`r.rid > ${values.bind(after, 'uuid')}`);
  if (since !== undefined) conditions.push(`r.updated_at > ${values.bind(since, 'timestamptz')}`);
  if (patients !== undefined) conditions.push(compartmentCondition(resourceType, patients, values));
  const visible = accessCondition(access(resourceType), resourceType, 'r', values);
  if (visible !== 'TRUE') conditions.push(visible);
  if (filters.length > 0) {
    const each = filters.map(({ criteria }) =>
      criteria.map((criterion) => criterionCondition(criterion, 'r', { values, access, isFenced: true })),
    );
    conditions.push(`(${each.map((all) => ['NOT r.deleted', ...all].join(' AND ')).join(' OR ')})`);
  }
  return conditions;
}

function compartmentCondition(resourceType: string, patients: 'any' | readonly string[], values: SqlValues): string {
  const keys = patients === 'any' ? undefined : values.bind(patients.map(resourceKey), 'uuid[]');
  if (resourceType === 'Patient') return keys === undefined ? 'TRUE' : `r.rid = ANY(${keys})`;
  const [param = 0] = compartmentKeys([resourceType]);
  return `EXISTS (SELECT FROM fhir_reference c WHERE c.rid = r.rid AND c.param = ${values.key(param)}
    AND c.target_type = ${values.key(nameKey('Patient'))}${keys === undefined ? '' : ` AND c.target = ANY(${keys})`})`;
}
