// A background loop. It runs its step when woken and at the latest every `intervalMs`, one step at a time. It backs off
// after a failure, and stops cleanly. The poll guarantees that work is found; waking makes it faster.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from '../log/logger.ts';
import { currentPace, type PacedLoop } from './pace.ts';

export interface WorkerLoop {
  start(): void;
  /** Runs the step soon; waking a running loop makes it run once more. */
  wake(): void;
  /** Lets a running step finish (its `signal` is aborted) and ends the loop. */
  stop(): Promise<void>;
}

export interface WorkerLoopOptions {
  readonly name: string;
  readonly intervalMs: number;
  /** The longest pause after failures; ten seconds when left out. */
  readonly maxBackoffMs?: number;
  readonly log: Logger;
  /** Whether requests need what it reads: see ./pace.ts. */
  readonly isFollower?: boolean;
  /** Does one piece of work; `true` asks to be called again at once. */
  readonly step: (signal: AbortSignal) => Promise<boolean>;
}

export interface PeriodicOptions extends Omit<WorkerLoopOptions, 'step'> {
  readonly run: () => Promise<unknown>;
}

const MAX_BACKOFF_MS = 10_000;

/** A loop whose work is done once each time, such as a sweep: it is never called again at once. */
export function createPeriodicLoop({ run, ...options }: PeriodicOptions): WorkerLoop {
  const step = async () => {
    await run();
    return false;
  };
  return createWorkerLoop({ ...options, step });
}

/**
 * The loop, whose `stop` also gives up what the node holds, such as its claim on jobs. Without a database the claim
 * ends with its lease.
 */
export function releasedOnStop(loop: WorkerLoop, log: Logger, release: () => Promise<unknown>): WorkerLoop {
  const stop = async () => {
    await loop.stop();
    await release().catch((error: unknown) => log.warn({ event: 'worker.not-released', err: error }));
  };
  return { ...loop, stop };
}

export function createWorkerLoop(options: WorkerLoopOptions): WorkerLoop {
  const { name, intervalMs, log, step } = options;
  const maxBackoffMs = options.maxBackoffMs ?? MAX_BACKOFF_MS;
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isWoken = false;
  let failures = 0;

  const pace = currentPace();
  // It belongs to no request, also when a request wakes it.
  const outsideOfRequests = AsyncLocalStorage.snapshot();

  async function runSteps(): Promise<void> {
    do {
      isWoken = false;
      try {
        if (await step(abort.signal)) isWoken = true;
        failures = 0;
      } catch (error) {
        failures += 1;
        // Logs the first failure and then fewer and fewer, so that an outage of an hour is a dozen lines.
        if ((failures & (failures - 1)) === 0) log.warn({ event: 'worker.failed', worker: name, failures, err: error });
      }
    } while (isWoken && failures === 0 && !abort.signal.aborted);
  }

  function run(): void {
    if (running !== undefined || abort.signal.aborted) return;
    clearTimeout(timer);
    running = outsideOfRequests(runSteps).finally(() => {
      running = undefined;
      if (abort.signal.aborted) return;
      if (pace?.isQuiet() === true && !isWoken) return;
      const stretched = options.isFollower === true ? intervalMs : intervalMs * (pace?.stretch() ?? 1);
      const backoff = failures === 0 ? stretched : Math.min(intervalMs * 2 ** Math.min(failures, 10), maxBackoffMs);
      timer = setTimeout(run, isWoken && failures === 0 ? 0 : Math.max(backoff, 1));
    });
  }

  const paced: PacedLoop = {
    isFollower: options.isFollower ?? false,
    run: async () => {
      run();
      await running;
    },
  };
  return {
    start() {
      pace?.add(paced);
      run();
    },
    wake() {
      isWoken = true;
      if (failures === 0) run();
    },
    async stop() {
      pace?.remove(paced);
      abort.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
