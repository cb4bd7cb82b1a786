// Pauses between attempts: a schedule with jitter, so that calls that failed together are not repeated together.

export interface BackoffOptions {
  readonly scheduleSeconds: readonly number[];
  /** A number from 0 up to 1, like Math.random. */
  readonly random: () => number;
}

const JITTER = 0.2;

/** Milliseconds until the next attempt after the `failures`-th failure (from 1); undefined when there is none. */
export function scheduledDelay(failures: number, { scheduleSeconds, random }: BackoffOptions): number | undefined {
  const seconds = scheduleSeconds[failures - 1];
  return seconds === undefined ? undefined : Math.round(seconds * 1000 * (1 - JITTER + 2 * JITTER * random()));
}
