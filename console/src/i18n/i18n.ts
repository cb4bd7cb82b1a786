// The languages of the console. Swedish comes first and English is complete (test/gates/console-texts.test.ts). One of
// them is loaded; the other when somebody switches. A face may have texts of its own, loaded with its screens.
import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { LANGUAGE_KEY, rememberView } from '../app/view.ts';
import { serverPlace } from '../place.ts';

export const LANGUAGES = ['sv', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** How the texts of each language are loaded; keys of different texts differ. */
export type Texts = Readonly<Record<Language, () => Promise<{ readonly default: object }>>>;

const BASE: Texts = { sv: () => import('./sv.json'), en: () => import('./en.json') };
/** Those that are in use. */
const used = new Set<Texts>([BASE]);
const loaded = new Map<Texts, Set<Language>>();

/** What was chosen, else what the page was sent in. */
function firstLanguage(): Language {
  const chosen = localStorage.getItem(LANGUAGE_KEY) ?? document.documentElement.lang;
  return chosen === 'en' ? 'en' : 'sv';
}

export async function startTexts(): Promise<void> {
  await init();
  await load(firstLanguage());
}

async function init(): Promise<void> {
  await i18next.use(initReactI18next).init({ lng: 'none', resources: {}, interpolation: { escapeValue: false } });
}

let starting: Promise<unknown> | undefined;

/** At the gateway, where the readers of one moment have different languages. */
export function startAllTexts(): Promise<unknown> {
  starting ??= init().then(() => Promise.all(LANGUAGES.map((language) => addTexts(BASE, language))));
  return starting;
}

const instances = new Map<Language, typeof i18next>();

/** The texts in one language, whatever the language of {@link startTexts}. */
export function textsIn(language: Language): typeof i18next {
  const texts = instances.get(language) ?? i18next.cloneInstance({ lng: language });
  instances.set(language, texts);
  return texts;
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(LANGUAGE_KEY, language);
  await load(language);
  rememberView();
}

/** The language whose texts are loaded, or are on their way: that of {@link currentLanguage} follows. */
let wanted: Language | undefined;

async function load(language: Language): Promise<void> {
  wanted = language;
  await Promise.all([...used].map((texts) => addTexts(texts, language)));
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Loads the texts of a face in the language of now; a switch loads them in the other one, too. */
export async function loadTexts(texts: Texts): Promise<void> {
  used.add(texts);
  // At the gateway a face is loaded once, for readers of both languages. In a browser it may be loaded while the
  // console starts or switches, when the language is still the one before.
  const languages = serverPlace() === undefined ? [wanted ?? firstLanguage()] : LANGUAGES;
  await Promise.all(languages.map((language) => addTexts(texts, language)));
}

async function addTexts(texts: Texts, language: Language): Promise<void> {
  const languages = loaded.get(texts) ?? new Set();
  if (languages.has(language)) return;
  const { default: found } = await texts[language]();
  i18next.addResourceBundle(language, 'translation', found, true);
  loaded.set(texts, languages.add(language));
}

/** The language of the texts that are shown. */
export function currentLanguage(): Language {
  const place = serverPlace();
  if (place !== undefined) return place.language;
  return i18next.language === 'en' ? 'en' : 'sv';
}
