// The settings in the reader's language. The services explain them in English; a setting without a Swedish text keeps
// that one.
import type { Language } from '../../i18n/i18n.ts';

interface Explained {
  readonly name: string;
  readonly section: string;
  readonly meaning: string;
  /** What holds without a value. */
  readonly when_unset: string | null;
}

/** The languages of `meaning` and `when_unset`. */
interface Worded {
  readonly language: Language;
  readonly unsetLanguage: Language;
}

export async function inWords<Of extends Explained>(
  settings: readonly Of[],
  language: Language,
): Promise<readonly (Of & Worded)[]> {
  if (language === 'en') return settings.map((setting) => ({ ...setting, language, unsetLanguage: language }));
  const { default: words } = await import('./meanings.sv.json', { with: { type: 'json' } });
  const sections = new Map(Object.entries(words.sections));
  const meanings = new Map(Object.entries(words.meanings));
  const unset = new Map(Object.entries(words.unset));
  return settings.map((setting) => {
    const { name, section } = setting;
    const meaning = meanings.get(name);
    const own = setting.when_unset === null ? undefined : unset.get(name);
    return {
      ...setting,
      section: sections.get(section) ?? section,
      meaning: meaning ?? setting.meaning,
      when_unset: own ?? setting.when_unset,
      language: meaning === undefined ? 'en' : language,
      unsetLanguage: own === undefined ? 'en' : language,
    };
  });
}
