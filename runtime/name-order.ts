// Applies KEDJA_SORT_LANGUAGE to a service's schema (docs/adr/0063): once after a start, in the background.
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { changeNameOrder } from '#lib/db/schema/name-order-change.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { databaseLog } from './database.ts';

const INTERVAL_MS = 10_000;

export function createNameOrderLoop(
  site: DatabaseAddress & { readonly schema: string; readonly language: string; readonly log: Logger },
): WorkerLoop {
  const { schema, log } = site;
  let isSettled = false;
  return createWorkerLoop({
    name: `name-order-${schema}`,
    intervalMs: INTERVAL_MS,
    log,
    step: async (signal) => {
      if (!isSettled) {
        isSettled = (await changeNameOrder({ ...site, signal, log: databaseLog(log) })) !== 'busy';
      }
      return false;
    },
  });
}
