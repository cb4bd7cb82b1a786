// A goal of the library as the fields of a form, and back.
import type { EngineShapes } from '../../api/shapes.ts';
import type { LibraryGoal } from './library-queries.ts';

export const SIGNS = ['<', '<=', '=', '>=', '>', 'between'] as const;
export type Sign = (typeof SIGNS)[number];

export interface GoalForm {
  readonly name: string;
  readonly concept: string;
  readonly sign: Sign;
  /** As it is typed; of a range the lower end. */
  readonly value: string;
  /** The upper end of a range. */
  readonly high: string;
  readonly unit: string;
  /** Guids of activities. */
  readonly served: readonly string[];
}

export const EMPTY_GOAL: GoalForm = {
  name: '',
  concept: '',
  sign: '<',
  value: '',
  high: '',
  unit: '',
  served: [],
};

export type Target = Readonly<EngineShapes['GoalTarget']> & { readonly unit_name?: string | null };

/** Undefined where nothing is typed, and NaN for what is no number. A comma or a point comes before decimals. */
export function numberIn(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.').replace('−', '-');
  return text === '' ? undefined : Number(text);
}

export function isGoalReady({ name, concept, sign, value, high }: GoalForm): boolean {
  const numbers = [numberIn(value), sign === 'between' ? numberIn(high) : undefined];
  const [low = Number.NEGATIVE_INFINITY, top = Number.POSITIVE_INFINITY] = numbers;
  return name.trim() !== '' && concept !== '' && !numbers.some(Number.isNaN) && low <= top;
}

/** Null for a goal without a value. */
export function targetIn({ sign, value, high, unit }: GoalForm): Target | null {
  const [first, last] = [numberIn(value), numberIn(high)];
  const withUnit = unit === '' ? {} : { unit };
  if (sign !== 'between') return first === undefined ? null : { comparator: sign, value: first, ...withUnit };
  if (first === undefined && last === undefined) return null;
  return {
    ...(first === undefined ? {} : { low: first }),
    ...(last === undefined ? {} : { high: last }),
    ...withUnit,
  };
}

/** @param decimal what comes before decimals */
export function formOfGoal(goal: LibraryGoal, decimal: string): GoalForm {
  const target = goal.target as Target | null;
  const text = (number: number | undefined) => (number === undefined ? '' : String(number).replace('.', decimal));
  const isRange = target?.low !== undefined || target?.high !== undefined;
  return {
    name: goal.name,
    concept: goal.concept,
    sign: isRange ? 'between' : (target?.comparator ?? (target === null ? '<' : '=')),
    value: text(isRange ? target?.low : target?.value),
    high: text(target?.high),
    unit: target?.unit ?? '',
    served: goal.activities,
  };
}
