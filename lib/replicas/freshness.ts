// When the primary was where, by which is decided how old the data of a standby may be.
import type { Position } from './position.ts';

export interface Freshness {
  /** The primary's position at some time after `at`, in milliseconds of a clock that never goes back. */
  observe(position: Position, at: number): void;
  /**
   * What a standby must have reached so that it lacks nothing that was committed before `now - maxLagMs`; undefined
   * when nobody has seen the primary since.
   */
  floor(now: number): Position | undefined;
  /** The latest known time at which everything before was in `position`; undefined when that is not known. */
  reachedAt(position: Position): number | undefined;
  /** Forgets all: another server may be the primary. */
  reset(): void;
}

/** Of observations that follow each other sooner, the first is kept. */
const APART_MS = 20;
/** A lag of more than this is shown as this. */
const KEPT_MS = 600_000;

interface Observation {
  readonly position: Position;
  readonly at: number;
}

export function createFreshness(maxLagMs: number): Freshness {
  let observations: Observation[] = [];

  /** The index of the first observation that fulfils a condition which holds for all later ones too. */
  function firstWhere(holds: (each: Observation) => boolean): number {
    let [low, high] = [0, observations.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const each = observations[middle];
      if (each !== undefined && holds(each)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    observe(position, at) {
      const last = observations.at(-1);
      if (last !== undefined && at < last.at + APART_MS) return;
      observations.push({ position, at });
      const first = observations[0];
      if (first !== undefined && first.at < at - 2 * KEPT_MS) {
        observations = observations.slice(firstWhere((each) => each.at >= at - KEPT_MS));
      }
    },
    floor: (now) => observations[firstWhere(({ at }) => at >= now - maxLagMs)]?.position,
    reachedAt: (position) => observations[firstWhere((each) => each.position > position) - 1]?.at,
    reset: () => {
      observations = [];
    },
  };
}
