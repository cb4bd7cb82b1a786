// Shared by the parsers of conditions: a query parameter, the context and budget of a search, and common errors.

import { normaliseText } from '../extract/normalise.ts';
import type { SearchParameters } from '../parameters/definitions.ts';
import { UnreadableValue, unescapeValue } from './parse-value.ts';
import type { Criterion } from './query.ts';

/** A query parameter as given, and the type that it searches. */
export interface QueryParameter {
  readonly resourceType: string;
  readonly name: string;
  readonly value: string;
}

/**
 * The remaining budget of one search. A chain follows every target type of its references, so that one name may expand
 * to very many conditions. Each of these costs ten, a condition without a chain one, and each value one.
 */
export interface SearchBudget {
  left: number;
}

/** The cost of a step of a chain: the database spends as much on it as on many values. */
export const STEP_COST = 10;

/** The context of a condition, passed down a chain. */
export interface CriterionContext {
  readonly parameters: SearchParameters;
  readonly budget: SearchBudget;
  readonly depth: number;
  /** Parses the condition at the end of a chain, or of a test. */
  readonly parse: (given: QueryParameter, context: CriterionContext) => Criterion | undefined;
}

/** @throws UnreadableValue when the budget is used up */
export function spend(count: number, budget: SearchBudget): void {
  budget.left -= count;
  if (budget.left < 0)
    throw new UnreadableValue('asks for more than one search can compare; name fewer types or values');
}

/** The normalised text for comparisons. @throws UnreadableValue */
export function normalised(value: string): string {
  const text = normaliseText(unescapeValue(value));
  if (text === '') throw new UnreadableValue('must hold more than blanks');
  return text;
}

export function unknownModifier(modifier: string): UnreadableValue {
  return new UnreadableValue(`does not know the modifier :${modifier}`);
}
