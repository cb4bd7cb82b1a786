// Times on pages and in mails.
import type { Language } from './html.ts';

/** The date and the time of day in the time zone, which it names. @param moment also in milliseconds */
export function momentOf(
  moment: Date | number,
  { language, timeZone }: { readonly language: Language; readonly timeZone: string },
): string {
  return new Intl.DateTimeFormat(language === 'sv' ? 'sv-SE' : 'en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(moment);
}
