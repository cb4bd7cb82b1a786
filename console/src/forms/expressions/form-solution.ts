// What the expressions of a form give.
import type { Unknown } from '../../../../fhir/forms/expressions/solve.ts';
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
  /** What cannot be evaluated, by the path of the item. */
  readonly unknown: Readonly<Record<string, Unknown>>;
  /** The paths of the items for which no answer can be asked for that reason. */
  readonly excused: readonly string[];
  /** The `link_id`s of the items whose first value cannot be evaluated. */
  readonly unknownAtStart: readonly string[];
}

/** What a form without expressions has, and one whose expressions could not be evaluated in time. */
export const NO_SOLUTION: FormSolution = {
  disabled: [],
  calculated: {},
  initial: {},
  violations: [],
  unknown: {},
  excused: [],
  unknownAtStart: [],
};
