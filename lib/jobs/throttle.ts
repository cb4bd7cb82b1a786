// Throttles background work by the load of the machine: full speed while it is idle, a small share of the time while it
// is busy. The work falls behind then and catches up later.
import { availableParallelism, cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

export interface Throttle {
  /**
   * Runs a piece of work and then rests in proportion to its time. Returns the result of the work. Without work there
   * is no rest.
   */
  run(work: () => Promise<boolean>, signal: AbortSignal): Promise<boolean>;
}

/** The first rest, in which the load of the others is measured. */
const SAMPLE_MS = 50;
/** From this load on the work is slowed down; at a full load it rests this many times as long as it worked. */
const BUSY_FROM = 0.5;
const REST_WHEN_FULL = 39;
const MAX_REST_MS = 5_000;

/** The load from 0 to 1: of the cores, or of this process's main thread, whichever is higher. */
type Gauge = () => { read(): number };

export interface ThrottleOptions {
  readonly startGauge?: Gauge;
  /** The longest rest, in milliseconds; five seconds when left out. */
  readonly maxRestMs?: number;
  /** Asked after each piece of work: whether to go on without a rest. */
  readonly isUrgent?: () => boolean;
}

export function createThrottle(options: ThrottleOptions = {}): Throttle {
  const { startGauge = startLoadGauge, maxRestMs = MAX_REST_MS, isUrgent = () => false } = options;
  return {
    async run(work, signal) {
      const startedAt = performance.now();
      const hasMore = await work();
      if (!hasMore || signal.aborted || isUrgent()) return hasMore;
      const took = performance.now() - startedAt;
      const gauge = startGauge();
      await rest(SAMPLE_MS, signal);
      await rest(Math.min(restOf(took, gauge.read()), maxRestMs) - SAMPLE_MS, signal);
      return true;
    },
  };
}

/** Milliseconds to rest after work of `took` milliseconds at the load `busy`. */
export function restOf(took: number, busy: number): number {
  const excess = Math.max(0, (busy - BUSY_FROM) / (1 - BUSY_FROM));
  return Math.min(took * REST_WHEN_FULL * excess, MAX_REST_MS);
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || signal.aborted) return;
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}

function startLoadGauge(): { read(): number } {
  const before = coreTimes();
  const loopBefore = performance.eventLoopUtilization();
  return {
    read() {
      const { idle, total } = coreTimes();
      const cores = total > before.total ? 1 - (idle - before.idle) / (total - before.total) : 0;
      return Math.max(cores, performance.eventLoopUtilization(loopBefore).utilization);
    },
  };
}

function coreTimes(): { idle: number; total: number } {
  const sums = { idle: 0, total: 0 };
  for (const { times } of cpus().slice(0, availableParallelism())) {
    sums.idle += times.idle;
    sums.total += times.idle + times.user + times.sys + times.nice + times.irq;
  }
  return sums;
}
