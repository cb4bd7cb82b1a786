// What the conditions of a search are written into.
import type { Access } from '../../access.ts';
import type { SqlValues } from './sql-values.ts';

/** What a condition is written into: the values of the statement, and whose records chains may pass through. */
export interface SqlContext {
  readonly values: SqlValues;
  readonly access: Access;
  /**
   * Whether the statement is to be carried out as it is written. Then conditions are checked of each resource that the
   * search comes to, and links are followed from the few that it started with. Else the planner may join as the
   * statistics have it.
   */
  readonly isFenced: boolean;
}

/** The planner neither reorders nor joins what a subquery with an offset holds. */
export function fence({ isFenced }: SqlContext): string {
  return isFenced ? ' OFFSET 0' : '';
}
