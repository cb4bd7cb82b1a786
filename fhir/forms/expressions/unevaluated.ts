// What a form says of an item whose expressions are not evaluated. Pages and the console share it.
import type { Unknown } from './solve.ts';

/** Which text fits: see the texts of that name of the pages and of the console. */
export type Unevaluated = 'enabled' | 'calculated' | 'fixed' | 'initial' | 'other';

interface Facts {
  /** Expressions that nothing evaluates, wherever the form is filled in. */
  readonly notRun: readonly { readonly use: string }[] | undefined;
  /** What could not be evaluated here. */
  readonly unknown: Unknown | undefined;
  readonly isUnknownAtStart: boolean;
  /** Whether nobody can write the answer. */
  readonly isFixed: boolean;
}

/** Undefined where everything is evaluated. */
export function unevaluatedOf({ notRun = [], unknown, isUnknownAtStart, isFixed }: Facts): Unevaluated | undefined {
  const isNotRun = (name: string) => notRun.some(({ use }) => use === name);
  if (unknown === 'enabled' || isNotRun('enableWhenExpression')) return 'enabled';
  if (unknown === 'calculated' || isNotRun('calculatedExpression')) return isFixed ? 'fixed' : 'calculated';
  if (isUnknownAtStart || isNotRun('initialExpression')) return isFixed ? 'fixed' : 'initial';
  return notRun.length === 0 ? undefined : 'other';
}
