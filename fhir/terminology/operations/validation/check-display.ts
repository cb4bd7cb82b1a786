// Compares the display of a coding with the names of its concept, in the languages of the request.
import { designationsOf } from '../../content/system-view.ts';
import { listed } from '../../messages.ts';
import type { Coding } from '../../model/code-system-model.ts';
import { isInLanguage, type Languages, nameIn, withdrawalOf } from '../languages.ts';
import { codingName } from './coding-name.ts';
import type { Issue } from './issues.ts';
import type { ConceptPlace } from './place.ts';

/** The most names in a message. */
const MAX_CHOICES = 10;

interface Name {
  readonly value: string;
  readonly language: string | undefined;
  /** The status of a name that is no longer used. */
  readonly withdrawal: string | undefined;
}

/** The name of the concept in the languages. */
export function displayOf(languages: Languages, { view, place, listed: own }: ConceptPlace): string | undefined {
  const { model } = view;
  if (languages.tags.length === 0) return model.display(place);
  const designations = [...(own?.designations ?? []), ...designationsOf(view, place)];
  const names = { display: model.display(place), language: model.meta.language, designations };
  return nameIn({ ...languages, isExclusive: false }, names);
}

function namesOf({ view, place, listed: own }: ConceptPlace): Name[] {
  const { model } = view;
  const found: Name[] = [];
  const add = (value: string | undefined, language: string | undefined, withdrawal: string | undefined): void => {
    if (value === undefined || found.some((each) => each.value === value && each.language === language)) return;
    found.push({ value, language, withdrawal });
  };
  add(model.display(place), model.meta.language, undefined);
  // A value set's own display is in no stated language.
  if (!found.some(({ value }) => value === own?.display)) add(own?.display, undefined, undefined);
  for (const each of [...(own?.designations ?? []), ...designationsOf(view, place)]) {
    add(each.value, each.language, withdrawalOf(each));
  }
  return found;
}

type DisplayIssue = Omit<Issue, 'expression'>;

/** Whether the display is a name of the concept in any language. */
export function isNameOf(display: string, at: ConceptPlace): boolean {
  return namesOf(at).some(({ value }) => fold(value) === fold(display));
}

export interface DisplayOptions {
  readonly languages: Languages;
  /** Whether a wrong display is only a warning. */
  readonly isLenient: boolean;
}

/** Most displays are the code system's own. */
function isOwnDisplay(display: string, { view: { model }, place }: ConceptPlace, { tags }: Languages): boolean {
  return model.display(place) === display && isWanted(model.meta.language, tags);
}

/** The issue with the coding's display; undefined for a right one. */
export function checkDisplay(coding: Coding, at: ConceptPlace, options: DisplayOptions): DisplayIssue | undefined {
  const { display } = coding;
  if (display === undefined || isOwnDisplay(display, at, options.languages)) return undefined;
  const names = namesOf(at);
  const { tags } = options.languages;
  const fitting = names.filter(({ language }) => isWanted(language, tags));
  const current = fitting.filter(({ withdrawal }) => withdrawal === undefined);
  const given = fold(display);
  if (current.some(({ value }) => fold(value) === given)) return undefined;
  const former = names.find(({ value, withdrawal }) => withdrawal !== undefined && fold(value) === given);
  if (former !== undefined) return commentOn(former, coding, at);
  const wrong = (message: string): DisplayIssue => ({
    severity: options.isLenient ? 'warning' : 'error',
    kind: 'invalid-display',
    message,
    isNotable: true,
  });
  const of = codingName({ ...coding, version: undefined, display: undefined });
  if (current.length === 0) return outsideLanguages(display, { names, of, languages: options.languages, at, wrong });
  const choices = current.slice(0, MAX_CHOICES).map(({ value, language }) => `'${value}'${languageName(language)}`);
  const named =
    current.length === 1 ? `is ${choices[0]}` : `is one of ${current.length} choices: ${listed(choices, 'or')}`;
  const isSpaced = current.some(({ value }) => foldSpace(value) === foldSpace(display));
  const what = isSpaced ? 'Wrong whitespace in Display Name' : 'Wrong Display Name';
  const languages = options.languages.given ?? '--';
  return wrong(`${what} '${display}' for ${of}. Valid display ${named} (for the language(s) '${languages}')`);
}

interface Outside {
  readonly names: readonly Name[];
  readonly of: string;
  readonly languages: Languages;
  readonly at: ConceptPlace;
  readonly wrong: (message: string) => DisplayIssue;
}

/** There is no name in the languages: the display is compared with those in the language of the code system. */
function outsideLanguages(display: string, { names, of, languages: { given }, at, wrong }: Outside): DisplayIssue {
  const { model } = at.view;
  if (names.length === 0) return wrong(`Cannot validate display Name '${display}' for ${of}: No displays are known`);
  const own = names.filter(
    ({ language }) => language === undefined || isWanted(language, ownTags(model.meta.language)),
  );
  if (own.some(({ value }) => fold(value) === fold(display))) {
    const message = `There are no valid display names found for the code ${of} for language(s) '${given}'. The display is '${display}' which is a valid display for the default language`;
    return { severity: 'information', kind: 'invalid-display', message, isNotable: true };
  }
  return wrong(
    `Wrong Display Name '${display}' for ${of}. There are no valid display names found for language(s) '${given}'. Default display is '${model.display(at.place) ?? ''}'`,
  );
}

function ownTags(language: string | undefined): readonly string[] {
  return language === undefined ? [] : [language];
}

function commentOn({ value, withdrawal }: Name, { code }: Coding, at: ConceptPlace): DisplayIssue {
  const right = namesOf(at)
    .filter((each) => each.withdrawal === undefined)
    .map((each) => `"${each.value}"`);
  const status = withdrawal === 'withdrawn' ? 'deprecated' : withdrawal;
  const message = `'${value}' is no longer considered a correct display for code '${code}' (status = ${status}). The correct display is one of ${listed(right, 'or')}.`;
  return { severity: 'warning', kind: 'display-comment', message };
}

/** A name of no stated language is one in every language. */
function isWanted(language: string | undefined, tags: readonly string[]): boolean {
  return tags.length === 0 || language === undefined || tags.some((tag) => isInLanguage(language, tag));
}

function languageName(language: string | undefined): string {
  return language === undefined ? '' : ` (${language})`;
}

/** Displays are compared without case. */
function fold(display: string): string {
  return display.toLowerCase();
}

function foldSpace(display: string): string {
  return fold(display.trim().replaceAll(/\s+/g, ' '));
}
