// Several processes per service (KEDJA_WORKERS): the primary runs the database and restarts workers, and the workers
// share the ports. Every worker is a node, as on another machine.
import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import type { Logger } from '#lib/log/logger.ts';

const RESTART_DELAY_MS = 1_000;
/** A worker that ends sooner than this after its start has failed to start. */
const STABLE_AFTER_MS = 5_000;
/** After so many in a row, with no other worker that serves, the workers cannot be kept running. */
const MAX_FAILED_STARTS = 3;
/** What a worker sends when its services are started. */
const STARTED = 'kedja-started';

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

/** Tells the primary, in a worker: a start may take long on a busy machine, and so may one that fails. */
export function announceStarted(): void {
  cluster.worker?.send(STARTED);
}

/** Forks the workers with `environment` added to theirs, and replaces those that end. */
export function startWorkers(count: number, environment: Record<string, string>, log: Logger): WorkerPool {
  const failed = Promise.withResolvers<void>();
  const running = new Map<Worker, Promise<void>>();
  /** When it was started, of those that are. */
  const startedAt = new Map<Worker, number>();
  const timers = new Set<NodeJS.Timeout>();
  let failedStarts = 0;
  let isStopping = false;

  function fork(): void {
    const worker = cluster.fork(environment);
    const ended = Promise.withResolvers<void>();
    running.set(worker, ended.promise);
    worker.on('message', (message: unknown) => {
      if (message === STARTED) startedAt.set(worker, Date.now());
    });
    worker.once('exit', (code, signal) => {
      const wasStable = Date.now() - (startedAt.get(worker) ?? Infinity) >= STABLE_AFTER_MS;
      running.delete(worker);
      startedAt.delete(worker);
      ended.resolve();
      if (isStopping) return;
      log.error({ event: 'worker.ended', pid: worker.process.pid, code, signal });
      failedStarts = wasStable ? 0 : failedStarts + 1;
      if (failedStarts >= MAX_FAILED_STARTS && startedAt.size === 0) failed.resolve();
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
