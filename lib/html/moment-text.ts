// Times on pages and in mails.
import type { Language } from './html.ts';

const TIME = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;

/** The date and the time of day in the time zone, which it names. @param moment also in milliseconds */
export function momentOf(
  moment: Date | number,
  { language, timeZone }: { readonly language: Language; readonly timeZone: string },
): string {
  const date = { day: 'numeric', month: 'long', year: 'numeric' } as const;
  return new Intl.DateTimeFormat(localeOf(language), { ...date, ...TIME, timeZone }).format(moment);
}

/** The time of day alone, of a moment that is near. @param moment also in milliseconds */
export function timeOfDay(moment: Date | number, { language, timeZone }: Parameters<typeof momentOf>[1]): string {
  return new Intl.DateTimeFormat(localeOf(language), { ...TIME, timeZone }).format(moment);
}

function localeOf(language: Language): string {
  return language === 'sv' ? 'sv-SE' : 'en-GB';
}
