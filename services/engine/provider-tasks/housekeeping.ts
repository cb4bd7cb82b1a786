// Deletes ids of received webhooks after the time in which dispatch may send one again.
import { type Clock, DAY_MS, HOUR_MS } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createPeriodicLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { deleteMessages } from './inbox/inbox-store.ts';

const KEPT_MS = 90 * DAY_MS;

export function createHousekeeping(deps: { database: Database; clock: Clock; log: Logger }): WorkerLoop {
  const { database, clock, log } = deps;
  const run = () => deleteMessages(database, new Date(clock.now() - KEPT_MS));
  return createPeriodicLoop({ name: 'inbox-housekeeping', intervalMs: HOUR_MS, log, run });
}
