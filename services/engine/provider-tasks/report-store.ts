// SQL statements for what was reported of tasks, and for the resources that were reported.
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { StaffPerson } from '#lib/auth/provider-staff.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, instant, selectPage } from '../shared/sql.ts';

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

/** The newest first. */
export function listReports(db: Database, requestGuid: string, page: PageRequest): Promise<Page<StoredReport>> {
  const columns = `report_guid, status, note, reported_by_guid, reported_by_name, resources, ${instant('reported_at')}`;
  const orderBy = 'provider_task_report.reported_at DESC, report_guid DESC';
  const conditions = new Conditions().add(requestGuid, (guid) => `request_guid = ${guid}`);
  return selectPage<StoredReport>(db, { columns, from: 'provider_task_report', orderBy }, conditions, page);
}

/** The current versions as JSON texts, by their addresses; without those that an administrator has deleted. */
export async function readReported(db: Queryable, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const named = addresses.map((address) => address.split('/'));
  const rids = named.map(([, id = '']) => resourceKey(id));
  const types = named.map(([type = '']) => nameKey(type));
  const { rows } = await db.query<{ type: number; rid: string; content: string }>(
    `SELECT type, rid, content FROM fhir_resource
     WHERE type = ANY($1::integer[]) AND rid = ANY($2::uuid[]) AND NOT deleted`,
    [[...new Set(types)], rids],
  );
  const found = new Map(rows.map(({ type, rid, content }) => [`${type}/${rid}`, content]));
  return new Map(
    addresses.flatMap((address, index) => {
      const content = found.get(`${types[index]}/${rids[index]}`);
      return content === undefined ? [] : [[address, content]];
    }),
  );
}
