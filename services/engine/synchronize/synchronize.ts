// Creates synchronisations: their service, routes and worker loop (decision E11).
import type { HttpApp } from '#lib/http/http-app.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { createContentHasher } from './content-hash.ts';
import { countRunning } from './job-store.ts';
import { registerSynchronize } from './routes.ts';
import { createSyncService } from './service.ts';
import type { SyncDependencies, SyncMetrics } from './step.ts';
import { createSyncWorker } from './worker.ts';

export interface Synchronize {
  readonly loop: WorkerLoop;
  /** Returns how many jobs run. */
  running(): Promise<number>;
  register(app: HttpApp): void;
}

type Dependencies = Omit<SyncDependencies, 'metrics' | 'hash'> & { readonly log: Logger; readonly metrics: Metrics };

/** `requests` has the database for the writes of requests; `database` of the dependencies is that of the jobs. */
export function createSynchronize(deps: Dependencies, requests: Pick<SyncDependencies, 'database'>): Synchronize {
  const loop = createSyncWorker({
    ...deps,
    metrics: syncMetrics(deps.metrics),
    hash: createContentHasher(deps.workerThreads),
  });
  const service = createSyncService({
    ...deps,
    ...requests,
    resourceTypes: deps.store.parameters.resourceTypes,
    wake: loop.wake,
  });
  return {
    loop,
    running: () => countRunning(deps.database),
    register: (app) => registerSynchronize(app, service),
  };
}

function syncMetrics(metrics: Metrics): SyncMetrics {
  const help = 'Resources that synchronizations looked at, by direction and by what became of them';
  const carried = metrics.counter('kedja_engine_synchronized_total', help, ['direction', 'outcome']);
  return { carried: (direction, outcome, count) => carried.inc({ direction, outcome }, count) };
}
