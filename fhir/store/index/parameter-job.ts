// Background job for user-defined search parameters: it indexes a new or changed parameter, and removes the rows of a
// deleted one. It also indexes again what a node wrote before it knew the definition (docs/adr/0004). A step is one
// transaction; several nodes share the work.

import { nameKey } from '#fhir/search/extract/keys.ts';
import { type CustomParameter, keysOf } from '#fhir/search/parameters/custom-parameter.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { notify } from '#lib/db/listener.ts';
import { columnsOf } from '#lib/db/rows.ts';
import { typeNames } from '../read/stored-version.ts';
import { INDEX_TABLES } from './index-tables.ts';
import { type ParameterOverlay, parameterChannel } from './parameter-overlay.ts';
import { type IndexReader, type IndexThreads, indexReader, reindexBatch, reindexResources } from './reindex-batch.ts';

/** Longer than a batch takes. */
const LEASE = '30 seconds';
const BATCH = 200;
const REMOVED_AT_ONCE = 2000;

interface JobRow {
  readonly type: string;
  readonly code: string;
  readonly definition: CustomParameter;
  readonly state: 'indexing' | 'removing';
  readonly after: string | null;
  readonly until: string | null;
}

/**
 * Does one step, and returns whether there may be more. `holder` names the node; `workerThreads` reads long resources.
 */
export async function parameterStep(
  database: Database,
  overlay: ParameterOverlay,
  holder: string,
  workerThreads?: IndexThreads,
): Promise<boolean> {
  if (!(await hasWork(database))) return false;
  const late = await indexLate(database, overlay, workerThreads);
  await raiseFences(database);
  const row = await claim(database, holder);
  if (row === undefined) return late;
  const isFinished = await database.transaction(async (tx) => {
    await overlay.hold(tx);
    if (!(await isHeld(tx, row, holder))) return false;
    if (row.state === 'removing') return removeSome(tx, row);
    return indexSome(tx, row, indexReader(overlay, workerThreads, row.definition));
  });
  if (isFinished) await finish(database, row, holder);
  return true;
}

async function hasWork(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'fhir_parameter_work',
    text: `SELECT WHERE EXISTS (SELECT FROM fhir_late_index)
      OR EXISTS (SELECT FROM fhir_search_parameter WHERE state <> 'searchable' AND starts_at <= clock_timestamp())`,
  });
  return rowCount === 1;
}

/** Indexes some of the resources that a node wrote before it knew the latest definitions. */
async function indexLate(database: Database, overlay: ParameterOverlay, workerThreads: IndexThreads): Promise<boolean> {
  return database.transaction(async (tx) => {
    await overlay.hold(tx);
    const { rows } = await tx.query<{ type: number; rid: string }>(
      `DELETE FROM fhir_late_index l
       USING (SELECT tableoid, ctid FROM fhir_late_index LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) AS chosen
       WHERE l.ctid = chosen.ctid AND l.tableoid = chosen.tableoid RETURNING l.type, l.rid`,
    );
    const { parameters } = overlay;
    const names = typeNames([...parameters.resourceTypes]);
    for (const [type, late] of Map.groupBy(rows, (row) => row.type)) {
      const rids = [...new Set(late.map(({ rid }) => rid))];
      await reindexResources(tx, {
        resourceType: names.get(type) ?? '',
        rids,
        reader: indexReader(overlay, workerThreads),
      });
    }
    return rows.length > 0;
  });
}

/**
 * Sets the fence of each new definition to a time at which it was committed, so every later transaction sees it. The
 * time is read after the definitions: within one UPDATE it would have to be a volatile function.
 */
async function raiseFences(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ type: string; code: string; starts_at: string; now: string }>(
    `SELECT type, code, starts_at::text, clock_timestamp()::text AS now FROM fhir_search_parameter
     WHERE state <> 'searchable' AND fence IS NULL AND starts_at <= clock_timestamp()`,
  );
  if (rows.length === 0) return;
  // A definition that has changed since then begins later.
  await db.query(
    `UPDATE fhir_search_parameter p SET fence = due.now
     FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::timestamptz[]) AS due(type, code, starts_at, now)
     WHERE (p.type, p.code, p.starts_at) = (due.type, due.code, due.starts_at) AND p.state <> 'searchable' AND p.fence IS NULL`,
    columnsOf(rows, 'type', 'code', 'starts_at', 'now'),
  );
}

/** Claims the next parameter without a holder, once every transaction from before its fence has ended. */
async function claim(database: Database, holder: string): Promise<JobRow | undefined> {
  const { rows } = await database.query<JobRow>(
    `UPDATE fhir_search_parameter SET holder = $1, leased_until = statement_timestamp() + interval '${LEASE}'
     WHERE (type, code) = (
       SELECT type, code FROM fhir_search_parameter
       WHERE state <> 'searchable' AND (holder = $1 OR leased_until IS NULL OR leased_until < statement_timestamp())
         AND (until IS NOT NULL OR fence <= (SELECT coalesce(min(xact_start), 'infinity') FROM pg_stat_activity
           WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()))
       ORDER BY state DESC, starts_at, type, code LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING type, code, definition, state, after, until`,
    [holder],
  );
  return rows[0];
}

/** Locks the row until the transaction ends, and returns whether it is still as it was claimed. */
async function isHeld(tx: Transaction, { type, code, state, after }: JobRow, holder: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT FROM fhir_search_parameter
     WHERE type = $1 AND code = $2 AND holder = $3 AND state = $4 AND after IS NOT DISTINCT FROM $5 FOR UPDATE`,
    [type, code, holder, state, after],
  );
  return rowCount === 1;
}

/** Whether nothing was left to do. */
async function indexSome(tx: Transaction, row: JobRow, reader: IndexReader): Promise<boolean> {
  const { type, code, after } = row;
  const until = row.until ?? (await measure(tx, row));
  const { resources, last } =
    until === null
      ? { resources: 0, last: null }
      : await reindexBatch(tx, {
          resourceType: type,
          after,
          until,
          size: BATCH,
          keys: keysOf(type, code),
          reader,
        });
  if (resources === 0) return true;
  await tx.query(
    `UPDATE fhir_search_parameter SET after = $3, done = done + $4, leased_until = statement_timestamp() + interval '${LEASE}'
       WHERE type = $1 AND code = $2`,
    [type, code, last, resources],
  );
  return false;
}

/** Counts the resources to index, and returns the last key; null when the type has no resource. */
async function measure(tx: Transaction, { type, code }: JobRow): Promise<string | null> {
  const { rows } = await tx.query<{ until: string | null }>(
    `UPDATE fhir_search_parameter SET total = (SELECT count(*) FROM fhir_resource WHERE type = $3),
       until = (SELECT rid FROM fhir_resource WHERE type = $3 ORDER BY rid DESC LIMIT 1)
     WHERE type = $1 AND code = $2 RETURNING until`,
    [type, code, nameKey(type)],
  );
  return rows[0]?.until ?? null;
}

/** Whether nothing was left to do. */
async function removeSome(tx: Transaction, { type, code }: JobRow): Promise<boolean> {
  for (const { table } of INDEX_TABLES) {
    const { rowCount } = await tx.query(
      // The place of a row is unique within a partition only.
      `DELETE FROM ${table} t
       USING (SELECT tableoid, ctid FROM ${table} WHERE param = ANY($1::int[]) LIMIT ${REMOVED_AT_ONCE}) AS chosen
       WHERE t.ctid = chosen.ctid AND t.tableoid = chosen.tableoid`,
      [keysOf(type, code)],
    );
    if (rowCount > 0) return false;
  }
  return true;
}

/**
 * Makes the parameter searchable, or forgets a deleted one. What a write puts into the index stays the same, so only
 * the version increases.
 */
async function finish(database: Database, row: JobRow, holder: string): Promise<void> {
  const { type, code, state } = row;
  await database.transaction(async (tx) => {
    // The version is locked before the row, in the same order as by a change of a definition.
    await tx.query('UPDATE fhir_search_version SET version = version + 1');
    if (!(await isHeld(tx, row, holder))) return;
    const statement =
      state === 'removing'
        ? 'DELETE FROM fhir_search_parameter WHERE type = $1 AND code = $2'
        : `UPDATE fhir_search_parameter SET state = 'searchable', holder = NULL, leased_until = NULL WHERE type = $1 AND code = $2`;
    await tx.query(statement, [type, code]);
    await notify(tx, parameterChannel(database));
  });
}
