// Code systems that are defined by a grammar and not by a list: language tags, media types and units of measure.
import { isLanguageTag, isMediaType } from '#fhir/primitives/code-syntax.ts';
import { isUcumCode } from '#fhir/ucum/ucum-code.ts';

export interface CodeGrammar {
  /** The name of the code system. */
  readonly name: string;
  readonly expected: string;
  readonly holds: (code: string) => boolean;
  /** The display of a code, in the first of the languages that can be shown. */
  readonly displayOf: (code: string, languages: readonly string[]) => string;
}

/** Units and media types are their own display. */
const asCode = (code: string): string => code;

/** The name of a language tag (`English (United Kingdom)`); the tag itself where there is none. */
function languageDisplay(tag: string, languages: readonly string[]): string {
  try {
    return nameOfLanguage(tag, languages);
  } catch {
    // Registered tags such as i-klingon have no name.
    return tag;
  }
}

function nameOfLanguage(tag: string, languages: readonly string[]): string {
  const shown = [...languages, 'en'].find((each) => Intl.DisplayNames.supportedLocalesOf(each).length > 0) ?? 'en';
  return new Intl.DisplayNames(shown, { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag;
}

const GRAMMARS: ReadonlyMap<string, CodeGrammar> = new Map([
  [
    'urn:ietf:bcp:47',
    {
      name: 'BCP47',
      expected: 'a language tag such as sv or en-GB',
      holds: isLanguageTag,
      displayOf: languageDisplay,
    },
  ],
  [
    'urn:ietf:bcp:13',
    {
      name: 'BCP13',
      expected: 'a media type such as application/pdf',
      holds: isMediaType,
      displayOf: asCode,
    },
  ],
  [
    'http://unitsofmeasure.org',
    { name: 'UCUM', expected: 'a unit such as mg/dL', holds: isUcumCode, displayOf: asCode },
  ],
]);

/** The URLs of the code systems that are defined by a grammar. */
export function grammarSystems(): readonly string[] {
  return [...GRAMMARS.keys()];
}

/** The grammar of a code system that is defined by one; undefined for all others. */
export function grammarOf(system: string): CodeGrammar | undefined {
  return GRAMMARS.get(system);
}
