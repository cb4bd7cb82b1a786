// Which items of a form are enabled while it is being filled in: the rules are the services' own.
import { type ConditionalItem, type ConditionalOccurrence, enablingOf } from '../../../fhir/forms/enabling.ts';
import { type Filled, occurrencesOf, pathOf } from './filled.ts';
import { type FormItem, UNREADABLE } from './form.ts';

/** Whether an item is enabled, by the path of the occurrence that it is in; the empty path is the form. */
export type IsEnabled = (parentPath: string, item: FormItem) => boolean;

/** Of the form as it is filled in now. */
export function conditionsOf(items: readonly FormItem[], filled: Filled): IsEnabled {
  const places = new Map<string, ConditionalItem>();
  const enabling = enablingOf(conditionalItems(items, filled, '', places));
  return (parentPath, item) => {
    const found = places.get(`${parentPath}/${item.link_id}`);
    return found !== undefined && enabling.isEnabled(found);
  };
}

function conditionalItems(
  items: readonly FormItem[],
  parent: Filled,
  path: string,
  places: Map<string, ConditionalItem>,
): ConditionalItem[] {
  return items.map((item) => {
    const occurrences = occurrencesOf(parent, item).flatMap((occurrence, index) => {
      const inner = conditionalItems(item.items ?? [], occurrence, pathOf(path, item.link_id, index), places);
      return withAnswers(occurrence, inner);
    });
    const conditional = { item, occurrences };
    places.set(`${path}/${item.link_id}`, conditional);
    return conditional;
  });
}

/** One for each answer, with the inner items in the first. Without answers, as in a group, there is one. */
function withAnswers({ answers }: Filled, items: readonly ConditionalItem[]): ConditionalOccurrence[] {
  const [first, ...more] = answers.map((answer) => (UNREADABLE in answer ? undefined : answer));
  return [{ answer: first, items }, ...more.map((answer) => ({ answer, items: [] }))];
}
