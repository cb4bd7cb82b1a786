// Texts of pages in Swedish and English.
import type { Language } from './html.ts';

/** A text in both languages; `{name}` stands for a value. */
export interface Bilingual {
  readonly sv: string;
  readonly en: string;
}

/** A page's texts in one language. */
export type Speaker<Name extends string> = (name: Name, values?: Readonly<Record<string, string | number>>) => string;

/** The texts as a function of their name; `values` are put where `{name}` stands. */
export function speak<Name extends string>(
  texts: Readonly<Record<Name, Bilingual>>,
  language: Language,
): Speaker<Name> {
  return (name, values = {}) =>
    texts[name][language].replaceAll(/\{(\w+)\}/g, (place, key: string) => String(values[key] ?? place));
}

const UNITS = {
  second: { sv: '1 sekund', en: '1 second' },
  seconds: { sv: '{n} sekunder', en: '{n} seconds' },
  minutes: { sv: '{n} minuter', en: '{n} minutes' },
} as const satisfies Record<string, Bilingual>;

/** A time to wait in words: seconds up to two minutes, then whole minutes, rounded up. */
export function waitText(seconds: number, language: Language): string {
  const text = speak(UNITS, language);
  if (seconds > 120) return text('minutes', { n: Math.ceil(seconds / 60) });
  return seconds === 1 ? text('second') : text('seconds', { n: seconds });
}
