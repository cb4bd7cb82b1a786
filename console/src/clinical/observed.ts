// The values of a form of measurements, as the elements of Observations.
import type { QuestionnaireResponseItem } from 'fhir/r5';

export type Value = Readonly<Record<string, unknown>>;

/** The first answer of each question, by its `link_id`. */
export function answersIn(items: readonly QuestionnaireResponseItem[]): [id: string, answer: Value][] {
  return items.flatMap(({ linkId, answer = [], item = [] }) => [
    ...answer.slice(0, 1).map((first): [string, Value] => [linkId, first as Value]),
    ...answersIn(item),
  ]);
}

/** The value of an answer in the element of an Observation. */
export function observed(answer: Value): Value {
  if (answer['valueCoding'] !== undefined) return { valueCodeableConcept: { coding: [answer['valueCoding']] } };
  if (answer['valueDecimal'] !== undefined) return { valueQuantity: { value: answer['valueDecimal'] } };
  if (answer['valueDate'] !== undefined) return { valueDateTime: answer['valueDate'] };
  return answer;
}
