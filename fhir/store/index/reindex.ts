// Rebuilds the whole search index, for `kedja reindex` (docs/operations/reindex.md). Each batch commits its progress,
// so that a later run continues there; several runs at once share the work by leases.
import { setTimeout as delay } from 'node:timers/promises';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { Throttle } from '#lib/jobs/throttle.ts';
import { typeNames } from '../read/stored-version.ts';
import { createParameterOverlay, type ParameterOverlay } from './parameter-overlay.ts';
import { type IndexThreads, indexReader, reindexBatch } from './reindex-batch.ts';

/** Longer than a batch takes. */
const LEASE = '30 seconds';
const BATCH = 200;
/** A run without work left checks in this interval whether the other runs are done, or have ended before. */
const WAIT_MS = 500;

export interface ReindexOptions {
  /** The types to reindex; all when left out. */
  readonly types?: readonly string[];
  /** Starts from the beginning, even if an earlier run was not finished. */
  readonly restart?: boolean;
  /** Ends the run after the running batch. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ReindexProgress) => void;
  readonly batchSize?: number;
  /** Limits the speed; there is no limit when left out. */
  readonly throttle?: Throttle;
  readonly workerThreads?: IndexThreads;
}

export interface ReindexProgress {
  /** Resources done in the whole run, those of other nodes and earlier calls included. */
  readonly done: number;
  readonly total: number;
  /** Resources done by this call. */
  readonly own: number;
}

export interface ReindexReport extends ReindexProgress {
  readonly isStopped: boolean;
}

interface Part {
  readonly type: string;
  readonly after: string | null;
  readonly until: string;
}

/**
 * Replaces the index rows of every current resource, with those of compartments and of user-defined parameters. An
 * unfinished run continues; after a finished one a new run starts. Resolves when the run is finished, by this node or
 * others, or when the signal has ended it.
 */
export async function reindex(
  database: Database,
  parameters: SearchParameters,
  options: ReindexOptions = {},
): Promise<ReindexReport> {
  const { signal, onProgress, batchSize = BATCH, throttle, workerThreads } = options;
  const holder = newGuid();
  const overlay = createParameterOverlay(parameters);
  const types = await begin(database, parameters, options);
  let own = 0;
  const progress = async () => ({ ...(await readProgress(database, types)), own });
  while (signal?.aborted !== true) {
    const part = await claim(database, types, holder);
    if (part === undefined && (await isFinished(database, types))) break;
    if (part === undefined) await delay(WAIT_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
    else {
      const work = async () => {
        own += await workOn(database, part, { overlay, holder, batchSize, workerThreads });
        return true;
      };
      if (throttle === undefined) await work();
      else await throttle.run(work, signal ?? new AbortController().signal);
    }
    onProgress?.(await progress());
  }
  await release(database, holder);
  return { ...(await progress()), isStopped: !(await isFinished(database, types)) };
}

/** Starts a run, unless one is unfinished, and returns the types that have resources. */
async function begin(
  database: Database,
  parameters: SearchParameters,
  { types: wanted = [...parameters.resourceTypes], restart = false }: ReindexOptions,
): Promise<readonly string[]> {
  const names = typeNames(wanted);
  return database.transaction(async (tx) => {
    await tx.query('LOCK TABLE fhir_reindex IN SHARE ROW EXCLUSIVE MODE');
    const { rows } = await tx.query<{ type: number; total: number; until: string }>(
      `SELECT type, total, (SELECT rid FROM fhir_resource r WHERE r.type = t.type ORDER BY rid DESC LIMIT 1) AS until
       FROM (SELECT type, count(*) AS total FROM fhir_resource WHERE type = ANY($1::int[]) GROUP BY type) t`,
      [[...names.keys()]],
    );
    const types = rows.map(({ type }) => names.get(type) ?? '');
    if (restart || (await isFinished(tx, types))) {
      await tx.query('DELETE FROM fhir_reindex WHERE type = ANY($1::text[])', [types]);
    }
    await tx.query(
      `INSERT INTO fhir_reindex (type, total, until) SELECT * FROM unnest($1::text[], $2::bigint[], $3::uuid[])
       ON CONFLICT (type) DO NOTHING`,
      [types, rows.map(({ total }) => total), rows.map(({ until }) => until)],
    );
    return types;
  });
}

async function isFinished(db: Queryable, types: readonly string[]): Promise<boolean> {
  const { rowCount } = await db.query(
    'SELECT FROM unnest($1::text[]) AS wanted(type) LEFT JOIN fhir_reindex USING (type) WHERE finished_at IS NULL LIMIT 1',
    [types],
  );
  return rowCount === 0;
}

/** Claims the next type without a holder. */
async function claim(database: Database, types: readonly string[], holder: string): Promise<Part | undefined> {
  const { rows } = await database.query<Part>(
    `UPDATE fhir_reindex SET holder = $2, leased_until = statement_timestamp() + interval '${LEASE}' WHERE type = (
       SELECT type FROM fhir_reindex WHERE type = ANY($1::text[]) AND finished_at IS NULL
         AND (holder = $2 OR leased_until IS NULL OR leased_until < statement_timestamp())
       ORDER BY type LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING type, after, until`,
    [types, holder],
  );
  return rows[0];
}

interface Work {
  readonly overlay: ParameterOverlay;
  readonly holder: string;
  readonly batchSize: number;
  readonly workerThreads: IndexThreads;
}

/** Does one batch and returns the number of its resources; 0 when another run has taken the lease and the work. */
async function workOn(database: Database, { type, after, until }: Part, work: Work): Promise<number> {
  return database.transaction(async (tx) => {
    await work.overlay.hold(tx);
    if (!(await isHeld(tx, type, work.holder))) return 0;
    const { resources, last } = await reindexBatch(tx, {
      resourceType: type,
      after,
      until,
      size: work.batchSize,
      reader: indexReader(work.overlay, work.workerThreads),
    });
    await tx.query(
      `UPDATE fhir_reindex SET after = coalesce($2, after), done = done + $3, leased_until = statement_timestamp() + interval '${LEASE}',
         finished_at = ${resources === 0 ? 'statement_timestamp()' : 'NULL'} WHERE type = $1`,
      [type, last, resources],
    );
    return resources;
  });
}

/** Locks the part until the transaction ends, and returns whether this run still holds it. */
async function isHeld(tx: Transaction, type: string, holder: string): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM fhir_reindex WHERE type = $1 AND holder = $2 FOR UPDATE', [
    type,
    holder,
  ]);
  return rowCount === 1;
}

async function release(database: Database, holder: string): Promise<void> {
  await database.query('UPDATE fhir_reindex SET holder = NULL, leased_until = NULL WHERE holder = $1', [holder]);
}

async function readProgress(database: Database, types: readonly string[]): Promise<{ done: number; total: number }> {
  const { rows } = await database.query<{ done: number; total: number }>(
    `SELECT coalesce(sum(done), 0)::bigint AS done, coalesce(sum(greatest(done, total)), 0)::bigint AS total
     FROM fhir_reindex WHERE type = ANY($1::text[])`,
    [types],
  );
  return rows[0] ?? { done: 0, total: 0 };
}
