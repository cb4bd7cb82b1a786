// Which items of a form are enabled while it is being filled in: the rules are the services' own.
import { enablingOf } from '../../../fhir/forms/enabling.ts';
import type { ExpressionItem } from '../../../fhir/forms/expressions/solve.ts';
import { type Filled, occurrencesOf, pathOf, withinAnswer } from './filled.ts';
import { type Answer, type FormItem, isReadable } from './form.ts';

/** Whether an item is enabled, by the path of the occurrence that it is in; the empty path is the form. */
export type IsEnabled = (parentPath: string, item: FormItem) => boolean;

/** An item at its path, which is that of the occurrence around it and its own name. */
export interface PlacedItem extends ExpressionItem {
  readonly item: FormItem;
  readonly path: string;
  readonly answers: readonly Answer[];
  readonly occurrences: readonly { readonly answer: Answer | undefined; readonly items: readonly PlacedItem[] }[];
}

/** Of the form as it is filled in now. */
export function conditionsOf(items: readonly FormItem[], filled: Filled): IsEnabled {
  const places = new Map<string, PlacedItem>();
  const disabled = filled.solution && new Set(filled.solution.disabled);
  const enabling = enablingOf(placedItems(items, filled, '', places), (each) => {
    const { item, path } = each as PlacedItem;
    return item.enable_expression === undefined || (disabled !== undefined && !disabled.has(path));
  });
  return (parentPath, item) => {
    const found = places.get(`${parentPath}/${item.link_id}`);
    return found !== undefined && enabling.isEnabled(found);
  };
}

/** The items with what is filled in, and each of them by its path. */
export function placedItems(
  items: readonly FormItem[],
  parent: Filled,
  path: string,
  places: Map<string, PlacedItem>,
): PlacedItem[] {
  return items.map((item) => {
    const all = occurrencesOf(parent, item);
    const inner = (within: Filled, index: number) =>
      placedItems(item.items ?? [], within, pathOf(path, item.link_id, index), places);
    const answers = item.type === 'group' ? [] : (all[0]?.answers ?? []);
    const occurrences =
      item.type === 'group'
        ? all.map((each, index) => ({ answer: undefined, items: inner(each, index) }))
        : (answers.length === 0 ? [undefined] : answers).map((answer, index) => ({
            answer: answer !== undefined && isReadable(answer) ? answer : undefined,
            items: inner(withinAnswer(item, all[0] ?? parent, index), index),
          }));
    const placed = { item, path: `${path}/${item.link_id}`, answers, occurrences };
    places.set(placed.path, placed);
    return placed;
  });
}
