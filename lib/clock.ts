// The clock as a dependency. Production code takes a Clock, and tests pass one that they move by hand.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
