// Removes what is over in the background, once an hour: most times there is nothing. It rests between batches while the
// machine is busy.
import { servicePrincipal } from '../auth/service-credentials.ts';
import { createThrottle } from '../jobs/throttle.ts';
import { createWorkerLoop, type WorkerLoop } from '../jobs/worker-loop.ts';
import type { Logger } from '../log/logger.ts';
import { type RetentionDeps, type RetentionRule, removeOver } from './rule.ts';

const INTERVAL_MS = 60 * 60 * 1000;

export interface RetentionLoopDeps extends RetentionDeps {
  readonly log: Logger;
  readonly service: Parameters<typeof servicePrincipal>[0];
}

export function createRetentionLoop(rules: readonly RetentionRule[], deps: RetentionLoopDeps): WorkerLoop {
  const { log, service } = deps;
  const throttle = createThrottle();
  const active = rules.filter(({ kept }) => kept !== undefined);
  return createWorkerLoop({
    name: `${service}-retention`,
    intervalMs: INTERVAL_MS,
    log,
    step: async (signal) => {
      for (const rule of active) {
        const removed = await removeOver(rule, deps, {
          actor: { principal: servicePrincipal(service) },
          signal,
          pace: (work) => throttle.run(work, signal),
        });
        if (removed > 0) log.info({ event: 'retention.removed', rule: rule.name, rows: removed });
      }
      return false;
    },
  });
}
