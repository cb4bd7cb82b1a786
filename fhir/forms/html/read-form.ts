// Reads the fields of a form's pages as a filling. Where no page with a field has been sent, the form's first values
// count as if they had been typed.
import type { FilledItem, Occurrence } from '../filling.ts';
import type { RenderReadyForm, RenderReadyItem } from '../render-ready-form.ts';
import { isFixed } from '../response-items.ts';
import type { AnswerValue } from '../values.ts';
import {
  childPath,
  type Fields,
  MOST_ROWS,
  MOST_ROWS_OF_FORM,
  OTHER,
  optionIndex,
  part,
  ROOT,
  rowPath,
  textIn,
} from './fields.ts';
import { type TypedAnswer, type TypingPlace, typedAnswer, typedText } from './typed-answer.ts';
import { firstAnswers, textsOfAnswer, textsOfChoice } from './typed-texts.ts';

export interface ReadForm {
  readonly items: readonly FilledItem[];
  /** Those that were given, and those of first values. */
  readonly fields: Fields;
}

interface Reading {
  readonly fields: Record<string, readonly string[]>;
  readonly place: FillingPlace;
  /** Rows that may still be made. */
  left: number;
}

export interface FillingPlace extends TypingPlace {
  /** The answers of calculated items, by the paths of the items. */
  readonly calculated?: ReadonlyMap<string, readonly AnswerValue[]>;
}

export function readForm(form: RenderReadyForm, fields: Fields, place: FillingPlace): ReadForm {
  const reading: Reading = { fields: { ...fields }, place, left: MOST_ROWS_OF_FORM };
  return { items: readItems(form.items, ROOT, reading), fields: reading.fields };
}

/** Whether one control takes all answers: a choice among options, or yes and no. Else each answer has a field. */
export function isChoice({ options = [], type, repeats }: RenderReadyItem): boolean {
  return options.length > 0 || (type === 'boolean' && !repeats);
}

function readItems(items: readonly RenderReadyItem[], occurrence: string, reading: Reading): FilledItem[] {
  return items.map((item, index) => readItem(item, childPath(occurrence, index), reading));
}

function readItem(item: RenderReadyItem, path: string, reading: Reading): FilledItem {
  if (item.type === 'display') return { item, path, occurrences: [] };
  if (item.type === 'group') return { item, path, occurrences: readGroup(item, path, reading) };
  if (isFixed(item)) return { item, path, occurrences: fixedAnswers(item, path, reading) };
  if (isChoice(item)) return { item, path, occurrences: readChoice(item, path, reading) };
  return { item, path, occurrences: item.repeats ? readRows(item, path, reading) : [readOne(item, path, reading)] };
}

function readGroup(item: RenderReadyItem, path: string, reading: Reading): Occurrence[] {
  if (!item.repeats) return [group(item, path, reading)];
  const count = rowsOf(item, path, reading, 0);
  return Array.from({ length: count }, (_, index) => group(item, rowPath(path, index), reading));
}

function group(item: RenderReadyItem, path: string, reading: Reading): Occurrence {
  return { path, answer: undefined, items: readItems(item.items ?? [], path, reading) };
}

/** The rows that are there, the least that are asked for, or those of first values. */
function rowsOf(item: RenderReadyItem, path: string, reading: Reading, first: number): number {
  const { fields } = reading;
  const least = Math.max(1, item.required ? Math.min(item.limits?.min_answers ?? 1, MOST_ROWS) : 1);
  const given = /^\d{1,3}$/.test(textIn(fields, part.rows(path))) ? Number(textIn(fields, part.rows(path))) : undefined;
  const wanted = Math.min(MOST_ROWS, Math.max(1, given ?? Math.max(least, first)));
  const count = Math.max(1, Math.min(wanted, reading.left));
  reading.left = Math.max(0, reading.left - count);
  fields[part.rows(path)] = [String(count)];
  return count;
}

function fixedAnswers(item: RenderReadyItem, path: string, reading: Reading): Occurrence[] {
  const answers = reading.place.calculated?.get(path) ?? firstAnswers(item);
  return answers.map((answer, index) => answered(item, rowPath(path, index), { answer }, reading));
}

function readChoice(item: RenderReadyItem, path: string, reading: Reading): Occurrence[] {
  const { fields } = reading;
  if (item.options === undefined) return [readOne(item, path, reading)];
  if (fields[path] === undefined) Object.assign(fields, textsOfChoice(item, path, firstAnswers(item)));
  const options = item.options;
  const values = [...new Set(fields[path])];
  const chosen = values.flatMap((value) => {
    const option = options[optionIndex(value) ?? -1];
    return option === undefined ? [] : [answered(item, `${path}_${value}`, { answer: option.answer }, reading)];
  });
  const others = values.includes(OTHER) ? otherAnswers(item, path, reading) : [];
  return item.repeats ? [...chosen, ...others] : [...chosen, ...others].slice(0, 1);
}

/** What was written beside the options: one answer, or one for each line where several may be given. */
function otherAnswers(item: RenderReadyItem, path: string, reading: Reading): Occurrence[] {
  const typed = textIn(reading.fields, part.other(path));
  const texts = item.repeats ? typed.split('\n').map((line) => line.trim()) : [typed];
  const written = texts.filter((text) => text !== '').slice(0, MOST_ROWS);
  if (written.length === 0)
    return [{ path: part.other(path), answer: undefined, issue: { code: 'required' }, items: [] }];
  const read = (text: string): TypedAnswer =>
    item.other_answers === 'text' ? typedText({ ...item, type: 'string' }, text) : typedText(item, text);
  return written.map((text, index) => {
    const made = answered(item, `${path}_other${index}`, read(text), reading);
    return made.issue === undefined ? made : { ...made, path: part.other(path) };
  });
}

function readRows(item: RenderReadyItem, path: string, reading: Reading): Occurrence[] {
  const first = firstAnswers(item);
  const isUntouched = reading.fields[part.rows(path)] === undefined;
  const count = rowsOf(item, path, reading, first.length);
  return Array.from({ length: count }, (_, index) => {
    const answer = isUntouched ? first[index] : undefined;
    return readOne(item, rowPath(path, index), reading, answer);
  });
}

function readOne(
  item: RenderReadyItem,
  path: string,
  reading: Reading,
  first: AnswerValue | undefined = item.repeats ? undefined : firstAnswers(item)[0],
): Occurrence {
  const { fields, place } = reading;
  if (fields[path] === undefined && first !== undefined) Object.assign(fields, textsOfAnswer(item, path, first, place));
  return answered(item, path, typedAnswer(item, path, fields, place), reading);
}

/** The items within an answer are there once it is given. */
function answered(item: RenderReadyItem, path: string, { answer, issue }: TypedAnswer, reading: Reading): Occurrence {
  const items = answer === undefined ? [] : readItems(item.items ?? [], path, reading);
  return { path, answer, items, ...(issue === undefined ? {} : { issue }) };
}
