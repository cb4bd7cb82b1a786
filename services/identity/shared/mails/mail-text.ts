// The text of a mail in the language of its reader, or in both where that is unknown.
import type { Language } from '#lib/html/html.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** @param write writes it in one language, without a line break at its end */
export function mailText(language: Language | undefined, write: (language: Language) => MailText): MailText {
  const languages: readonly Language[] = language === undefined ? ['sv', 'en'] : [language];
  const parts = languages.map(write);
  return {
    subject: parts.map(({ subject }) => subject).join(' / '),
    text: `${parts.map(({ text }) => text).join('\n\n---\n\n')}\n`,
  };
}
