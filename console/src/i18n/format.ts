// Dates and numbers as they are written in Sweden, and in English: the day as 2026-11-26, the time as 14:05.

import { serverPlace } from '../place.ts';
import { currentLanguage } from './i18n.ts';
import { instantOf } from './instant.ts';

function locale(): string {
  return currentLanguage() === 'sv' ? 'sv-SE' : 'en-GB';
}

/** The reader's, which is the browser's own. */
function zone(): { readonly timeZone?: string } {
  const place = serverPlace();
  return place === undefined ? {} : { timeZone: place.timeZone };
}

/** A FHIR date, which may be a month or a year: it has no time zone. */
const DATE_ALONE = /^\d{4}(?:-\d{2}){0,2}$/;

/** `2026-11-26`, in the time zone of the reader. Text that is no date stays as it is. */
export function dayText(value: string): string {
  if (DATE_ALONE.test(value)) return value;
  const date = instantOf(value);
  return Number.isNaN(date.getTime()) ? value : new Intl.DateTimeFormat('sv-SE', zone()).format(date);
}

/** The last day before something ends at a moment, in Sweden, where services count days. */
export function lastDayText(end: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Stockholm' }).format(instantOf(end).getTime() - 1);
}

/** `torsdag 26 november`. */
export function longDayText(date: Date): string {
  return new Intl.DateTimeFormat(locale(), { weekday: 'long', day: 'numeric', month: 'long', ...zone() }).format(date);
}

/** `2026-11-26 14:05`; of a date alone the date, as nobody said a time. */
export function momentText(value: string): string {
  if (DATE_ALONE.test(value)) return value;
  const date = instantOf(value);
  return Number.isNaN(date.getTime()) ? value : `${dayText(value)} ${timeText(date)}`;
}

export function timeText(date: Date): string {
  return new Intl.DateTimeFormat('sv-SE', { hour: '2-digit', minute: '2-digit', ...zone() }).format(date);
}

/** A number with its unit, which may be empty: a count and a score have none. */
export function amountText(value: number, unit: string): string {
  return unit === '' ? numberText(value) : `${numberText(value)} ${unit}`;
}

/** With the decimal comma in Swedish. */
export function numberText(value: number): string {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: 6 }).format(value);
}
