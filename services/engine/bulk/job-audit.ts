// The audit record of bulk jobs (decision G9): one event for the job, and for each person whose data it touched one more, in the
// transaction that touched it.
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Transaction } from '#lib/db/database.ts';
import type { JobRow } from './jobs.ts';
import { restorePrincipal } from './principal-json.ts';

export type AuditedJob = Pick<JobRow, 'job_guid' | 'kind' | 'principal'>;

/** What the event of a job, or of a person's part in it, says. */
export function jobEntry(job: AuditedJob, more: Partial<AuditEntry> = {}): AuditEntry {
  const isExport = job.kind === 'export';
  return {
    action: 'E',
    event: isExport ? 'bulk.export' : 'bulk.import',
    principal: restorePrincipal(job.principal),
    entities: [`${isExport ? 'bulk-export' : 'bulk-import'}/${job.job_guid}`],
    ...more,
  };
}

/** Records the people whom the job has not touched before. */
export async function recordPatients(
  tx: Transaction,
  audit: Audit,
  { job, patients }: { readonly job: AuditedJob; readonly patients: ReadonlySet<string> },
): Promise<void> {
  if (patients.size === 0) return;
  const { rows } = await tx.query<{ patient: string }>(
    `INSERT INTO bulk_patient (job_guid, patient) SELECT $1, * FROM unnest($2::text[]) ON CONFLICT DO NOTHING RETURNING patient`,
    [job.job_guid, [...patients]],
  );
  await audit.record(tx, ...rows.map(({ patient }) => jobEntry(job, { patientGuid: patient })));
}
