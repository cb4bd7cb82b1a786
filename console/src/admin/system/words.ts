// The settings in the reader's language. The services explain them in English; a setting without a Swedish text keeps
// that one.
import type { Language } from '../../i18n/i18n.ts';

interface Explained {
  readonly name: string;
  readonly section: string;
  readonly meaning: string;
}

/** Each with the language of its `meaning`. */
export async function inWords<Of extends Explained>(
  settings: readonly Of[],
  language: Language,
): Promise<readonly (Of & { readonly language: Language })[]> {
  if (language === 'en') return settings.map((setting) => ({ ...setting, language }));
  const { default: words } = await import('./meanings.sv.json');
  const sections = new Map(Object.entries(words.sections));
  const meanings = new Map(Object.entries(words.meanings));
  return settings.map((setting) => {
    const { name, section } = setting;
    const meaning = meanings.get(name);
    return {
      ...setting,
      section: sections.get(section) ?? section,
      meaning: meaning ?? setting.meaning,
      language: meaning === undefined ? 'en' : language,
    };
  });
}
