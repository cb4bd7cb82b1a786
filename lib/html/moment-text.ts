// Times on pages and in mails.
import type { Language } from './html.ts';

/** The zone of the readers: a time in it goes without the name of the zone. */
export const SWEDISH_TIME = 'Europe/Stockholm';

/**
 * The date and the time of day in the time zone, which it names unless it is Sweden's.
 * @param moment also in milliseconds
 */
export function momentOf(
  moment: Date | number,
  { language, timeZone }: { readonly language: Language; readonly timeZone: string },
): string {
  const date = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  return new Intl.DateTimeFormat(localeOf(language), { ...date, ...timeIn(timeZone) }).format(moment);
}

/** The time of day alone, of a moment that is near. @param moment also in milliseconds */
export function timeOfDay(moment: Date | number, { language, timeZone }: Parameters<typeof momentOf>[1]): string {
  return new Intl.DateTimeFormat(localeOf(language), timeIn(timeZone)).format(moment);
}

function timeIn(timeZone: string): Intl.DateTimeFormatOptions {
  const name = timeZone === SWEDISH_TIME ? {} : ({ timeZoneName: 'short' } as const);
  return { hour: '2-digit', minute: '2-digit', ...name, timeZone };
}

function localeOf(language: Language): string {
  return language === 'sv' ? 'sv-SE' : 'en-GB';
}
