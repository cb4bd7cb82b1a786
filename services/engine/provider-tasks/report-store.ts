// SQL statements for what was reported of tasks, and for the resources that were reported.
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { StaffPerson } from '#lib/auth/provider-staff.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { TimePosition } from '#lib/http/response/time-position.ts';
import { instant } from '../shared/sql.ts';

export interface StoredReport {
  readonly report_guid: string;
  readonly status: 'partial' | 'final';
  readonly note: string | null;
  readonly reported_by_guid: string | null;
  readonly reported_by_name: string | null;
  /** Addresses such as `Observation/<id>`. */
  readonly resources: readonly string[];
  readonly reported_at: string;
}

export interface NewReport {
  readonly reportGuid: string;
  readonly requestGuid: string;
  readonly status: 'partial' | 'final';
  readonly note: string | undefined;
  readonly person: StaffPerson | undefined;
  readonly resources: readonly string[];
}

export async function insertReport(tx: Transaction, report: NewReport, at: Date): Promise<void> {
  const { reportGuid, requestGuid, status, note, person, resources } = report;
  await tx.query(
    `INSERT INTO provider_task_report (report_guid, request_guid, status, note, reported_by_guid, reported_by_name, resources, reported_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [reportGuid, requestGuid, status, note ?? null, person?.userGuid ?? null, person?.name ?? null, resources, at],
  );
}

export interface ReportsAfter {
  /** The last report that the reader has read; null for none. */
  readonly after: TimePosition | null;
  readonly limit: number;
}

/** The newest first. */
export async function listReports(
  db: Queryable,
  requestGuid: string,
  { after, limit }: ReportsAfter,
): Promise<StoredReport[]> {
  const { rows } = await db.query<StoredReport>(
    `SELECT report_guid, status, note, reported_by_guid, reported_by_name, resources, ${instant('reported_at')}
     FROM provider_task_report r
     WHERE request_guid = $1 AND ($2::timestamptz IS NULL OR (r.reported_at, report_guid) < ($2::timestamptz, $3::uuid))
     ORDER BY r.reported_at DESC, report_guid DESC LIMIT $4`,
    [requestGuid, after?.recordedAt ?? null, after?.eventGuid ?? null, limit],
  );
  return rows;
}

/** The bytes of the current versions, by their addresses. Stored lengths, without reading the texts. */
export function sizesOfReported(db: Queryable, addresses: readonly string[]): Promise<ReadonlyMap<string, number>> {
  return readByAddress<number>(db, addresses, 'octet_length(content)');
}

/** The current versions as JSON texts, by their addresses; without those that an administrator has deleted. */
export function readReported(db: Queryable, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return readByAddress<string>(db, addresses, 'content');
}

async function readByAddress<Value>(
  db: Queryable,
  addresses: readonly string[],
  column: 'content' | 'octet_length(content)',
): Promise<ReadonlyMap<string, Value>> {
  if (addresses.length === 0) return new Map();
  const named = addresses.map((address) => address.split('/'));
  const rids = named.map(([, id = '']) => resourceKey(id));
  const types = named.map(([type = '']) => nameKey(type));
  const { rows } = await db.query<{ type: number; rid: string; value: Value }>(
    `SELECT type, rid, ${column} AS value FROM fhir_resource
     WHERE type = ANY($1::integer[]) AND rid = ANY($2::uuid[]) AND NOT deleted`,
    [[...new Set(types)], rids],
  );
  const found = new Map(rows.map(({ type, rid, value }) => [`${type}/${rid}`, value]));
  return new Map(
    addresses.flatMap((address, index) => {
      const value = found.get(`${types[index]}/${rids[index]}`);
      return value === undefined ? [] : [[address, value]];
    }),
  );
}
