// Selects the name of a concept to show: the one in the most preferred language (displayLanguage, in the form of
// Accept-Language with weights; hl7.org/fhir/R5/valueset-operation-expand.html, RFC 9110 12.5.4, RFC 4647 3.4).
import type { Designation } from '../model/code-system-model.ts';

/** Languages in order of preference; `*` is any. */
export type Languages = readonly string[];

/** Parses the languages; empty when only `*` is requested. */
export function readLanguages(given: string | undefined): Languages {
  if (given === undefined) return [];
  const languages = given
    .split(',')
    .map((item) => {
      const [tag = '', ...parameters] = item.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
  return languages[0] === '*' ? [] : languages;
}

export interface Names {
  readonly display: string | undefined;
  /** The language of the display. */
  readonly language: string | undefined;
  readonly designations: readonly Designation[];
}

/** The name to show: the display when no language is requested, or when there is no name in it. */
export function nameIn(languages: Languages, names: Names): string | undefined {
  for (const wanted of languages) {
    if (wanted === '*') break;
    const found = nameInOne(wanted, names);
    if (found !== undefined) return found;
  }
  return names.display;
}

function nameInOne(wanted: string, { display, language, designations }: Names): string | undefined {
  if (display !== undefined && language !== undefined && isInLanguage(language, wanted)) return display;
  const fitting = designations.filter((each) => each.language !== undefined && isInLanguage(each.language, wanted));
  const isName = ({ use }: Designation): boolean => use === undefined || NAME_USES.has(use.code ?? '');
  // A preferred name takes precedence over synonyms and definitions.
  return (fitting.find(isName) ?? fitting[0])?.value;
}

/** hl7.org/fhir/R5/valueset-designation-use.html; SNOMED CT: synonym, which is the one to show. */
const NAME_USES = new Set(['display', 'preferredForLanguage', '900000000000013009']);

/** Whether a text in the language matches the requested one: `sv-FI` for `sv`, and `sv` for `sv-SE`. */
export function isInLanguage(language: string, wanted: string): boolean {
  const [a, b] = [language.toLowerCase(), wanted.toLowerCase()];
  return a === b || a.startsWith(`${b}-`) || b.startsWith(`${a}-`);
}
