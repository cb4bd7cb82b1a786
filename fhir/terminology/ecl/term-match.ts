// Tests texts with the search terms of a filter: by the beginnings of words, or with wildcards.
import { wordsOf } from '../model/word-columns.ts';
import type { SearchTerm } from './syntax.ts';

/** Whether the text matches one of the terms. */
export function termTest(terms: readonly SearchTerm[]): (text: string) => boolean {
  const tests = terms.map((term) => (term.kind === 'match' ? matchTest(term.words) : wildTest(term.parts)));
  return (text) => tests.some((test) => test(text));
}

/** The normalised words of a term, each of which begins a word of the text. */
export function beginningsOf(words: readonly string[]): readonly string[] {
  return words.flatMap(wordsOf);
}

/** Word characters of plain ASCII, with where they begin; another character is between two words in any text. */
const PLAIN_WORD = /[a-z0-9]+/g;
const BETWEEN = /[ -/:-@[-`{-~]/;

/**
 * Normalised beginnings that words of a text with these parts have, by which the index finds it; there may be none. A
 * word whose beginning is at a wildcard says nothing. One that ends at a wildcard may have any letter next, with which
 * its last one may be another letter in the index. So that is left out.
 */
export function beginningsOfWild(parts: readonly string[]): readonly string[] {
  return parts.flatMap((given, number) => {
    const part = given.toLowerCase();
    return [...part.matchAll(PLAIN_WORD)].flatMap(({ 0: word, index }) => {
      const isBegun = index === 0 ? number === 0 : BETWEEN.test(part.charAt(index - 1));
      if (!isBegun) return [];
      const end = index + word.length;
      const isWhole = end === part.length ? number === parts.length - 1 : BETWEEN.test(part.charAt(end));
      const beginning = isWhole ? word : word.slice(0, -1);
      return beginning === '' ? [] : [beginning];
    });
  });
}

function matchTest(words: readonly string[]): (text: string) => boolean {
  const beginnings = beginningsOf(words);
  // A term of punctuation alone has no words.
  if (beginnings.length === 0) return (text) => words.every((word) => text.includes(word));
  return (text) => {
    const found = wordsOf(text);
    return beginnings.every((beginning) => found.some((word) => word.startsWith(beginning)));
  };
}

function wildTest(parts: readonly string[]): (text: string) => boolean {
  const [first = '', ...rest] = parts.map((part) => part.toLowerCase());
  const last = rest.pop();
  return (given) => {
    const text = given.toLowerCase();
    if (last === undefined) return text === first;
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}
