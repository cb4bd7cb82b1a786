// What the expressions of a form give.
import type { Answer } from '../form.ts';

export interface Violation {
  /** Of the occurrence; empty for the form as a whole. */
  readonly path: string;
  /** The message of the form's author; undefined for a text that does not match its pattern. */
  readonly message?: string;
  readonly severity: 'error' | 'warning';
}

export interface FormSolution {
  /** The paths of the items whose expression does not let them be enabled. */
  readonly disabled: readonly string[];
  /** By the path of the item. */
  readonly calculated: Readonly<Record<string, readonly Answer[]>>;
  /** First values, by `link_id`. */
  readonly initial: Readonly<Record<string, readonly Answer[]>>;
  readonly violations: readonly Violation[];
}

/** What a form without expressions has, and one whose expressions could not be evaluated in time. */
export const NO_SOLUTION: FormSolution = { disabled: [], calculated: {}, initial: {}, violations: [] };
