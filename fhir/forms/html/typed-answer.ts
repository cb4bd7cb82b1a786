// Reads what was typed into a field as an answer of the item's type (hl7.org/fhir/R5/questionnaire.html, item.type).
// Numbers may have a decimal comma; dates and times may be written in usual short ways.

import { parseExactJson } from '../../json/exact-json.ts';
import { isDate, isDateTime } from '../../primitives/date-time.ts';
import { primitiveIssue } from '../../primitives/primitives.ts';
import type { IssueCode, IssueMessage } from '../issue-text.ts';
import type { RenderReadyItem, RenderReadyUnit } from '../render-ready-form.ts';
import { type AnswerValue, isRecord } from '../values.ts';
import { type Fields, part, textIn } from './fields.ts';

/** Undefined answer and issue: nothing was typed. */
export interface TypedAnswer {
  readonly answer?: AnswerValue;
  readonly issue?: IssueMessage;
}

/** The IANA name of the zone of times without one. */
export interface TypingPlace {
  readonly timeZone: string;
}

export function typedAnswer(item: RenderReadyItem, path: string, fields: Fields, place: TypingPlace): TypedAnswer {
  const text = textIn(fields, path);
  switch (item.type) {
    case 'dateTime':
      return typedDateTime(text, textIn(fields, part.time(path)), place);
    case 'quantity':
      return typedQuantity(item, text, textIn(fields, part.unit(path)));
    case 'attachment':
      return typedAttachment(item, path, fields);
    default:
      return text === '' ? {} : typedText(item, text);
  }
}

/** An answer that is written as one text. */
export function typedText(item: RenderReadyItem, text: string): TypedAnswer {
  switch (item.type) {
    case 'boolean':
      return text === 'true' || text === 'false' ? { answer: { valueBoolean: text === 'true' } } : wrong('option');
    case 'decimal':
      return typedNumber(text);
    case 'integer':
      return typedInteger(text);
    case 'date': {
      const date = dateOf(text);
      return date === undefined ? wrong('date') : { answer: { valueDate: date } };
    }
    case 'time': {
      const time = timeOf(text);
      return time === undefined ? wrong('time') : { answer: { valueTime: time } };
    }
    case 'url':
      return primitiveIssue('uri', text) === undefined ? { answer: { valueUri: text } } : wrong('url');
    case 'coding':
      return isStorable(text) ? { answer: { valueCoding: codingOf(text) } } : wrong('text');
    case 'reference':
      return isStorable(text) ? { answer: { valueReference: referenceOf(item, text) } } : wrong('reference');
    default:
      return isStorable(text) ? { answer: { valueString: text } } : wrong('text');
  }
}

function isStorable(text: string): boolean {
  return primitiveIssue('string', text) === undefined && !text.includes('\u0000');
}

/** The unit of a quantity, or the one that its limits are in. */
export function unitsOf({ units = [], limits = {} }: RenderReadyItem): readonly RenderReadyUnit[] {
  if (units.length > 0) return units;
  const limit = [limits.min_value, limits.max_value].find(isRecord);
  if (typeof limit?.['code'] !== 'string') return [];
  const { system, code, unit } = limit;
  return [
    {
      code,
      ...(typeof system === 'string' ? { system } : {}),
      ...(typeof unit === 'string' ? { label: unit } : {}),
    },
  ];
}

/** `72,5`, `1 000` and `−2` as JSON writes them; undefined for anything but a number. */
function numberWritten(text: string): string | undefined {
  const plain = text
    .replaceAll(/[\s\u00a0\u202f]/g, '')
    .replace(',', '.')
    .replace('\u2212', '-')
    .replace(/^\+/, '');
  if (!/^-?\d{1,20}(?:\.\d{1,20})?$/.test(plain)) return undefined;
  return plain.replace(/^(-?)0+(?=\d)/, '$1');
}

function wrong(code: IssueCode): TypedAnswer {
  return { issue: { code } };
}

function typedNumber(text: string): TypedAnswer {
  const written = numberWritten(text);
  return written === undefined ? wrong('number') : { answer: { valueDecimal: parseExactJson(written) } };
}

function typedInteger(text: string): TypedAnswer {
  const value = Number(numberWritten(text) ?? Number.NaN);
  return primitiveIssue('integer', value) === undefined ? { answer: { valueInteger: value } } : wrong('integer');
}

/** A FHIR date: `2026-03-31`, `20260331`, `2026-3-1`, `2026-03` or `2026`. */
function dateOf(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})(?:[-/.]?(\d{1,2})(?:[-/.]?(\d{1,2}))?)?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = [year, ...[month, day].flatMap((each) => each?.padStart(2, '0') ?? [])].join('-');
  return isDate(date) ? date : undefined;
}

/** A FHIR time: `08:30:00`, `8.30`, `0830`. */
function timeOf(text: string): string | undefined {
  const [, hour, minute, second = '00', fraction = ''] =
    /^([01]?\d|2[0-3])[:.]?([0-5]\d)(?:[:.]([0-5]\d)(\.\d{1,9})?)?$/.exec(text) ?? [];
  return hour === undefined ? undefined : `${hour.padStart(2, '0')}:${minute}:${second}${fraction}`;
}

function typedDateTime(date: string, time: string, { timeZone }: TypingPlace): TypedAnswer {
  if (date === '') return time === '' ? {} : wrong('datetime');
  if (date.includes('T')) return isDateTime(date) ? { answer: { valueDateTime: date } } : wrong('datetime');
  const day = dateOf(date);
  if (day === undefined) return wrong('datetime');
  if (time === '') return { answer: { valueDateTime: day } };
  const clock = timeOf(time);
  // A time needs the whole date.
  if (clock === undefined || day.length < 10) return wrong('datetime');
  const moment = Temporal.PlainDateTime.from(`${day}T${clock}`).toZonedDateTime(timeZone);
  return { answer: { valueDateTime: moment.toString({ timeZoneName: 'never' }) } };
}

function typedQuantity(item: RenderReadyItem, text: string, unit: string): TypedAnswer {
  const units = unitsOf(item);
  if (text === '') return unit === '' || units.length > 0 ? {} : wrong('number_missing');
  const written = numberWritten(text);
  if (written === undefined) return wrong('number');
  const value = parseExactJson(written);
  if (units.length === 0) {
    return isStorable(unit) || unit === ''
      ? { answer: { valueQuantity: { value, ...(unit === '' ? {} : { unit }) } } }
      : wrong('text');
  }
  const chosen = units.length === 1 ? units[0] : units[Number(/^u(\d{1,6})$/.exec(unit)?.[1] ?? Number.NaN)];
  if (chosen === undefined) return wrong('unit');
  const { system, code, label = code } = chosen;
  return { answer: { valueQuantity: { value, ...compact({ unit: label, system, code }) } } };
}

function typedAttachment(item: RenderReadyItem, path: string, fields: Fields): TypedAnswer {
  const [url, title] = [textIn(fields, path), textIn(fields, part.title(path))];
  if (url === '') return title === '' ? {} : wrong('url');
  if (primitiveIssue('url', url) !== undefined) return wrong('url');
  if (title !== '' && !isStorable(title)) return wrong('text');
  const types = item.limits?.media_types ?? [];
  const chosen = types.length === 1 ? types[0] : textIn(fields, part.mediaType(path));
  return { answer: { valueAttachment: compact({ contentType: chosen || undefined, url, title: title || undefined }) } };
}

/** `system|code`, or the words of a concept. */
function codingOf(text: string): object {
  const [, system, code] = /^([a-z][a-z0-9+.-]*:[^\s|]+)\|(\S+)$/i.exec(text) ?? [];
  return system === undefined ? { display: text } : { system, code };
}

/** A literal reference, or the name of what is meant. */
function referenceOf({ limits = {} }: RenderReadyItem, text: string): object {
  if (/^(?:[A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64}|(?:https?:\/\/|urn:)\S+)$/.test(text)) return { reference: text };
  const [type, ...others] = limits.resource_types ?? [];
  return { ...(type !== undefined && others.length === 0 ? { type } : {}), display: text };
}

function compact(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
