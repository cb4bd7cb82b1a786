// Which of a concept's names is shown: the one in the language that is wanted most (displayLanguage, in the form of
// Accept-Language with weights; hl7.org/fhir/R5/valueset-operation-expand.html, RFC 9110 12.5.4, RFC 4647 3.4).
import type { Designation } from '../model/code-system-model.ts';

/** Languages in the order in which they are wanted; `*` is any. */
export type Languages = readonly string[];

/** None where nothing but any language is asked for. */
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
  /** Of the display. */
  readonly language: string | undefined;
  readonly designations: readonly Designation[];
}

/** The name to be shown: without a wanted language, or where there is none in it, the display. */
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
  // A preferred name goes before synonyms and definitions.
  return (fitting.find(isName) ?? fitting[0])?.value;
}

/** hl7.org/fhir/R5/valueset-designation-use.html; SNOMED CT: synonym, which is what is shown. */
const NAME_USES = new Set(['display', 'preferredForLanguage', '900000000000013009']);

/** Whether a text in the language will do where the other is wanted: `sv-FI` for `sv`, and `sv` for `sv-SE`. */
export function isInLanguage(language: string, wanted: string): boolean {
  const [a, b] = [language.toLowerCase(), wanted.toLowerCase()];
  return a === b || a.startsWith(`${b}-`) || b.startsWith(`${a}-`);
}
