// Answers of a form in words, as far as the response itself has them.
import type { QuestionnaireResponse, QuestionnaireResponseItem, QuestionnaireResponseItemAnswer } from 'fhir/r5';
import { dayText, momentText, numberText } from '../i18n/format.ts';

export interface Answered {
  readonly key: string;
  readonly question: string;
  /** Texts; yes and no are worded by who shows them. */
  readonly answers: readonly (string | boolean)[];
}

/** Each answered question, in the order of the form. A question without a text is named by its number. */
export function answersIn({ item = [] }: Pick<QuestionnaireResponse, 'item'>): Answered[] {
  return item.flatMap((each, index) => answersOf(each, `${index}`));
}

function answersOf({ linkId, text, answer = [], item = [] }: QuestionnaireResponseItem, key: string): Answered[] {
  const inner = [...item, ...answer.flatMap(({ item: nested = [] }) => nested)];
  const words = answer.map(answerWords).filter((each) => each !== '');
  const own = words.length === 0 ? [] : [{ key, question: text ?? linkId, answers: words }];
  return [...own, ...inner.flatMap((each, index) => answersOf(each, `${key}.${index}`))];
}

function answerWords(answer: QuestionnaireResponseItemAnswer): string | boolean {
  const { valueBoolean, valueCoding, valueQuantity, valueDate, valueDateTime, valueAttachment, valueReference } =
    answer;
  if (valueBoolean !== undefined) return valueBoolean;
  if (valueCoding !== undefined) return valueCoding.display ?? valueCoding.code ?? '';
  if (valueQuantity !== undefined) {
    const number = valueQuantity.value === undefined ? '' : numberText(valueQuantity.value);
    return `${number} ${valueQuantity.unit ?? valueQuantity.code ?? ''}`.trim();
  }
  const number = answer.valueDecimal ?? answer.valueInteger;
  if (number !== undefined) return numberText(number);
  if (valueDate !== undefined) return dayText(valueDate);
  if (valueDateTime !== undefined) return momentText(valueDateTime);
  if (valueAttachment !== undefined) return valueAttachment.title ?? valueAttachment.contentType ?? '';
  if (valueReference !== undefined) return valueReference.display ?? '';
  return answer.valueString ?? answer.valueUri ?? answer.valueTime?.slice(0, 5) ?? '';
}
