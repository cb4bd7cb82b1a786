// A background loop. It runs its step when woken and at the latest every `intervalMs`, one step at a time. It backs off
// after a failure, and stops cleanly. The poll guarantees that work is found; waking makes it faster.
import type { Logger } from '../log/logger.ts';
import { currentPace, outsideOfRequests, type Pace, type PacedLoop, runUnhurried } from './pace.ts';

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
  const loop = new Loop(options);
  return { start: () => loop.start(), wake: () => loop.wake(), stop: () => loop.stop() };
}

/** A class, as a process with a hundred tenants has thousands: closures would take three times the memory. */
class Loop implements PacedLoop {
  readonly #options: WorkerLoopOptions;
  readonly #pace: Pace | undefined = currentPace();
  // It belongs to no request, also when a request wakes it.
  readonly #outsideOfRequests = outsideOfRequests();
  /** Of the steps that run. */
  #abort: AbortController | undefined;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #isWoken = false;
  #failures = 0;

  constructor(options: WorkerLoopOptions) {
    this.#options = options;
  }

  get isFollower(): boolean {
    return this.#options.isFollower ?? false;
  }

  async run(): Promise<void> {
    this.#begin();
    await this.#running;
  }

  start(): void {
    this.#pace?.add(this);
    this.#begin();
  }

  wake(): void {
    this.#isWoken = true;
    if (this.#failures === 0) this.#begin();
  }

  async stop(): Promise<void> {
    this.#pace?.remove(this);
    this.#isStopped = true;
    this.#abort?.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #begin(): void {
    if (this.#running !== undefined || this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const abort = new AbortController();
    this.#abort = abort;
    const run = () => this.#runSteps(abort.signal);
    // Requests wait for followers.
    const isUnhurried = this.#pace !== undefined && !this.isFollower;
    this.#running = this.#outsideOfRequests(() => (isUnhurried ? runUnhurried(run) : run())).finally(() => {
      this.#running = undefined;
      this.#abort = undefined;
      this.#plan();
    });
  }

  async #runSteps(signal: AbortSignal): Promise<void> {
    const { name, log, step } = this.#options;
    do {
      this.#isWoken = false;
      try {
        if (await step(signal)) this.#isWoken = true;
        this.#failures = 0;
      } catch (error) {
        const failures = this.#failures + 1;
        this.#failures = failures;
        // Logs the first failure and then fewer and fewer, so that an outage of an hour is a dozen lines.
        if ((failures & (failures - 1)) === 0) log.warn({ event: 'worker.failed', worker: name, failures, err: error });
      }
    } while (this.#isWoken && this.#failures === 0 && !signal.aborted);
  }

  #plan(): void {
    const isAtOnce = this.#isWoken && this.#failures === 0;
    if (this.#isStopped || (this.#pace?.isQuiet() === true && !this.#isWoken)) return;
    this.#timer = setTimeout(() => this.#begin(), isAtOnce ? 0 : Math.max(this.#pauseMs(), 1));
  }

  #pauseMs(): number {
    const { intervalMs, maxBackoffMs = MAX_BACKOFF_MS } = this.#options;
    if (this.#failures > 0) return Math.min(intervalMs * 2 ** Math.min(this.#failures, 10), maxBackoffMs);
    return this.isFollower ? intervalMs : intervalMs * (this.#pace?.stretch() ?? 1);
  }
}
