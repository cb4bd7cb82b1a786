// Measured values as the questions of a form, and what an Observation has of their answers. The services and the
// console ask and report alike. Pure.
import { elementOf } from '#fhir/forms/values.ts';
import { objectsIn, textIn } from '#fhir/json/members.ts';

type Json = Readonly<Record<string, unknown>>;

/** The `link_id` of the question when the values were measured. */
export const MEASURED_AT = 'measured-at';

/** The type of a question, and the element of its answers. */
type Asked = readonly [
  type: 'quantity' | 'decimal' | 'integer' | 'boolean' | 'dateTime' | 'date' | 'time' | 'text',
  element: string,
];

const TEXT: Asked = ['text', 'valueString'];
const ASKED: Readonly<Record<string, Asked>> = {
  Quantity: ['quantity', 'valueQuantity'],
  decimal: ['decimal', 'valueDecimal'],
  integer: ['integer', 'valueInteger'],
  boolean: ['boolean', 'valueBoolean'],
  dateTime: ['dateTime', 'valueDateTime'],
  date: ['date', 'valueDate'],
  time: ['time', 'valueTime'],
};

/** How a value of this FHIR type is asked for; as a text when it is of another. */
export function askedAs(type: string): Asked {
  return ASKED[type] ?? TEXT;
}

/** The first answer of each item of a QuestionnaireResponse, by its `linkId`. */
export function answersIn(items: readonly object[]): [id: string, answer: Json][] {
  return objectsIn(items).flatMap(({ linkId, answer, item }) => [
    ...objectsIn(answer)
      .slice(0, 1)
      .map((first): [string, Json] => [textIn(linkId) ?? '', first]),
    ...answersIn(objectsIn(item)),
  ]);
}

/** The value of an answer in the element of an Observation; a text without one is empty. */
export function observed(answer: Json): Json {
  if (answer['valueCoding'] !== undefined) return { valueCodeableConcept: { coding: [answer['valueCoding']] } };
  if (answer['valueDecimal'] !== undefined) return { valueQuantity: { value: answer['valueDecimal'] } };
  if (answer['valueDate'] !== undefined) return { valueDateTime: answer['valueDate'] };
  const element = elementOf(answer);
  return element === undefined ? { valueString: '' } : { [element]: answer[element] };
}
