// Texts of pages in Swedish and English. Each page has a message catalogue beside it, `<page>.messages.json`: groups of
// messages, and each message in every language. test/gates/messages.test.ts checks the catalogues.
import type { Language } from './html.ts';
import units from './units.messages.json' with { type: 'json' };

/** A text in every language; `{name}` is a placeholder. */
export type Message = Readonly<Record<Language, string>>;

/** Returns a text by its name, with `values` in its placeholders. */
export type Translate<Name extends string> = (name: Name, values?: Readonly<Record<string, string | number>>) => string;

/** The texts of a group of messages in one language. A group that lacks a language does not compile. */
export function translator<Name extends string>(
  messages: Readonly<Record<Name, Message>>,
  language: Language,
): Translate<Name> {
  return (name, values = {}) =>
    messages[name][language].replaceAll(/\{(\w+)\}/g, (place, key: string) => String(values[key] ?? place));
}

/** A time to wait in words: seconds up to two minutes, then whole minutes, rounded up. */
export function waitText(seconds: number, language: Language): string {
  const text = translator(units, language);
  if (seconds > 120) return text('minutes', { n: Math.ceil(seconds / 60) });
  return seconds === 1 ? text('second') : text('seconds', { n: seconds });
}
