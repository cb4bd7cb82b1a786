// What has been filled in as a QuestionnaireResponse.
import type { QuestionnaireResponseItem } from 'fhir/r5';
import { conditionsOf, type IsEnabled } from './conditions.ts';
import { type Filled, occurrencesOf, pathOf, withinAnswer } from './filled.ts';
import { type FormItem, isReadable } from './form.ts';

/** The items of the response: what is enabled and answered, and can be read. */
export function toResponseItems(items: readonly FormItem[], filled: Filled): QuestionnaireResponseItem[] {
  return responseItems(items, { parent: filled, path: '', isEnabled: conditionsOf(items, filled) });
}

export interface Place {
  readonly parent: Filled;
  readonly path: string;
  readonly isEnabled: IsEnabled;
}

/** Those within an occurrence of a group, or an answer of a question. */
export function responseItems(items: readonly FormItem[], place: Place): QuestionnaireResponseItem[] {
  const { parent, path, isEnabled } = place;
  return items.flatMap((item) => {
    if (item.type === 'display' || !isEnabled(path, item)) return [];
    // Who reads the answers has the question beside each, whatever becomes of the form.
    const head = { linkId: item.link_id, ...(item.label === '' ? {} : { text: item.label }) };
    const all = occurrencesOf(parent, item);
    const found = all.flatMap((occurrence, index): QuestionnaireResponseItem[] => {
      const innerOf = (within: Filled, at: number) =>
        responseItems(item.items ?? [], { parent: within, path: pathOf(path, item.link_id, at), isEnabled });
      if (item.type === 'group') {
        const inner = innerOf(occurrence, index);
        return inner.length === 0 ? [] : [{ ...head, item: inner }];
      }
      const answers = occurrence.answers.flatMap((answer, at) => {
        if (!isReadable(answer)) return [];
        const inner = innerOf(withinAnswer(item, occurrence, at), at);
        return [inner.length === 0 ? answer : { ...answer, item: inner }];
      });
      return answers.length === 0 ? [] : ([{ ...head, answer: answers }] as QuestionnaireResponseItem[]);
    });
    // A required group that has nothing to answer is there nevertheless.
    const isBare = item.type === 'group' && item.required && found.length === 0 && !isAsking(item, place);
    return isBare ? [head] : found;
  });
}

/** Whether a question of the group is enabled, and can be answered or is. */
export function isAsking(group: FormItem, { parent, path, isEnabled }: Place): boolean {
  return occurrencesOf(parent, group).some((occurrence, index) => {
    const own = { parent: occurrence, path: pathOf(path, group.link_id, index), isEnabled };
    return (group.items ?? []).some((item) => {
      if (item.type === 'display' || !isEnabled(own.path, item)) return false;
      if (item.type === 'group') return isAsking(item, own);
      return (
        !(item.read_only || item.hidden === true) || (occurrencesOf(occurrence, item)[0]?.answers ?? []).length > 0
      );
    });
  });
}
