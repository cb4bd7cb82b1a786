// Upgrades the search index in the background, after an upgrade of Kedja or a change of KEDJA_SORT_LANGUAGE. It brings
// the index to the form of this release and the order of the configured language (docs/adr/0053,
// docs/operations/reindex.md).

import { nameKey } from '#fhir/search/extract/keys.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { createThrottle } from '#lib/jobs/throttle.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { extractionMark } from './extraction-mark.ts';
import { createParameterOverlay, type ParameterOverlay } from './parameter-overlay.ts';
import { reindex } from './reindex.ts';
import { type IndexThreads, indexReader, reindexResources } from './reindex-batch.ts';

/** Increases when index rows get another form. Migration 0160 marked the installations of form 1. */
const FORM = 2;
const INTERVAL_MS = 60_000;
const BATCH = 200;
/**
 * For so long after an upgrade, resources that nodes of the older release write are indexed again: nodes may be
 * replaced one by one.
 */
const LATE = '24 hours';
/** A margin, since clocks differ and transactions take their time. */
const MARGIN = '10 minutes';

interface FormRow {
  readonly form: string;
  /** What older nodes have written since this time is indexed again; null when that period is over. */
  readonly late_since: string | null;
  readonly looked_at: string;
}

interface Site {
  readonly database: Database;
  /** The official parameters, with the service's own base and language. */
  readonly parameters: SearchParameters;
  readonly log: Logger;
  /** Threads for long resources. */
  readonly workerThreads?: IndexThreads;
}

/** A loop that upgrades the index once, and then indexes again what older nodes still write. */
export function createIndexUpgrade(site: Site): WorkerLoop {
  const { database, parameters, log, workerThreads } = site;
  const wanted = `${FORM} ${parameters.sortLanguage}`;
  const overlay = createParameterOverlay(parameters);
  let isSettled = false;
  /** Everything that was written before this time is done. */
  let seenUntil: string | undefined;
  return createWorkerLoop({
    name: 'index-upgrade',
    intervalMs: INTERVAL_MS,
    log,
    step: async (signal) => {
      if (isSettled) return false;
      const row = await readForm(database);
      if (Number.parseInt(row.form, 10) > FORM) isSettled = true;
      else if (row.form === '') await settle(database, wanted);
      else if (row.form !== wanted) await upgrade(site, { row, wanted, signal });
      else if (row.late_since === null) isSettled = true;
      else {
        const isMore = await doLate(database, { overlay, workerThreads }, seenUntil ?? row.late_since);
        if (!isMore) seenUntil = row.looked_at;
        return isMore;
      }
      return !isSettled && !signal.aborted;
    },
  });
}

async function readForm(db: Queryable): Promise<FormRow> {
  const { rows } = await db.query<FormRow>(
    `SELECT form, CASE WHEN finished_at > clock_timestamp() - interval '${LATE}' THEN (began_at - interval '${MARGIN}')::text END AS late_since,
       (clock_timestamp() - interval '${MARGIN}')::text AS looked_at
     FROM fhir_index_form`,
  );
  return rows[0] ?? { form: '', late_since: null, looked_at: '' };
}

/** Marks an index that was empty: it has the present form. */
async function settle(db: Queryable, wanted: string): Promise<void> {
  await db.query(`UPDATE fhir_index_form SET form = $1 WHERE form = ''`, [wanted]);
}

/** Computes all rows again, together with the other nodes; continues a run that was ended. */
async function upgrade(
  { database, parameters, log, workerThreads }: Site,
  { row, wanted, signal }: { readonly row: FormRow; readonly wanted: string; readonly signal: AbortSignal },
): Promise<void> {
  await begin(database, wanted);
  log.info({ event: 'index-upgrade.started', from: row.form, to: wanted });
  const { done, isStopped } = await reindex(database, parameters, {
    signal,
    throttle: createThrottle(),
    workerThreads,
  });
  if (isStopped) return;
  const { rowCount } = await database.query(
    `UPDATE fhir_index_form SET form = $1, coming = NULL, finished_at = statement_timestamp() WHERE coming = $1`,
    [wanted],
  );
  if (rowCount === 1) log.info({ event: 'index-upgrade.finished', to: wanted, resources: done });
}

/** Starts a run: what an earlier run to another form has done counts no more. The first node does so for all. */
async function begin(database: Database, wanted: string): Promise<void> {
  await database.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      'UPDATE fhir_index_form SET coming = $1, began_at = statement_timestamp(), finished_at = NULL WHERE coming IS DISTINCT FROM $1 AND form <> $1',
      [wanted],
    );
    if (rowCount === 1) await tx.query('DELETE FROM fhir_reindex');
  });
}

/** Indexes some of the resources that other code has written lately. Returns whether there may be more. */
async function doLate(
  database: Database,
  { overlay, workerThreads }: { readonly overlay: ParameterOverlay; readonly workerThreads: IndexThreads },
  since: string,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    await overlay.hold(tx);
    const { parameters } = overlay;
    const names = new Map([...parameters.resourceTypes].map((name) => [nameKey(name), name]));
    const { rows } = await tx.query<{ type: number; rid: string }>(
      `SELECT type, rid FROM fhir_resource WHERE type = ANY($1::int[]) AND updated_at >= $2::timestamptz
         AND extraction IS DISTINCT FROM $3 AND NOT deleted LIMIT ${BATCH}`,
      [[...names.keys()], since, extractionMark(parameters)],
    );
    const reader = indexReader(overlay, workerThreads);
    for (const [type, late] of Map.groupBy(rows, (row) => row.type)) {
      await reindexResources(tx, { resourceType: names.get(type) ?? '', rids: late.map(({ rid }) => rid), reader });
    }
    return rows.length > 0;
  });
}
