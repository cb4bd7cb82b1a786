// The items of a QuestionnaireResponse of a form that was filled in
// (hl7.org/fhir/R5/questionnaireresponse.html#link): what is enabled and answered, in the order of the form.
import { answersOf, type Enabling } from './enabling.ts';
import type { FilledItem, Occurrence } from './filling.ts';
import type { RenderReadyItem } from './render-ready-form.ts';

type Json = Readonly<Record<string, unknown>>;

/** Decimals keep their digits when the result is written as JSON. */
export function responseItems(items: readonly FilledItem[], enabling: Enabling): Json[] {
  return items.flatMap((each) => responseItem(each, enabling));
}

/** Those of one item: an item for each occurrence of a group, one with all answers of a question. */
export function responseItem(each: FilledItem, enabling: Enabling): Json[] {
  const { item, occurrences } = each;
  if (item.type === 'display' || !enabling.isEnabled(each)) return [];
  const head = { linkId: item.link_id, ...(item.label === '' ? {} : { text: item.label }) };
  if (item.type === 'group') {
    const filled = occurrences.map((occurrence) => innerOf(occurrence, enabling)).filter((inner) => inner.length > 0);
    return filled.length === 0 && isBareGroup(each, enabling)
      ? [head]
      : filled.map((inner) => ({ ...head, item: inner }));
  }
  const answer = occurrences.flatMap((occurrence) => {
    if (occurrence.answer === undefined) return [];
    const inner = innerOf(occurrence, enabling);
    return [{ ...occurrence.answer, ...(inner.length === 0 ? {} : { item: inner }) }];
  });
  return answer.length === 0 ? [] : [{ ...head, answer }];
}

function innerOf({ items }: Occurrence, enabling: Enabling): Json[] {
  return responseItems(items, enabling);
}

/** A required group that has nothing to answer is there nevertheless. */
function isBareGroup(each: FilledItem, enabling: Enabling): boolean {
  return each.item.required && answerableIn(each, enabling).length === 0;
}

/** The questions in a group that are enabled and can be answered or are. */
export function answerableIn(group: FilledItem, enabling: Enabling): FilledItem[] {
  return group.occurrences
    .flatMap(({ items }) => items)
    .flatMap((each) => {
      if (!enabling.isEnabled(each) || each.item.type === 'display') return [];
      if (each.item.type === 'group') return answerableIn(each, enabling);
      return isFixed(each.item) && answersOf(each).length === 0 ? [] : [each];
    });
}

/** Whether nobody answers the question on a page: its first value or what is calculated is its answer. */
export function isFixed(item: RenderReadyItem): boolean {
  return item.read_only || item.hidden === true || item.calculated !== undefined;
}
