// Changes of a service's schema that a node makes after its start, in the background. These are the order of names by
// KEDJA_SORT_LANGUAGE (docs/adr/0063), and the indexes that migrations left to the nodes (docs/adr/0128).
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Queryable } from '#lib/db/database.ts';
import { makeIndexChanges } from '#lib/db/schema/index-change.ts';
import { changeNameOrder } from '#lib/db/schema/name-order-change.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { databaseLog } from './database.ts';

const INTERVAL_MS = 10_000;
/** A failed attempt starts again, and an index may take minutes. */
const MAX_BACKOFF_MS = 300_000;

export function createSchemaChangeLoop(
  site: DatabaseAddress & {
    readonly schema: string;
    readonly language: string;
    readonly log: Logger;
    readonly look?: Queryable | undefined;
  },
): WorkerLoop {
  const { schema, log } = site;
  // Each until it is made, by this node or another.
  const left = new Set([changeNameOrder, makeIndexChanges]);
  return createWorkerLoop({
    name: `schema-changes-${schema}`,
    intervalMs: INTERVAL_MS,
    maxBackoffMs: MAX_BACKOFF_MS,
    log,
    step: async (signal) => {
      for (const change of [...left]) {
        if ((await change({ ...site, signal, log: databaseLog(log) })) !== 'busy') left.delete(change);
      }
      return false;
    },
  });
}
