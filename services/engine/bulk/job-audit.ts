// The audit record of bulk jobs (decision G9): one event for the job, and for each person whose data it touched one
// more, noted in the transaction that touched it.
import type { PeopleTouched } from '#lib/audit/access-batch.ts';
import { notePeople } from '#lib/audit/access-log.ts';
import type { Clock } from '#lib/clock.ts';
import { textArray } from '#lib/db/array-text.ts';
import type { Transaction } from '#lib/db/database.ts';
import { restorePrincipal } from '../shared/principal-json.ts';
import type { JobRow } from './jobs.ts';

export type AuditedJob = Pick<JobRow, 'job_guid' | 'kind' | 'principal'>;

/** What the event of a job, or of a person's part in it, says. */
export function jobEntry(job: AuditedJob): Omit<PeopleTouched, 'patients'> {
  const isExport = job.kind === 'export';
  return {
    action: 'E',
    event: isExport ? 'bulk.export' : 'bulk.import',
    principal: restorePrincipal(job.principal),
    entities: [`${isExport ? 'bulk-export' : 'bulk-import'}/${job.job_guid}`],
  };
}

/** Notes the people whom the job has not touched before; their events are made of it later (docs/adr/0011). */
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
  await notePeople(tx, clock.now(), { ...jobEntry(job), patients: rows.map(({ patient }) => patient) });
}
