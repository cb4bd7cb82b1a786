// Ends a process on SIGTERM or SIGINT: stops everything that was started, in reverse order, within a time limit
// (KEDJA_STOP_SECONDS).
import { stopInTurn } from '#lib/jobs/stop.ts';
import type { Logger } from '#lib/log/logger.ts';

/** A primary takes so much longer: it stops when the last of its workers, which have the same limit, has ended. */
const PRIMARY_LONGER_MS = 5_000;
/** What is left of a process that has stopped, such as the last lines of its log, has so long. */
const AFTERWARDS_MS = 1_000;

/** Steps to undo, last first. */
export class Teardown {
  readonly #steps: Array<() => Promise<void>> = [];
  #running: Promise<void> | undefined;

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  /**
   * Runs every step, also after an error, and throws the first error at the end. Repeated calls return the same
   * promise.
   */
  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  #runAll(): Promise<void> {
    return stopInTurn(this.#steps.toReversed());
  }
}

/**
 * Resolves at the first SIGTERM or SIGINT. A second one ends the process at once, unless it is a worker. Service
 * managers and terminals signal the whole group, and the primary forwards its own signal, so a worker receives one stop
 * twice.
 */
export function nextStopSignal({ isWorker = false } = {}): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (isStopping && !isWorker) process.exit(1);
      isStopping = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** The limit of a process in milliseconds, from the setting. */
export function stopLimitOf(seconds: number, { isPrimary = false } = {}): number {
  return seconds * 1_000 + (isPrimary ? PRIMARY_LONGER_MS : 0);
}

/** Runs the teardown within the limit, in milliseconds; returns the exit code. */
export async function shutDown(teardown: Teardown, log: Logger, limitMs: number): Promise<number> {
  const deadline = setTimeout(() => {
    log.error({ event: 'process.stop-overdue', limitMs });
    process.exit(1);
  }, limitMs);
  try {
    await teardown.run();
    log.info({ event: 'process.stopped' });
    return 0;
  } catch (error) {
    log.error({ event: 'process.stop-failed', err: error });
    return 1;
  } finally {
    clearTimeout(deadline);
  }
}

/** Ends a process that has stopped and that something forgotten would keep running. */
export function endSoon(exitCode: number): void {
  setTimeout(() => process.exit(exitCode), AFTERWARDS_MS).unref();
}
