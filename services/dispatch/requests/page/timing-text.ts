// Timing.repeat in words (hl7.org/fhir/R5/datatypes.html#Timing), in Swedish and English: `Every day, at 08:00`.

import { decimalText } from '#fhir/forms/issue-text.ts';
import { textIn } from '#fhir/json/members.ts';
import { type FhirObject, objectOf, textsOf } from '#fhir/json/objects.ts';
import type { Language } from '#lib/html/html.ts';
import { type Message, translator } from '#lib/html/messages.ts';
import messages from './timing-text.messages.json' with { type: 'json' };

/** A unit with its number, and every one, every second and every nth of it. */
type UnitWords = Readonly<Record<'one' | 'many' | 'each' | 'other' | 'nth', Message>>;

const UNITS: Readonly<Record<string, UnitWords>> = messages.units;
const DAYS: Readonly<Record<string, Message>> = messages.days;
const EVENTS: Readonly<Record<string, Message>> = messages.events;

/** Undefined when it says nothing that can be put in words. */
export function timingText(repeat: FhirObject, language: Language): string | undefined {
  const parts = [
    rateText(repeat, language),
    list(
      textsOf(repeat['dayOfWeek']).flatMap((day) => DAYS[day]?.[language] ?? []),
      language,
      'on',
    ),
    list(
      textsOf(repeat['timeOfDay']).map((time) => time.slice(0, 5)),
      language,
      'at',
    ),
    list(
      textsOf(repeat['when']).flatMap((event) => EVENTS[event]?.[language] ?? []),
      language,
      'when',
    ),
    countText(repeat, language),
    boundsText(repeat, language),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  const text = parts.join(', ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** `twice every 3 days`, `2–3 times a day`. */
function rateText(repeat: FhirObject, language: Language): string | undefined {
  const text = translator(messages.parts, language);
  const period = numberOf(repeat['period']);
  const unit = UNITS[textIn(repeat['periodUnit']) ?? ''];
  const frequency = spanOf(repeat['frequency'], repeat['frequencyMax']);
  if (period === undefined || unit === undefined) {
    return frequency === undefined || frequency === '1' ? undefined : text('times', { n: frequency });
  }
  const span = spanOf(repeat['period'], repeat['periodMax']) ?? String(period);
  if (frequency === undefined || frequency === '1') return everyText(span, unit, language);
  return span === '1'
    ? text('timesA', { n: frequency, unit: unit.one[language] })
    : text('timesIn', { times: frequency, n: span, unit: unit.many[language] });
}

/** @param span `2`, or `2–3` */
function everyText(span: string, unit: UnitWords, language: Language): string {
  if (span === '1') return unit.each[language];
  if (span === '2') return unit.other[language];
  const number = Number(span);
  if (Number.isInteger(number)) return translator(unit, language)('nth', { n: nthIn(number, language) });
  return translator(messages.parts, language)('every', { n: decimalText(span, language), unit: unit.many[language] });
}

const SWEDISH_ORDINALS = new Intl.PluralRules('sv', { type: 'ordinal' });

/** `3:e`, `21:a` in Swedish. English has the number itself. */
function nthIn(number: number, language: Language): string {
  if (language === 'en') return String(number);
  return `${number}:${SWEDISH_ORDINALS.select(number) === 'one' ? 'a' : 'e'}`;
}

function countText(repeat: FhirObject, language: Language): string | undefined {
  const count = spanOf(repeat['count'], repeat['countMax']);
  return count === undefined ? undefined : translator(messages.parts, language)('inAll', { n: count });
}

function boundsText(repeat: FhirObject, language: Language): string | undefined {
  const text = translator(messages.parts, language);
  const duration = objectOf(repeat['boundsDuration']);
  const unit = UNITS[textIn(duration?.['code']) ?? ''];
  const length = numberOf(duration?.['value']);
  if (length !== undefined && unit !== undefined) {
    return text('during', { n: length, unit: (length === 1 ? unit.one : unit.many)[language] });
  }
  const period = objectOf(repeat['boundsPeriod']);
  const [start, end] = [textIn(period?.['start'])?.slice(0, 10), textIn(period?.['end'])?.slice(0, 10)];
  if (start !== undefined && end !== undefined) return text('between', { start, end });
  if (start !== undefined) return text('from', { start });
  return end === undefined ? undefined : text('until', { end });
}

function list(words: readonly string[], language: Language, how: 'on' | 'at' | 'when'): string | undefined {
  if (words.length === 0) return undefined;
  const joined = new Intl.ListFormat(language, { type: 'conjunction' }).format(words);
  return translator(messages.parts, language)(how, { list: joined });
}

function spanOf(least: unknown, most: unknown): string | undefined {
  const [from, to] = [numberOf(least), numberOf(most)];
  if (from === undefined) return undefined;
  return to === undefined || to === from ? String(from) : `${from}–${to}`;
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'object' && value !== null ? Number(JSON.stringify(value)) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
