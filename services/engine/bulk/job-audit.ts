// Records bulk jobs for the audit (decision G9): one event for the job, and one for each patient whose data it reads or
// writes. Each event commits in the transaction of that read or write.
import type { PatientAccess } from '#lib/audit/access-batch.ts';
import { recordPatientAccess } from '#lib/audit/access-log.ts';
import type { Clock } from '#lib/clock.ts';
import { textArray } from '#lib/db/array-text.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import type { JobRow } from './jobs.ts';

export type AuditedJob = Pick<JobRow, 'job_guid' | 'kind' | 'principal'>;

/** The audit entry of a job, or of one patient in it. */
export function jobEntry(job: AuditedJob): Omit<PatientAccess, 'patients'> {
  const isExport = job.kind === 'export';
  return {
    action: 'E',
    event: isExport ? 'bulk.export' : 'bulk.import',
    principal: restorePrincipal(job.principal),
    entities: [`${isExport ? 'bulk-export' : 'bulk-import'}/${job.job_guid}`],
  };
}

/** Stores the patients who are new to the job. Their events are created from that later (docs/adr/0011). */
export async function recordPatients(
  tx: Transaction,
  clock: Clock,
  { job, patients }: { readonly job: AuditedJob; readonly patients: ReadonlySet<string> },
): Promise<void> {
  if (patients.size === 0) return;
  const { rows } = await tx.query<{ patient: string }>(
    {
      name: 'bulk-touched',
      text: `INSERT INTO bulk_patient (job_guid, patient) SELECT $1, * FROM unnest($2::text[]) ON CONFLICT DO NOTHING RETURNING patient`,
    },
    [job.job_guid, textArray([...patients].sort())],
  );
  await recordPatientAccess(tx, clock.now(), { ...jobEntry(job), patients: rows.map(({ patient }) => patient) });
}

/** Returns those of the patients who are not stored for the job. */
export async function findNewPatients(
  db: Queryable,
  job: string,
  patients: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (patients.size === 0) return patients;
  const { rows } = await db.query<{ patient: string }>(
    {
      name: 'bulk-new',
      text: `SELECT n.patient FROM unnest($2::text[]) AS n(patient)
        WHERE NOT EXISTS (SELECT FROM bulk_patient b WHERE b.job_guid = $1 AND b.patient = n.patient)`,
    },
    [job, textArray([...patients])],
  );
  return new Set(rows.map(({ patient }) => patient));
}
