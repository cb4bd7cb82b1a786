// Changes of a service's schema that a node makes after its start, in the background. These are the order of names by
// KEDJA_SORT_LANGUAGE (docs/adr/0063), and the indexes that migrations left to the nodes (docs/adr/0128). Beside them,
// the planner's statistics are kept near to what the tables hold (docs/adr/0164).
import { systemClock } from '#lib/clock.ts';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { makeIndexChanges } from '#lib/db/schema/index-change.ts';
import { changeNameOrder } from '#lib/db/schema/name-order-change.ts';
import { createTableStatistics } from '#lib/db/schema/table-statistics.ts';
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

const STATISTICS_INTERVAL_MS = 5_000;
const STATISTICS_MAX_BACKOFF_MS = 60_000;

/** Not throttled: a busy machine is where plans without statistics cost most. */
export function createStatisticsLoop({
  database,
  log,
}: {
  readonly database: Database;
  readonly log: Logger;
}): WorkerLoop {
  const statistics = createTableStatistics({ database, clock: systemClock, log: databaseLog(log) });
  return createWorkerLoop({
    name: `table-statistics-${database.schema}`,
    intervalMs: STATISTICS_INTERVAL_MS,
    maxBackoffMs: STATISTICS_MAX_BACKOFF_MS,
    log,
    step: async (signal) => {
      await statistics.renew(signal);
      return false;
    },
  });
}
