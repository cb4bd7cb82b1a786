// What the readers of conditions share: what is given, how far they may reach, and the errors that all of them tell.

import { normaliseText } from '../extract/normalise.ts';
import type { SearchParameters } from '../parameters/definitions.ts';
import { UnreadableValue, unescapeValue } from './parse-value.ts';
import type { Criterion } from './query.ts';

/** Name and value of a query parameter as given. */
export interface Given {
  readonly resourceType: string;
  readonly name: string;
  readonly value: string;
}

/**
 * How much one search may still ask for. A chain follows every type that its references may lead to, so that one name
 * can stand for very many conditions: each of those takes ten, a condition without chain one, and each value one.
 */
export interface SearchBudget {
  left: number;
}

/** A step of a chain costs the database as much as many values do. */
export const STEP_COST = 10;

/** What is handed down a chain. */
export interface Reach {
  readonly parameters: SearchParameters;
  readonly budget: SearchBudget;
  readonly depth: number;
  /** Reads the condition at the end of a chain, or of a test. */
  readonly parse: (given: Given, reach: Reach) => Criterion | undefined;
}

/** @throws UnreadableValue when the budget is used up */
export function take(count: number, budget: SearchBudget): void {
  budget.left -= count;
  if (budget.left < 0)
    throw new UnreadableValue('asks for more than one search can compare; name fewer types or values');
}

/** A text as it is compared. @throws UnreadableValue */
export function normalised(value: string): string {
  const text = normaliseText(unescapeValue(value));
  if (text === '') throw new UnreadableValue('must hold more than blanks');
  return text;
}

export function unknownModifier(modifier: string): UnreadableValue {
  return new UnreadableValue(`does not know the modifier :${modifier}`);
}
