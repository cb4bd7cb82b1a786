// Answers of a form in words: those of the response itself, else those of the form.
import type { QuestionnaireResponse, QuestionnaireResponseItem, QuestionnaireResponseItemAnswer } from 'fhir/r5';
import { isSameAnswer } from '../../../fhir/forms/values.ts';
import { dayText, momentText, numberText } from '../i18n/format.ts';
import { currentLanguage } from '../i18n/i18n.ts';
import { type Answer, type FormItem, labelOf } from './form.ts';

export interface Answered {
  readonly key: string;
  /** Undefined where neither the response nor the form has it. */
  readonly question: string | undefined;
  /** Texts; yes and no are worded by who shows them. */
  readonly answers: readonly (string | boolean)[];
}

/** The items of a form, by their `link_id`. */
export type Known = ReadonlyMap<string, FormItem>;

export function knownItems(items: readonly FormItem[]): Known {
  const all = (level: readonly FormItem[]): [string, FormItem][] =>
    level.flatMap((item) => [[item.link_id, item], ...all(item.items ?? [])]);
  return new Map(all(items));
}

/** Each answered question, in the order of the form. */
export function answersIn({ item = [] }: Pick<QuestionnaireResponse, 'item'>, known: Known = new Map()): Answered[] {
  return item.flatMap((each, index) => answersOf(each, `${index}`, known));
}

/** Whether every answered question, and every answer that is a code, has its words in the response itself. */
export function isWorded({ item = [] }: Pick<QuestionnaireResponse, 'item'>): boolean {
  return item.every(({ text, answer = [], item: inner = [] }) => {
    const isNamed = answer.length === 0 || text !== undefined;
    const isSaid = answer.every(({ valueCoding }) => valueCoding === undefined || valueCoding.display !== undefined);
    const within = [...inner, ...answer.flatMap(({ item: nested = [] }) => nested)];
    return isNamed && isSaid && isWorded({ item: within });
  });
}

function answersOf(
  { linkId, text, answer = [], item = [] }: QuestionnaireResponseItem,
  key: string,
  known: Known,
): Answered[] {
  const asked = known.get(linkId);
  const inner = [...item, ...answer.flatMap(({ item: nested = [] }) => nested)];
  const words = answer.map((each) => answerWords(each, asked)).filter((each) => each !== '');
  const label = asked === undefined ? '' : labelOf(asked, currentLanguage());
  const question = (text ?? label) || undefined;
  const own = words.length === 0 ? [] : [{ key, question, answers: words }];
  return [...own, ...inner.flatMap((each, index) => answersOf(each, `${key}.${index}`, known))];
}

function answerWords(answer: QuestionnaireResponseItemAnswer, asked: FormItem | undefined): string | boolean {
  const { valueBoolean, valueCoding, valueQuantity, valueDate, valueDateTime, valueAttachment, valueReference } =
    answer;
  if (valueBoolean !== undefined) return valueBoolean;
  if (valueCoding !== undefined) {
    const given = { valueCoding } as unknown as Answer;
    const option = asked?.options?.find((each) => isSameAnswer(each.answer, given));
    const chosen = option === undefined ? undefined : labelOf(option, currentLanguage());
    return valueCoding.display ?? chosen ?? valueCoding.code ?? '';
  }
  if (valueQuantity !== undefined) {
    const { comparator = '', value } = valueQuantity;
    const number = value === undefined ? '' : `${comparator} ${numberText(value)}`.trim();
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
