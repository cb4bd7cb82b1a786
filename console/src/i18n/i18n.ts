// The languages of the console. Swedish comes first and English is complete (test/gates/console-texts.test.ts). One of
// them is loaded; the other when somebody switches.
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

export const LANGUAGES = ['sv', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

const KEY = 'kedja-language';
const LOADERS = { sv: () => import('./sv.json'), en: () => import('./en.json') } as const;

/** What was chosen, else what the page was sent in. */
function firstLanguage(): Language {
  const chosen = localStorage.getItem(KEY) ?? document.documentElement.lang;
  return chosen === 'en' ? 'en' : 'sv';
}

export async function startTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({ lng: 'none', resources: {}, interpolation: { escapeValue: false } });
  await load(firstLanguage());
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(KEY, language);
  await load(language);
}

async function load(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, 'translation')) {
    const { default: texts } = await LOADERS[language]();
    i18next.addResourceBundle(language, 'translation', texts);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** The language of the texts that are shown. */
export function currentLanguage(): Language {
  return i18next.language === 'en' ? 'en' : 'sv';
}
