// The expressions of a form in a service: which items are enabled and what is calculated, and the values with which a
// form begins. Call it in a thread: the expressions are the author's.
import { type Enabling, enablingOf } from '../enabling.ts';
import type { FilledItem } from '../filling.ts';
import type { RenderReadyForm, RenderReadyItem } from '../render-ready-form.ts';
import type { AnswerValue } from '../values.ts';
import { answersFrom } from './results.ts';
import { evaluateInService } from './service-evaluator.ts';
import { hasExpressions, solveExpressions, type Unknown, valuesAtStart } from './solve.ts';

export interface Solved {
  readonly enabling: Enabling;
  readonly calculated: ReadonlyMap<FilledItem, readonly AnswerValue[]>;
  /** What of an item cannot be evaluated: a service knows no launch context. */
  readonly unknown: ReadonlyMap<FilledItem, Unknown>;
}

/** @param takesCalculated whether calculated items take what is calculated; else they keep what is filled in */
export function solveInService(form: RenderReadyForm, items: readonly FilledItem[], takesCalculated: boolean): Solved {
  if (!hasExpressions(form.items)) return { enabling: enablingOf(items), calculated: new Map(), unknown: new Map() };
  const asking = { evaluate: evaluateInService, takesCalculated: () => takesCalculated };
  const { enabling, calculated, unknownOf } = solveExpressions(form, items, asking);
  const found = new Map<FilledItem, readonly AnswerValue[]>();
  const unknown = new Map<FilledItem, Unknown>();
  const look = (level: readonly FilledItem[]): void => {
    for (const each of level) {
      const answers = calculated.get(each);
      if (answers !== undefined) found.set(each, answers);
      const missing = unknownOf(each);
      if (missing !== undefined) unknown.set(each, missing);
      for (const { items: inner } of each.occurrences) look(inner);
    }
  };
  look(items);
  return { enabling, calculated: found, unknown };
}

interface Begun {
  readonly form: RenderReadyForm;
  /** The `link_id`s of the items whose first value cannot be evaluated. */
  readonly unknown: ReadonlySet<string>;
}

/** The form with the first values that its expressions give. */
export function begunInService(form: RenderReadyForm): Begun {
  const found = valuesAtStart(form, evaluateInService);
  const { values } = found;
  const unknown = new Set([...found.unknown].map(({ link_id: name }) => name));
  if (values.size === 0) return { form, unknown };
  const begun = (item: RenderReadyItem): RenderReadyItem => ({
    ...item,
    ...(values.has(item) ? { initial: answersFrom(item, values.get(item) ?? []) } : {}),
    ...(item.items === undefined ? {} : { items: item.items.map(begun) }),
  });
  return { form: { ...form, items: form.items.map(begun) }, unknown };
}
