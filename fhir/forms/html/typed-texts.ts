// The texts by which a field shows an answer, so that reading them (typed-answer.ts) gives the same answer. So first
// values of a form are shown as if somebody had typed them.
import type { RenderReadyItem } from '../render-ready-form.ts';
import { type AnswerValue, elementOf, isRecord, isSameAnswer, numberText, valueIn } from '../values.ts';
import { type Fields, OTHER, optionValue, part } from './fields.ts';
import { type TypingPlace, unitsOf } from './typed-answer.ts';

/** The fields of one answer of a question without options. */
export function textsOfAnswer(item: RenderReadyItem, path: string, answer: AnswerValue, place: TypingPlace): Fields {
  const value = valueIn(answer);
  switch (item.type) {
    case 'dateTime':
      return textsOfDateTime(path, String(value), place);
    case 'quantity':
      return isRecord(value) ? textsOfQuantity(item, path, value) : {};
    case 'attachment':
      if (!isRecord(value)) return {};
      return {
        [path]: [textOf(value['url'])],
        [part.title(path)]: [textOf(value['title'])],
        [part.mediaType(path)]: [textOf(value['contentType'])],
      };
    default:
      return { [path]: [oneText(value)] };
  }
}

/** The fields of a choice with these answers. */
export function textsOfChoice(item: RenderReadyItem, path: string, answers: readonly AnswerValue[]): Fields {
  const options = item.options ?? [];
  const chosen = answers.map((answer) => options.findIndex((option) => isSameAnswer(option.answer, answer)));
  const others = answers.filter((_, index) => chosen[index] === -1).map((answer) => oneText(valueIn(answer)));
  const values = chosen.flatMap((index) => (index === -1 ? [] : [optionValue(index)]));
  return {
    [path]: ['', ...values, ...(others.length > 0 ? [OTHER] : [])],
    ...(others.length > 0 ? { [part.other(path)]: [others.join('\n')] } : {}),
  };
}

/** The answers that a question begins with. */
export function firstAnswers({ initial, options = [] }: RenderReadyItem): readonly AnswerValue[] {
  const given = (initial ?? []).filter((answer) => elementOf(answer) !== undefined);
  if (given.length > 0) return given;
  return options.filter(({ selected }) => selected === true).map(({ answer }) => answer);
}

/** A value as one text: a coding by its code or words, a reference by its address or name. */
function oneText(value: unknown): string {
  if (!isRecord(value)) return numberText(value);
  const { system, code, display, reference } = value;
  if (typeof system === 'string' && typeof code === 'string') return `${system}|${code}`;
  return textOf(reference) || textOf(display) || textOf(code);
}

function textsOfDateTime(path: string, text: string, { timeZone }: TypingPlace): Fields {
  if (!text.includes('T')) return { [path]: [text], [part.time(path)]: [''] };
  const moment = Temporal.Instant.from(text).toZonedDateTimeISO(timeZone);
  const time = moment.toPlainTime().toString();
  return { [path]: [moment.toPlainDate().toString()], [part.time(path)]: [time.replace(/^(\d\d:\d\d):00$/, '$1')] };
}

function textsOfQuantity(item: RenderReadyItem, path: string, value: Readonly<Record<string, unknown>>): Fields {
  const units = unitsOf(item);
  const index = units.findIndex(({ system, code }) => system === value['system'] && code === value['code']);
  const unit = units.length === 0 ? textOf(value['unit'] ?? value['code']) : index === -1 ? '' : `u${index}`;
  return { [path]: [value['value'] === undefined ? '' : numberText(value['value'])], [part.unit(path)]: [unit] };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
