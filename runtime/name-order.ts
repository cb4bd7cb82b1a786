// Applies KEDJA_SORT_LANGUAGE to a service's schema (docs/adr/0063): once after a start, in the background.
import { changeNameOrder } from '#lib/db/name-order-change.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { databaseLog } from './database.ts';

const INTERVAL_MS = 10_000;

export function createNameOrderLoop(site: {
  readonly url: string;
  readonly schema: string;
  readonly language: string;
  readonly log: Logger;
}): WorkerLoop {
  const { url, schema, language, log } = site;
  let isSettled = false;
  return createWorkerLoop({
    name: `name-order-${schema}`,
    intervalMs: INTERVAL_MS,
    log,
    step: async (signal) => {
      if (!isSettled) {
        isSettled = (await changeNameOrder({ url, schema, language, signal, log: databaseLog(log) })) !== 'busy';
      }
      return false;
    },
  });
}
