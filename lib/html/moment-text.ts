// Times on the pages of the receipt link.
import type { Language } from '#lib/html/html.ts';

/** In the deployment's time zone, which it names. */
export function momentOf(
  moment: Date,
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
