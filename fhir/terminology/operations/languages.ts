// Selects the name of a concept to show: the one in the most preferred language. The language is displayLanguage, in
// the form of Accept-Language with weights; hl7.org/fhir/R5/valueset-operation-expand.html, RFC 9110 12.5.4, RFC 4647
// 3.4).
import { objects } from '../json.ts';
import type { Designation } from '../model/code-system-model.ts';
import { standardsStatusOf } from '../model/extensions.ts';

export interface Languages {
  /** As they were given, in one form; undefined for none. */
  readonly given: string | undefined;
  /** In order of preference; the display in any language is preferred to those that come after `*`. */
  readonly tags: readonly string[];
  /** Whether no other language is accepted (`*;q=0`). */
  readonly isExclusive: boolean;
}

const ANY_LANGUAGE: Languages = { given: undefined, tags: [], isExclusive: false };

const ANY = '*';
/** The most languages that are tried for a name: those that are preferred. */
const MAX_TAGS = 50;
const TAG = /^(?:\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)$/;

/** Parses the languages. What is no language tag (`-`) is ignored. */
export function readLanguages(given: string | undefined): Languages {
  if (given === undefined) return ANY_LANGUAGE;
  const items = given
    .split(',')
    .map((item) => {
      const [tag = '', ...parameters] = item.split(';').map((part) => part.trim());
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
      return { tag, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ tag }) => TAG.test(tag));
  const preferredFirst = items.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  const tags = [...new Set(preferredFirst.map(({ tag }) => tag))].slice(0, MAX_TAGS);
  const isExclusive = items.some(({ tag, weight }) => tag === ANY && weight === 0);
  const first = tags.indexOf(ANY);
  const preferred = first === -1 ? tags : tags.slice(0, first);
  return preferred.length === 0 ? ANY_LANGUAGE : { given: written(items), tags: preferred, isExclusive };
}

interface Item {
  readonly tag: string;
  readonly weight: number;
}

function written(items: readonly Item[]): string {
  return items.reduce((text, { tag, weight }) => {
    const item = weight === 1 ? tag : `${tag}; q=${weight}`;
    if (text === '') return item;
    return weight === 1 ? `${text},${item}` : `${text}, ${item}`;
  }, '');
}

export interface Names {
  readonly display: string | undefined;
  /** The language of the display. */
  readonly language: string | undefined;
  readonly designations: readonly Designation[];
}

export interface ChosenName {
  readonly value: string;
  /** Undefined for the display itself. */
  readonly designation: Designation | undefined;
}

/**
 * The name to show: the display when no language is requested, or when there is no name in it. Undefined where other
 * languages are not accepted.
 */
export function chooseName(languages: Languages, names: Names): ChosenName | undefined {
  const { display, language } = names;
  for (const wanted of tagsWithNames(languages.tags, names)) {
    const isDisplay = display !== undefined && language !== undefined && isInLanguage(language, wanted);
    // A name in the dialect that is wanted takes precedence over a display in its language.
    const found = isDisplay ? nameInDialect(wanted, names) : designationIn(wanted, names);
    if (found !== undefined) return { value: found.value, designation: found };
    if (isDisplay) return named(display);
  }
  const isRefused = languages.isExclusive && language !== undefined;
  return display === undefined || isRefused ? undefined : named(display);
}

/** By the list of languages: which of them each language is, in their order. */
const fittingTags = new WeakMap<readonly string[], Map<string, readonly number[]>>();
/** As few languages are tried one by one. */
const FEW_TAGS = 2;

/** Those of the languages in which there is a name: a client may name many, and an expansion has many codes. */
function tagsWithNames(tags: readonly string[], { language, designations }: Names): readonly string[] {
  if (tags.length <= FEW_TAGS) return tags;
  const found = new Set(indexesOf(language, tags));
  for (const each of designations) for (const at of indexesOf(each.language, tags)) found.add(at);
  return [...found].sort((a, b) => a - b).map((at) => tags[at] ?? '');
}

const NO_INDEXES: readonly number[] = [];

function indexesOf(language: string | undefined, tags: readonly string[]): readonly number[] {
  if (language === undefined) return NO_INDEXES;
  const known = fittingTags.get(tags) ?? new Map<string, readonly number[]>();
  fittingTags.set(tags, known);
  const fitting = known.get(language) ?? [...tags.keys()].filter((at) => isInLanguage(language, tags[at] ?? ''));
  known.set(language, fitting);
  return fitting;
}

function named(value: string): ChosenName {
  return { value, designation: undefined };
}

export function nameIn(languages: Languages, names: Names): string | undefined {
  return languages.tags.length === 0 ? names.display : chooseName(languages, names)?.value;
}

function designationIn(wanted: string, { designations }: Names): Designation | undefined {
  const fitting = designations.filter(
    (each) => each.language !== undefined && isInLanguage(each.language, wanted) && withdrawalOf(each) === undefined,
  );
  // A preferred name takes precedence over synonyms and definitions.
  return fitting.find(isName) ?? fitting[0];
}

/** A name in exactly the language, where the display is in another form of it. */
function nameInDialect(wanted: string, { language, designations }: Names): Designation | undefined {
  const isWanted = (tag: string | undefined): boolean => tag?.toLowerCase() === wanted.toLowerCase();
  if (isWanted(language)) return undefined;
  return designations.find((each) => isWanted(each.language) && isName(each) && withdrawalOf(each) === undefined);
}

/** hl7.org/fhir/R5/valueset-designation-use.html; SNOMED CT: synonym, which is the one to show. */
const NAME_USES = new Set(['display', 'preferredForLanguage', '900000000000013009']);

function isName({ use }: Designation): boolean {
  return use === undefined || NAME_USES.has(use.code ?? '');
}

/** Statuses of a designation that must no longer be used. */
const WITHDRAWN = ['withdrawn', 'deprecated', 'retired'];

/** The status of a designation that is no longer used; undefined for any other one. */
export function withdrawalOf({ extensions }: Designation): string | undefined {
  if (extensions === undefined) return undefined;
  const status = standardsStatusOf({ extension: objects(extensions) });
  return WITHDRAWN.find((each) => each === status);
}

/** Whether a text in the language matches the requested one: `sv-FI` for `sv`, and `sv` for `sv-SE`. */
export function isInLanguage(language: string, wanted: string): boolean {
  const [a, b] = [language.toLowerCase(), wanted.toLowerCase()];
  return a === b || a.startsWith(`${b}-`) || b.startsWith(`${a}-`);
}
