// Pauses between attempts: a schedule, or one that doubles, with jitter, so that calls that failed together are not
// repeated together.

export interface BackoffOptions {
  readonly scheduleSeconds: readonly number[];
  /** A number from 0 up to 1, like Math.random. */
  readonly random: () => number;
}

const JITTER = 0.2;

/** Milliseconds until the next attempt after the `failures`-th failure (from 1); undefined when there is none. */
export function scheduledDelay(failures: number, { scheduleSeconds, random }: BackoffOptions): number | undefined {
  const seconds = scheduleSeconds[failures - 1];
  return seconds === undefined ? undefined : Math.round(withJitter(seconds * 1000, random));
}

/**
 * Milliseconds until the next attempt after the `attempt`-th (from 1): twice `firstMs`, doubled each time up to
 * `lastMs`.
 */
export function doubledDelay(attempt: number, { firstMs, lastMs }: { firstMs: number; lastMs: number }): number {
  return withJitter(Math.min(firstMs * 2 ** Math.min(attempt, 10), lastMs), Math.random);
}

function withJitter(delayMs: number, random: () => number): number {
  return delayMs * (1 - JITTER + 2 * JITTER * random());
}
