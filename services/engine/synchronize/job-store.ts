// SQL statements for the jobs of synchronisations: insert, claim by lease, update the progress, stop and finish.
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { readCount, rowsByGuid } from '#lib/db/rows.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import type { StoredPrincipal } from '../shared/principal-json.ts';
import { Conditions, selectPage } from '../shared/sql.ts';
import type { Counts } from './counts.ts';

/** The length of a lease, longer than a step takes. After a lost lease the step is repeated, which changes nothing. */
const LEASE = '60 seconds';

export type SyncState = 'running' | 'stopped' | 'done' | 'failed';
export type SyncDirection = 'pull' | 'push' | 'both';

export interface SyncJob {
  readonly job_guid: string;
  readonly server: string;
  readonly principal: StoredPrincipal;
  readonly resource_types: readonly string[];
  readonly direction: SyncDirection;
  readonly since: Date | null;
  readonly dry_run: boolean;
  readonly state: SyncState;
  readonly checkpoint: unknown;
  readonly counts: Counts;
  readonly failures: number;
  readonly fault: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly finished_at: Date | null;
}

const COLUMNS = `job_guid, server, principal, resource_types, direction, since, dry_run, state, checkpoint, counts, failures, fault,
  created_at, updated_at, finished_at`;

export type NewSyncJob = Pick<
  SyncJob,
  | 'job_guid'
  | 'server'
  | 'principal'
  | 'resource_types'
  | 'direction'
  | 'since'
  | 'dry_run'
  | 'checkpoint'
  | 'created_at'
>;

/** @throws DatabaseError for a unique violation: another job with the server is running */
export async function insertJob(tx: Transaction, job: NewSyncJob): Promise<void> {
  await tx.query(
    `INSERT INTO sync_job (job_guid, server, principal, resource_types, direction, since, dry_run, checkpoint, state, created_at,
       updated_at, next_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'running', $9, $9, $9)`,
    [
      job.job_guid,
      job.server,
      JSON.stringify(job.principal),
      job.resource_types,
      job.direction,
      job.since,
      job.dry_run,
      JSON.stringify(job.checkpoint),
      job.created_at,
    ],
  );
}

export const { find: findJob, lock: lockJob } = rowsByGuid<SyncJob>('sync_job', 'job_guid', COLUMNS);

export function listJobs(db: Queryable, query: PageRequest & { readonly state?: SyncState }): Promise<Page<SyncJob>> {
  const conditions = new Conditions().add(query.state, (state) => `state = ${state}`);
  const statement = { columns: COLUMNS, from: 'sync_job', orderBy: 'created_at DESC, job_guid DESC' };
  return selectPage<SyncJob>(db, statement, conditions, query);
}

/** Claims the job that has waited longest. */
export async function claimJob(database: Database, holder: string, now: Date): Promise<SyncJob | undefined> {
  const { rows } = await database.query<SyncJob>(
    `UPDATE sync_job SET holder = $1, leased_until = statement_timestamp() + interval '${LEASE}' WHERE job_guid = (
       SELECT job_guid FROM sync_job WHERE state = 'running' AND next_at <= $2
         AND (holder = $1 OR leased_until IS NULL OR leased_until < statement_timestamp())
       ORDER BY leased_until NULLS FIRST, job_guid LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${COLUMNS}`,
    [holder, now],
  );
  return rows[0];
}

/** Locks the job until the transaction ends; undefined when it is stopped, held by another node by now, or deleted. */
export async function holdJob(tx: Transaction, guid: string, holder: string): Promise<SyncJob | undefined> {
  const { rows } = await tx.query<SyncJob>(
    `SELECT ${COLUMNS} FROM sync_job WHERE job_guid = $1 AND holder = $2 AND state = 'running' FOR UPDATE`,
    [guid, holder],
  );
  return rows[0];
}

/** Stores the progress of a held job, and renews its lease. It continues at `until`, or at once. */
export async function moveJob(
  tx: Transaction,
  guid: string,
  {
    checkpoint,
    counts,
    at,
    until = at,
  }: { readonly checkpoint: unknown; readonly counts: Counts; readonly at: Date; readonly until?: Date | undefined },
): Promise<void> {
  await tx.query(
    `UPDATE sync_job SET checkpoint = $2, counts = $3, updated_at = $4, failures = 0, fault = NULL, next_at = $5,
       leased_until = statement_timestamp() + interval '${LEASE}' WHERE job_guid = $1`,
    [guid, JSON.stringify(checkpoint), JSON.stringify(counts), at, until],
  );
}

/** Postpones a job after a failed step. Does nothing when another node holds the job by now. */
export async function postponeJob(
  db: Queryable,
  { job_guid: guid }: SyncJob,
  { holder, until, fault }: { readonly holder: string; readonly until: Date; readonly fault: string },
): Promise<void> {
  await db.query(
    `UPDATE sync_job SET next_at = $3, fault = $4, failures = failures + 1, holder = NULL, leased_until = NULL
     WHERE job_guid = $1 AND holder = $2 AND state = 'running'`,
    [guid, holder, until, fault],
  );
}

interface Ending {
  readonly state: SyncState;
  readonly at: Date;
  readonly fault?: string | null;
}

/** Ends the job of the holder. Does nothing when it was stopped meanwhile, even if it was resumed since. */
export async function endHeldJob(
  database: Database,
  { job_guid: guid }: SyncJob,
  { holder, ...ending }: Ending & { readonly holder: string },
): Promise<void> {
  await database.transaction(async (tx) => {
    if ((await holdJob(tx, guid, holder)) !== undefined) await setState(tx, guid, ending);
  });
}

/**
 * Ends, stops or resumes a job.
 * @throws DatabaseError for a unique violation: another job with the server is running
 */
export async function setState(db: Queryable, guid: string, { state, at, fault = null }: Ending): Promise<void> {
  await db.query(
    `UPDATE sync_job SET state = $2, fault = $3, updated_at = $4, next_at = $4, failures = 0, holder = NULL, leased_until = NULL,
       finished_at = CASE WHEN $2 IN ('done', 'failed') THEN $4::timestamptz END WHERE job_guid = $1`,
    [guid, state, fault, at],
  );
}

/** Makes another caller the requester of the job. */
export async function transferJob(tx: Transaction, guid: string, principal: StoredPrincipal): Promise<void> {
  await tx.query('UPDATE sync_job SET principal = $2 WHERE job_guid = $1', [guid, JSON.stringify(principal)]);
}

export async function deleteJob(tx: Transaction, guid: string): Promise<void> {
  await tx.query('DELETE FROM sync_job WHERE job_guid = $1', [guid]);
}

/** Releases the leases of a process that ends, so that other nodes continue at once. */
export async function releaseJobs(db: Queryable, holder: string): Promise<void> {
  await db.query('UPDATE sync_job SET holder = NULL, leased_until = NULL WHERE holder = $1', [holder]);
}

export async function countRunning(db: Queryable): Promise<number> {
  return readCount(db, "SELECT count(*) AS count FROM sync_job WHERE state = 'running'");
}
