// Counts the resources of a synchronisation by direction and outcome.
import Type, { type Static } from 'typebox';

const number = Type.Integer();

export const DirectionCounts = Type.Object(
  {
    read: number,
    created: number,
    updated: number,
    deleted: number,
    unchanged: number,
    /** Changed or deleted only on the receiving side, or reported as a conflict already. */
    skipped: number,
    conflicts: number,
  },
  { title: 'DirectionCounts' },
);
export type DirectionCounts = Static<typeof DirectionCounts>;

export interface Counts {
  readonly pull?: DirectionCounts;
  readonly push?: DirectionCounts;
}

export const NO_COUNTS: DirectionCounts = {
  read: 0,
  created: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  skipped: 0,
  conflicts: 0,
};

export type Outcome = Exclude<keyof DirectionCounts, 'read'>;

/** Returns the counts after resources that were conflicts have got these outcomes. */
export function moveOutcomes(counts: Counts, direction: 'pull' | 'push', outcomes: readonly Outcome[]): Counts {
  const sum = { ...NO_COUNTS, ...counts[direction] };
  for (const outcome of outcomes) {
    sum.conflicts -= 1;
    sum[outcome] += 1;
  }
  return { ...counts, [direction]: sum };
}

/** Returns the counts with these outcomes added, one for each resource. */
export function addOutcomes(counts: Counts, direction: 'pull' | 'push', outcomes: readonly Outcome[]): Counts {
  const sum = { ...NO_COUNTS, ...counts[direction] };
  for (const outcome of outcomes) {
    sum.read += 1;
    sum[outcome] += 1;
  }
  return { ...counts, [direction]: sum };
}
