// Parses dates and times of FHIR R5 (hl7.org/fhir/R5/datatypes.html#dateTime). It returns whether a text is a date of
// the calendar, and the interval of UTC milliseconds that it stands for (hl7.org/fhir/R5/search.html#date).

const DATE_TIME =
  /^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.(\d{1,9}))?)?(Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?)?)?)?$/;

const ZERO = 48;
/** Lengths of `YYYY-MM-DD` and `+zz:zz`, and the index of `:ss`. */
const DAY_LENGTH = 10;
const ZONE_LENGTH = 6;
const SECONDS_AT = 16;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The interval that a date or time stands for, in milliseconds since 1970 UTC, both ends included. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** The precision of a date or time as written. */
export type DateTimePrecision = 'year' | 'month' | 'day' | 'minute' | 'second' | 'fraction';

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millis: number;
  readonly zone: string | undefined;
  readonly precision: DateTimePrecision;
}

/**
 * The interval of a FHIR date, dateTime or instant: `2020-02` is the whole of February, and `end` is its last
 * millisecond. Minutes without seconds are allowed, as in searches. A text without a zone is UTC. Undefined for an
 * invalid date (`2023-02-29`).
 */
export function parseDateTimePeriod(text: string): Period | undefined {
  const parts = parse(text);
  if (parts === undefined) return undefined;
  const offset = parts.zone === undefined ? 0 : offsetMillis(parts.zone);
  const start =
    utc(parts.year, parts.month, parts.day) +
    ((parts.hour * 60 + parts.minute) * 60 + parts.second) * 1000 +
    parts.millis -
    offset;
  return { start, end: start + lengthMillis(parts) - 1 };
}

/** The precision of the text; undefined for an invalid date or time. */
export function dateTimePrecision(text: string): DateTimePrecision | undefined {
  return parse(text)?.precision;
}

/** Whether the text is a FHIR `date`: a year, month or day of the calendar. */
export function isDate(text: string): boolean {
  return text.length <= DAY_LENGTH && isReal(text);
}

/** Whether the text is a FHIR `dateTime`: a date, or a time to the second with zone. */
export function isDateTime(text: string): boolean {
  return (text.length <= DAY_LENGTH || isExactWithZone(text)) && isReal(text);
}

/** Whether the text is a FHIR `instant`: a time to the second or better, with zone. */
export function isInstant(text: string): boolean {
  return text.length > DAY_LENGTH && isExactWithZone(text) && isReal(text);
}

/** Whether the text is a valid date or time. It is not split into parts, as every resource has several dates. */
function isReal(text: string): boolean {
  if (!DATE_TIME.test(text) || text.startsWith('0000')) return false;
  if (text.length < DAY_LENGTH) return true;
  const day = twoDigits(text, 8);
  return day <= 28 || day <= daysIn(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5));
}

/** Whether a text in the form of a time has seconds and a zone. */
function isExactWithZone(text: string): boolean {
  const sign = text.charAt(text.length - ZONE_LENGTH);
  return text.charAt(SECONDS_AT) === ':' && (text.endsWith('Z') || sign === '+' || sign === '-');
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

function parse(text: string): Parts | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = match[2] === undefined ? 1 : Number(match[2]);
  const day = match[3] === undefined ? 1 : Number(match[3]);
  if (year === 0 || day > daysIn(year, month)) return undefined;
  const fraction = match[7];
  return {
    year,
    month,
    day,
    hour: match[4] === undefined ? 0 : Number(match[4]),
    minute: match[5] === undefined ? 0 : Number(match[5]),
    second: match[6] === undefined ? 0 : Number(match[6]),
    millis: fraction === undefined ? 0 : Number(fraction.padEnd(3, '0').slice(0, 3)),
    zone: match[8],
    precision: precisionOf(match),
  };
}

function precisionOf(match: RegExpExecArray): DateTimePrecision {
  if (match[7] !== undefined) return 'fraction';
  if (match[6] !== undefined) return 'second';
  if (match[4] !== undefined) return 'minute';
  if (match[3] !== undefined) return 'day';
  return match[2] === undefined ? 'year' : 'month';
}

function lengthMillis(parts: Parts): number {
  switch (parts.precision) {
    case 'year':
      return utc(parts.year + 1, 1, 1) - utc(parts.year, 1, 1);
    case 'month':
      return daysIn(parts.year, parts.month) * 86_400_000;
    case 'day':
      return 86_400_000;
    case 'minute':
      return 60_000;
    case 'second':
      return 1000;
    case 'fraction':
      return 1;
    default:
      return parts.precision satisfies never;
  }
}

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
}

/** Date.UTC, also for the years 1–99, which it would move to the twentieth century. */
function utc(year: number, month: number, day: number): number {
  return year > 99 ? Date.UTC(year, month - 1, day) : new Date(0).setUTCFullYear(year, month - 1, day);
}

function offsetMillis(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
