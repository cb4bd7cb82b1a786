// SQL statements for the jobs of bulk exports and imports: insert, claim by lease, update the progress, finish and
// delete.
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { readCount } from '#lib/db/rows.ts';
import type { ErrorCode } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { StoredPrincipal } from '../shared/principal-json.ts';

/** The length of a lease. Who works on a step for longer renews it. */
const LEASE = '60 seconds';
/** How often: a few times within a lease, as one may fail. */
export const RENEW_EVERY_MS = 15_000;

export type JobKind = 'export' | 'import' | 'file-import';
export type JobState = 'receiving' | 'running' | 'done' | 'failed' | 'cancelled';

export interface JobRow {
  readonly job_guid: string;
  readonly kind: JobKind;
  readonly state: JobState;
  readonly owner: string;
  readonly principal: StoredPrincipal;
  readonly request: unknown;
  readonly checkpoint: unknown;
  readonly counts: Readonly<Record<string, number>>;
  /** How much there is to do: resources of an export, bytes of an import. */
  readonly done: number;
  readonly total: number;
  readonly fault: string | null;
  /** The code of the error that ended the job. */
  readonly fault_code: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  /** Who cancelled it, as `owner`, and the name of that person then. */
  readonly cancelled_by: string | null;
  readonly cancelled_by_name: string | null;
}

const COLUMNS = `job_guid, kind, state, owner, principal, request, checkpoint, counts, done, total, fault, fault_code, created_at,
  finished_at, cancelled_by, cancelled_by_name`;

export interface NewJob {
  readonly kind: JobKind;
  readonly state: JobState;
  readonly owner: string;
  readonly principal: StoredPrincipal;
  readonly request: unknown;
  readonly total: number;
  readonly at: Date;
  readonly source?: string;
}

/** Returns the guid of the job. */
export async function insertJob(db: Queryable, job: NewJob): Promise<string> {
  const guid = newGuid(job.at.getTime());
  const lease = job.state === 'receiving' ? `statement_timestamp() + interval '${LEASE}'` : 'NULL';
  await db.query(
    `INSERT INTO bulk_job (job_guid, kind, state, owner, principal, request, total, created_at, next_at, source, leased_until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, ${lease})`,
    [
      guid,
      job.kind,
      job.state,
      job.owner,
      JSON.stringify(job.principal),
      JSON.stringify(job.request),
      job.total,
      job.at,
      job.source ?? null,
    ],
  );
  return guid;
}

export async function findJob(db: Queryable, guid: string, kind: JobKind): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(`SELECT ${COLUMNS} FROM bulk_job WHERE job_guid = $1 AND kind = $2`, [
    guid,
    kind,
  ]);
  return rows[0];
}

/** Those of one owner, or of all without one: the newest first, without imports by command. */
export async function listJobs(
  db: Queryable,
  { owner, limit, offset }: { readonly owner: string | undefined; readonly limit: number; readonly offset: number },
): Promise<{ readonly jobs: readonly JobRow[]; readonly total: number }> {
  const values = [owner ?? null];
  const among = `FROM bulk_job WHERE kind <> 'file-import' AND ($1::text IS NULL OR owner = $1)`;
  const total = await readCount(db, `SELECT count(*) AS count ${among}`, values);
  const { rows } = await db.query<JobRow>(
    `SELECT ${COLUMNS} ${among} ORDER BY created_at DESC, job_guid DESC LIMIT $2 OFFSET $3`,
    [...values, limit, offset],
  );
  return { jobs: rows, total };
}

export async function findJobOfSource(db: Queryable, source: string): Promise<JobRow | undefined> {
  const { rows } = await db.query<JobRow>(`SELECT ${COLUMNS} FROM bulk_job WHERE source = $1`, [source]);
  return rows[0];
}

/**
 * Counts the unfinished jobs of an owner, without uploads that were abandoned. It locks the count: other transactions
 * that count for the same owner wait.
 */
export async function countUnfinished(tx: Transaction, owner: string): Promise<number> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('bulk_job ' || $1, 0))", [owner]);
  return readCount(
    tx,
    `SELECT count(*) AS count FROM bulk_job WHERE owner = $1
       AND (state = 'running' OR state = 'receiving' AND leased_until > statement_timestamp())`,
    [owner],
  );
}

interface Claim {
  readonly kind: JobKind;
  readonly holder: string;
  readonly now: Date;
  /** Claims this job only. */
  readonly only?: string | null;
}

/** Claims the job that has waited longest. */
export async function claimJob(
  database: Database,
  { kind, holder, now, only = null }: Claim,
): Promise<JobRow | undefined> {
  const { rows } = await database.query<JobRow>(
    `UPDATE bulk_job SET holder = $1, leased_until = statement_timestamp() + interval '${LEASE}' WHERE job_guid = (
       SELECT job_guid FROM bulk_job WHERE state = 'running' AND next_at <= $2 AND kind = $3 AND ($4::uuid IS NULL OR job_guid = $4)
         AND (holder = $1 OR leased_until IS NULL OR leased_until < statement_timestamp())
       ORDER BY leased_until NULLS FIRST, job_guid LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${COLUMNS}`,
    [holder, now, kind, only],
  );
  return rows[0];
}

/** Claims the job of an import by command, unless another command holds it. */
export async function takeJob(db: Queryable, guid: string, holder: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE bulk_job SET holder = $2, leased_until = statement_timestamp() + interval '${LEASE}'
     WHERE job_guid = $1 AND (leased_until IS NULL OR leased_until < statement_timestamp())`,
    [guid, holder],
  );
  return rowCount === 1;
}

/** Locks the job until the transaction ends; undefined when another node holds it by now, or it is deleted. */
export async function holdJob(tx: Transaction, guid: string, holder: string): Promise<JobRow | undefined> {
  const { rows } = await tx.query<JobRow>(
    `SELECT ${COLUMNS} FROM bulk_job WHERE job_guid = $1 AND holder = $2 AND state = 'running' FOR UPDATE`,
    [guid, holder],
  );
  return rows[0];
}

export interface JobStep {
  readonly checkpoint: unknown;
  readonly counts: Readonly<Record<string, number>>;
  readonly done: number;
}

/** Stores the progress of a held job, and renews its lease. */
export async function moveJob(tx: Queryable, guid: string, { checkpoint, counts, done }: JobStep): Promise<void> {
  await tx.query(
    `UPDATE bulk_job SET checkpoint = $2, counts = $3, done = $4, leased_until = statement_timestamp() + interval '${LEASE}'
     WHERE job_guid = $1`,
    [guid, JSON.stringify(checkpoint), JSON.stringify(counts), done],
  );
}

/** Renews the lease of a job that the node still holds. */
export async function renewLease(db: Queryable, guid: string, holder: string): Promise<void> {
  await db.query(
    `UPDATE bulk_job SET leased_until = statement_timestamp() + interval '${LEASE}'
     WHERE job_guid = $1 AND holder = $2 AND state = 'running'`,
    [guid, holder],
  );
}

export async function postponeJob(db: Queryable, guid: string, until: Date): Promise<void> {
  await db.query('UPDATE bulk_job SET next_at = $2, holder = NULL, leased_until = NULL WHERE job_guid = $1', [
    guid,
    until,
  ]);
}

export async function finishJob(
  db: Queryable,
  guid: string,
  { at, fault }: { readonly at: Date; readonly fault?: { readonly code: ErrorCode; readonly message: string } },
): Promise<void> {
  await db.query(
    `UPDATE bulk_job SET state = CASE WHEN $3::text IS NULL THEN 'done' ELSE 'failed' END, fault = $3, fault_code = $4, finished_at = $2,
       holder = NULL, leased_until = NULL WHERE job_guid = $1 AND state = 'running'`,
    [guid, at, fault?.message ?? null, fault?.code ?? null],
  );
}

/**
 * Cancels a running job and deletes its files. Waits until its current step ends. Returns false when it no longer runs.
 */
export async function cancelJob(
  tx: Transaction,
  guid: string,
  { at, by, name }: { readonly at: Date; readonly by: string; readonly name: string | undefined },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE bulk_job SET state = 'cancelled', finished_at = $2, cancelled_by = $3, cancelled_by_name = $4, holder = NULL, leased_until = NULL
     WHERE job_guid = $1 AND state = 'running'`,
    [guid, at, by, name ?? null],
  );
  if (rowCount === 0) return false;
  await tx.query('DELETE FROM bulk_file WHERE job_guid = $1', [guid]);
  return true;
}

/** Deletes a job. Waits until its current step ends. Returns whether the job existed. */
export async function deleteJob(db: Queryable, guid: string): Promise<boolean> {
  return (await db.query('DELETE FROM bulk_job WHERE job_guid = $1', [guid])).rowCount === 1;
}

/** Deletes jobs that finished before the time, and uploads that began before it and never ended. */
export async function sweepJobs(db: Queryable, before: Date): Promise<void> {
  await db.query(
    `DELETE FROM bulk_job WHERE finished_at < $1 AND kind <> 'file-import' OR state = 'receiving' AND created_at < $1`,
    [before],
  );
}

/** Releases the leases of a process that ends, so that other nodes continue at once. */
export async function releaseJobs(db: Queryable, holder: string): Promise<void> {
  await db.query('UPDATE bulk_job SET holder = NULL, leased_until = NULL WHERE holder = $1', [holder]);
}

/** Marks an upload as active, because more of its input has arrived. */
export async function touchUpload(db: Queryable, guid: string): Promise<void> {
  await db.query(
    `UPDATE bulk_job SET leased_until = statement_timestamp() + interval '${LEASE}' WHERE job_guid = $1 AND state = 'receiving'`,
    [guid],
  );
}

/** Marks the upload as complete, so that the import can begin. */
export async function completeUpload(db: Queryable, guid: string, total: number, at: Date): Promise<void> {
  await db.query(
    "UPDATE bulk_job SET state = 'running', total = $2, next_at = $3, leased_until = NULL WHERE job_guid = $1 AND state = 'receiving'",
    [guid, total, at],
  );
}
