// What a form says is usual for a number. Another value is no issue; it is pointed out.
import type { Band } from '../clinical/values.ts';
import type { Answer, FormItem } from './form.ts';
import { numberIn } from './issues.ts';

/** Undefined where the form says nothing. */
export function expectedOf({ expected }: Pick<FormItem, 'expected'>): Band | undefined {
  const [low, high] = [numberIn(expected?.low), numberIn(expected?.high)];
  return low === undefined && high === undefined ? undefined : { low, high };
}

export function isUnusual(item: Pick<FormItem, 'expected'>, answer: Answer | undefined): boolean {
  const value = answer === undefined ? undefined : numberIn(Object.values(answer)[0]);
  const { low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY } = expectedOf(item) ?? {};
  return value !== undefined && (value < low || value > high);
}
