// Makes the changes of indexes that migrations left to the nodes (docs/adr/0128): once after a start, in the background.
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { makeIndexChanges } from '#lib/db/schema/index-change.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { databaseLog } from './database.ts';

const INTERVAL_MS = 10_000;
/** A failed attempt starts anew, and an index may take minutes. */
const MAX_BACKOFF_MS = 300_000;

export function createIndexChangeLoop(
  site: DatabaseAddress & { readonly schema: string; readonly log: Logger },
): WorkerLoop {
  const { schema, log } = site;
  let isSettled = false;
  return createWorkerLoop({
    name: `index-change-${schema}`,
    intervalMs: INTERVAL_MS,
    maxBackoffMs: MAX_BACKOFF_MS,
    log,
    step: async (signal) => {
      if (!isSettled) isSettled = (await makeIndexChanges({ ...site, signal, log: databaseLog(log) })) !== 'busy';
      return false;
    },
  });
}
