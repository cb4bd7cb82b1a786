// What has been filled in as a QuestionnaireResponse.
import type { QuestionnaireResponseItem } from 'fhir/r5';
import { conditionsOf, type IsEnabled } from './conditions.ts';
import { type Filled, occurrencesOf, pathOf } from './filled.ts';
import { type FormItem, UNREADABLE } from './form.ts';

/** The items of the response: what is enabled and answered, and can be read. */
export function toResponseItems(items: readonly FormItem[], filled: Filled): QuestionnaireResponseItem[] {
  return responseItems(items, { parent: filled, path: '', isEnabled: conditionsOf(items, filled) });
}

interface Place {
  readonly parent: Filled;
  readonly path: string;
  readonly isEnabled: IsEnabled;
}

function responseItems(items: readonly FormItem[], place: Place): QuestionnaireResponseItem[] {
  const { parent, path, isEnabled } = place;
  return items.flatMap((item) => {
    if (item.type === 'display' || !isEnabled(path, item)) return [];
    return occurrencesOf(parent, item).flatMap((occurrence, index): QuestionnaireResponseItem[] => {
      const own = pathOf(path, item.link_id, index);
      const inner = responseItems(item.items ?? [], { parent: occurrence, path: own, isEnabled });
      if (item.type === 'group') return inner.length === 0 ? [] : [{ linkId: item.link_id, item: inner }];
      const [first, ...more] = occurrence.answers.filter((answer) => !(UNREADABLE in answer));
      if (first === undefined) return [];
      const withInner = inner.length === 0 ? first : { ...first, item: inner };
      return [{ linkId: item.link_id, answer: [withInner, ...more] }] as QuestionnaireResponseItem[];
    });
  });
}
