// Full text index (docs/adr/0016): takes written resources from the queue, a batch at a time, and indexes their current
// texts. Any number of nodes may do so at once; an older version never replaces a newer one.

import { type ResourceWords, resourceWords } from '#fhir/search/extract/words.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';
import { ServiceError } from '#lib/errors.ts';
import { createSlices } from '#lib/jobs/slices.ts';
import { createThrottledLoop } from '#lib/jobs/throttled-loop.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { LANGUAGES } from '../search/sql/words-sql.ts';
import { isLong, type StoreThreads } from '../threads.ts';

/** Resources, or rows of the queue, that are read at once. */
export const TEXT_BATCH = 200;
const INTERVAL_MS = 2000;
/** A search for words waits so long for the index of what was written before it. */
const MAX_WAIT_MS = 10_000;

interface QueuedRow {
  readonly id: string;
  readonly type: number;
  readonly rid: string;
  readonly version: number | null;
  readonly deleted: boolean | null;
  readonly content: string | null;
}

const NEXT = {
  name: 'fhir_text_next',
  text: `SELECT q.id::text, g.type, g.rid, r.version, r.deleted, r.content
    FROM (SELECT n.*, sum(cardinality(rids)) OVER (ORDER BY id) - cardinality(rids) AS before
      FROM (SELECT id, types, rids FROM fhir_text_queue WHERE id <= $1::bigint ORDER BY id LIMIT ${TEXT_BATCH}) n) q
    LEFT JOIN LATERAL unnest(q.types, q.rids) AS g(type, rid) ON true
    LEFT JOIN fhir_resource r ON r.type = g.type AND r.rid = g.rid
    WHERE q.before < ${TEXT_BATCH}`,
};

const vector = (column: string) => LANGUAGES.map((language) => `to_tsvector('${language}', ${column})`).join(' || ');

/** Indexes and removes from the queue in one statement: at any moment a resource is in the queue or in the index. */
const KEEP = {
  name: 'fhir_text_keep',
  text: `WITH done AS (DELETE FROM fhir_text_queue WHERE id = ANY($1::bigint[]))
    INSERT INTO fhir_text (type, rid, version, narrative, content)
    SELECT type, rid, version, ${vector('narrative')}, ${vector('content')}
    FROM unnest($2::int[], $3::uuid[], $4::int[], $5::text[], $6::text[]) AS t(type, rid, version, narrative, content)
    ORDER BY type, rid
    ON CONFLICT (type, rid) DO UPDATE SET version = excluded.version, narrative = excluded.narrative, content = excluded.content
    WHERE fhir_text.version <= excluded.version`,
};

const LAST = { name: 'fhir_text_last', text: 'SELECT max(id)::text AS last FROM fhir_text_queue' };

/**
 * Indexes what is committed so far, so that a search finds it.
 * @throws ServiceError `unavailable` when that takes too long, as after an import
 */
export async function catchUpText(db: Queryable, workerThreads?: StoreThreads): Promise<void> {
  const { rows } = await db.query<{ last: string | null }>(LAST, []);
  const last = rows[0]?.last;
  if (last === null || last === undefined) return;
  const until = performance.now() + MAX_WAIT_MS;
  while (await indexBatch(db, last, workerThreads)) {
    if (performance.now() <= until) continue;
    const message = 'The words of what was stored lately are still being indexed; try again in a while';
    throw new ServiceError('unavailable', message, { retryAfterSeconds: 30 });
  }
}

/** Indexes in the background what was written. */
export function createTextIndexer({
  database,
  log,
  workerThreads,
}: {
  readonly database: Database;
  readonly log: Logger;
  /** Threads for long resources; without them all are read on the event loop. */
  readonly workerThreads?: StoreThreads | undefined;
}): WorkerLoop {
  const all = '9223372036854775807';
  // The words cost the database as much as the write itself, so they wait while the machine is busy with writes.
  const step = () => indexBatch(database, all, workerThreads);
  return createThrottledLoop({ name: 'text-indexer', intervalMs: INTERVAL_MS, log, step });
}

/** Indexes a batch. Returns whether the queue has more, up to the given place. */
async function indexBatch(db: Queryable, last: string, workerThreads: StoreThreads | undefined): Promise<boolean> {
  const { rows } = await db.query<QueuedRow>(NEXT, [last]);
  if (rows.length === 0) return false;
  const found = new Map(rows.map((row) => [`${row.type} ${row.rid}`, row]));
  const resources: (ResourceWords & { readonly type: number; readonly rid: string; readonly version: number })[] = [];
  const slices = createSlices();
  for (const { type, rid, version, deleted, content } of found.values()) {
    if (version === null || content === null) continue;
    // A deleted resource keeps a row without words, so that no older version is indexed later.
    const words = deleted === true ? { narrative: '', content: '' } : await wordsOf(content, workerThreads);
    resources.push({ type, rid, version, ...words });
    await slices.rest();
  }
  await db.query(KEEP, [
    [...new Set(rows.map(({ id }) => id))],
    ...columnsOf(resources, 'type', 'rid', 'version', 'narrative', 'content'),
  ]);
  return rows.length >= TEXT_BATCH;
}

async function wordsOf(content: string, workerThreads: StoreThreads | undefined): Promise<ResourceWords> {
  return workerThreads !== undefined && isLong({ text: content })
    ? workerThreads.words(content)
    : resourceWords(JSON.parse(content));
}
