// Drops the months of audit events whose time is over (docs/adr/0127), once an hour: most times there is none.

import { servicePrincipal } from '#lib/auth/service-credentials.ts';
import type { Clock } from '#lib/clock.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import { createPeriodicLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { dropMonth, monthsOver, type RetentionDeps, readMonths } from './retention.ts';

const INTERVAL_MS = 60 * 60 * 1000;

export interface RetentionJobDeps extends RetentionDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly keptMonths: number;
}

export function createRetentionJob(deps: RetentionJobDeps): WorkerLoop {
  const { database, clock, log, keptMonths } = deps;
  return createPeriodicLoop({
    name: 'audit-retention',
    intervalMs: INTERVAL_MS,
    log,
    async run() {
      for (const { month } of monthsOver(await readMonths(database), keptMonths, clock.now())) {
        const events = await dropMonth(deps, month, { principal: servicePrincipal('engine') });
        if (events === undefined) log.warn({ event: 'retention.postponed', month });
        else log.info({ event: 'retention.dropped', month, events });
      }
    },
  });
}
