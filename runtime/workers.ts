// Several processes per service (KEDJA_WORKERS): the primary runs the database and restarts workers, and the workers
// share the ports. Every worker is a node, as on another machine.
import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import type { Logger } from '#lib/log/logger.ts';

const RESTART_DELAY_MS = 1_000;
/** A worker that ends sooner than this failed to start. */
const STABLE_AFTER_MS = 5_000;
const MAX_FAILED_STARTS = 3;

/** The number of worker processes of the setting. */
export function workerCount(setting: number | 'auto'): number {
  return setting === 'auto' ? availableParallelism() : setting;
}

export interface WorkerPool {
  /** Resolves when the workers cannot be kept running. */
  readonly failed: Promise<void>;
  /** Forwards SIGTERM and resolves when all workers have ended. */
  stop(): Promise<void>;
}

/** Forks the workers with `environment` added to theirs, and replaces those that end. */
export function startWorkers(count: number, environment: Record<string, string>, log: Logger): WorkerPool {
  const failed = Promise.withResolvers<void>();
  const running = new Map<Worker, Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let failedStarts = 0;
  let isStopping = false;

  function fork(): void {
    const startedAt = Date.now();
    const worker = cluster.fork(environment);
    const ended = Promise.withResolvers<void>();
    running.set(worker, ended.promise);
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      ended.resolve();
      if (isStopping) return;
      log.error({ event: 'worker.ended', pid: worker.process.pid, code, signal });
      failedStarts = Date.now() - startedAt < STABLE_AFTER_MS ? failedStarts + 1 : 0;
      if (failedStarts >= MAX_FAILED_STARTS) failed.resolve();
      else replaceLater();
    });
  }

  function replaceLater(): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      fork();
    }, RESTART_DELAY_MS);
    timers.add(timer);
  }

  for (let index = 0; index < count; index += 1) fork();
  return {
    failed: failed.promise,
    async stop() {
      isStopping = true;
      for (const timer of timers) clearTimeout(timer);
      for (const worker of running.keys()) worker.process.kill('SIGTERM');
      await Promise.all(running.values());
    },
  };
}
