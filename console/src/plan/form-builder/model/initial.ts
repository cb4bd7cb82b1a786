// The answers with which a question begins. Among answers that are written in the form they are chosen, as R5 asks
// (que-11); else they are values of the question's type. What cannot be read is kept as text; ./issues.ts names it.
import type { Coding, QuestionnaireItemAnswerOption, QuestionnaireItemInitial } from 'fhir/r5';
import { numberFrom, quantityOf, unitsOf } from './limits.ts';
import type { Item } from './tree.ts';

export type InitialInput = 'yesNo' | 'number' | 'text' | 'long' | 'date' | 'dateTime' | 'time' | 'coding';

/** How a first value is given; undefined for an item that has none, or whose answers are in the form. */
export function initialInputOf({
  type,
  answerValueSet,
}: Pick<Item, 'type' | 'answerValueSet'>): InitialInput | undefined {
  switch (type) {
    case 'boolean':
      return 'yesNo';
    case 'integer':
    case 'decimal':
    case 'quantity':
      return 'number';
    case 'string':
    case 'url':
      return 'text';
    case 'text':
      return 'long';
    case 'date':
    case 'dateTime':
    case 'time':
      return type;
    case 'coding':
      return answerValueSet === undefined || answerValueSet === '' ? undefined : 'coding';
    default:
      return undefined;
  }
}

export function initialText(initial: QuestionnaireItemInitial | undefined): string {
  if (initial === undefined) return '';
  if (initial.valueBoolean !== undefined) return String(initial.valueBoolean);
  const number = initial.valueInteger ?? initial.valueDecimal ?? initial.valueQuantity?.value;
  if (number !== undefined) return String(number).replace('.', ',');
  const moment = initial.valueDate ?? initial.valueDateTime ?? initial.valueTime;
  return moment ?? initial.valueString ?? initial.valueUri ?? '';
}

/** The values in their order; none for an empty list. */
export function withInitials({ initial: _, ...item }: Item, values: readonly QuestionnaireItemInitial[]): Item {
  return values.length === 0 ? item : { ...item, initial: [...values] };
}

export function initialOfCoding({ system, code, display }: Coding): QuestionnaireItemInitial {
  return {
    valueCoding: {
      ...(system === undefined ? {} : { system }),
      ...(code === undefined ? {} : { code }),
      ...(display === undefined ? {} : { display }),
    },
  };
}

/** What is typed as a value; undefined for an empty text. */
export function initialFrom(item: Item, text: string): QuestionnaireItemInitial | undefined {
  if (text === '') return undefined;
  switch (item.type) {
    case 'boolean':
      return { valueBoolean: text === 'true' };
    case 'integer':
    case 'decimal':
    case 'quantity': {
      const number = numberFrom(text);
      if (number === undefined || (item.type === 'integer' && !Number.isInteger(number))) return { valueString: text };
      if (item.type === 'quantity') return { valueQuantity: quantityOf(number, unitsOf(item)[0]) };
      return item.type === 'integer' ? { valueInteger: number } : { valueDecimal: number };
    }
    case 'date':
      return { valueDate: text };
    case 'dateTime': {
      const moment = new Date(text);
      return Number.isNaN(moment.getTime()) ? undefined : { valueDateTime: moment.toISOString() };
    }
    case 'time':
      return { valueTime: text.length === 5 ? `${text}:00` : text };
    case 'url':
      return { valueUri: text };
    default:
      return { valueString: text };
  }
}

/** Whether the first value is of the question's type, and within its limits as far as the browser knows them. */
export function isRightInitial(item: Item, initial: QuestionnaireItemInitial): boolean {
  switch (item.type) {
    case 'integer':
      return initial.valueInteger !== undefined;
    case 'decimal':
      return initial.valueDecimal !== undefined;
    case 'quantity':
      return initial.valueQuantity !== undefined;
    case 'url':
      return initial.valueUri !== undefined && URL.canParse(initial.valueUri);
    default:
      return true;
  }
}

/** A question with one answer begins with one. */
export function withSelected(item: Item, index: number, isOn: boolean): Item {
  const options = (item.answerOption ?? []).map((option, at): QuestionnaireItemAnswerOption => {
    const { initialSelected: before = false, ...rest } = option;
    const isSelected = at === index ? isOn : before && (item.repeats === true || !isOn);
    return isSelected ? { ...rest, initialSelected: true } : rest;
  });
  return { ...item, answerOption: options };
}

/** A question that takes one answer only begins with one. */
export function withOneInitial(item: Item): Item {
  if (item.repeats === true) return item;
  const one = withInitials(item, (item.initial ?? []).slice(0, 1));
  const chosen = (item.answerOption ?? []).findIndex(({ initialSelected }) => initialSelected === true);
  return chosen === -1 ? one : withSelected(one, chosen, true);
}
