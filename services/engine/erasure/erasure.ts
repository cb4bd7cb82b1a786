// What the engine has of a person beside the FHIR records (docs/adr/0131). It has tasks of its providers, calls to
// dispatch, exports, and what is known of copies at other servers. SQL only.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { countRows, deleteRows, type RowCounts, type RowKeys, type RowsOf } from '#lib/erasure/rows.ts';

export interface EngineKeys extends RowKeys {
  /** Ids of the person's Patients, here and at dispatch. */
  readonly patients: readonly string[];
  /** Guids by which providers know the requests of dispatch. */
  readonly receipts: readonly string[];
  /** Resources as `Type/id`. */
  readonly resources: readonly string[];
}

const TASKS =
  'SELECT request_guid FROM provider_task WHERE patient_guid = ANY(:patients) OR request_guid = ANY(:receipts::uuid[])';

const ROWS: readonly RowsOf[] = [
  { table: 'dispatch_call', where: `request_guid IN (${TASKS})` },
  { table: 'report_notice', where: `reference = ANY(:resources) OR request_guid IN (${TASKS})` },
  { table: 'patient_report_notice', where: 'patient_ids && :patients::text[]' },
  { table: 'provider_result', where: `request_guid = ANY(:receipts::uuid[]) OR request_guid IN (${TASKS})` },
  { table: 'provider_task_report', where: `request_guid IN (${TASKS})` },
  { table: 'provider_task', where: `request_guid IN (${TASKS})` },
  // An import keeps its input until it is done, so jobs of both kinds go, with their files.
  { table: 'bulk_part', where: 'job_guid IN (SELECT job_guid FROM bulk_patient WHERE patient = ANY(:patients))' },
  { table: 'bulk_file', where: 'job_guid IN (SELECT job_guid FROM bulk_patient WHERE patient = ANY(:patients))' },
  { table: 'bulk_job', where: 'job_guid IN (SELECT job_guid FROM bulk_patient WHERE patient = ANY(:patients))' },
  { table: 'sync_link', where: "type || '/' || id = ANY(:resources)" },
  { table: 'sync_conflict', where: "type || '/' || id = ANY(:resources)" },
];

export function countEngineRows(db: Queryable, keys: EngineKeys): Promise<RowCounts> {
  return countRows(db, ROWS, keys);
}

export async function deleteEngineRows(tx: Transaction, keys: EngineKeys): Promise<RowCounts> {
  await tx.query(
    `SELECT FROM provider_task WHERE patient_guid = ANY($1::text[]) OR request_guid = ANY($2::uuid[])
     ORDER BY request_guid FOR UPDATE`,
    [keys.patients, keys.receipts],
  );
  return deleteRows(tx, ROWS, keys);
}

/** Other servers with which resources of the target were synchronised: their addresses. */
export async function findSynchronisedServers(db: Queryable, { resources }: EngineKeys): Promise<string[]> {
  const text = "SELECT DISTINCT site FROM sync_link WHERE type || '/' || id = ANY($1::text[]) ORDER BY 1";
  return (await db.query<{ site: string }>(text, [resources])).rows.map(({ site }) => site);
}
