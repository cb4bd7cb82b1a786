// The clock as a dependency. Production code takes a Clock, and tests pass one that they move by hand.
import { performance } from 'node:perf_hooks';

export interface Clock {
  /** Milliseconds since the epoch. It may be set, forwards or back. */
  now(): number;
  /**
   * Milliseconds since some moment, of a clock that nobody sets. Left out by a clock that is moved by hand: see
   * {@link elapsedOf}.
   */
  elapsed?(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/**
 * Milliseconds by which times that have passed are measured, such as the age of what is cached. A clock that was set
 * does not change them. Where the clock has none of its own, as in tests, it is `now`.
 */
export function elapsedOf(clock: Clock): number {
  return clock.elapsed === undefined ? clock.now() : clock.elapsed();
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
