// Parses Swedish personal and coordination numbers (decision I6; SKV 704 and 707). Accepts 10 or 12 digits, with or
// without `-` or `+`, verifies date and check digit, and returns 12 digits. Pure.
import { luhnDigit } from '#lib/luhn.ts';

const FORM = /^(\d{2})?(\d{2})(\d{2})(\d{2})([-+]?)(\d{3})(\d)$/;
/** A coordination number has 60 added to its day. */
const COORDINATION_DAYS = 60;
const OLDEST_YEAR = 1850;
const SWEDISH_DATE = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Stockholm' });

/**
 * The number as 12 digits; undefined when the text is not a valid number. `now` (milliseconds) decides the century of
 * 10 digits.
 */
export function parsePersonnummer(text: string, now: number): string | undefined {
  const match = FORM.exec(text.trim());
  if (match === null) return undefined;
  const [, century, yy = '', mm = '', dd = '', separator = '', serial = '', check = ''] = match;
  if (luhnDigit(`${yy}${mm}${dd}${serial}`) !== Number(check)) return undefined;
  const day = Number(dd) > COORDINATION_DAYS ? Number(dd) - COORDINATION_DAYS : Number(dd);
  const birth = { yy: Number(yy), month: Number(mm), day };
  const year = century === undefined ? yearOf(birth, separator, now) : Number(century + yy);
  if (year < OLDEST_YEAR || !isPastDate({ ...birth, year }, now)) return undefined;
  return `${String(year).padStart(4, '0')}${mm}${dd}${serial}${check}`;
}

interface Birth {
  readonly yy: number;
  readonly month: number;
  readonly day: number;
}

/**
 * The latest year that puts the date in the past. A `+` means that the person turns a hundred in that year or did so
 * earlier.
 */
function yearOf(birth: Birth, separator: string, now: number): number {
  const thisYear = swedishYear(now);
  const latest = thisYear - (separator === '+' ? 100 : 0);
  const year = latest - ((((latest - birth.yy) % 100) + 100) % 100);
  return isPastDate({ ...birth, year }, now) ? year : year - 100;
}

function isPastDate({ year, month, day }: { year: number; month: number; day: number }, now: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && `${swedishDate(now)}` >= date.toISOString().slice(0, 10);
}

function swedishYear(now: number): number {
  return Number(swedishDate(now).slice(0, 4));
}

/** The date in Sweden: a child may be registered on the day of its birth. */
function swedishDate(now: number): string {
  return SWEDISH_DATE.format(now);
}
