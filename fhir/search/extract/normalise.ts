// Normalises texts for search (hl7.org/fhir/R5/search.html#string; docs/adr/0053): without case, accents and
// punctuation.
import { createHash } from 'node:crypto';
import { foldMarks, hasWords, recompose } from './letters.ts';

/** The most characters of a text that are compared; only `:exact` compares the whole of a longer one. */
const MAX_COMPARED = 100_000;
/** The most characters of a text in an index row. */
export const MAX_INDEXED_TEXT = 200;
/** The most characters of an index row that begins at a later word of a longer text. */
export const MAX_BEGINNING = 64;
/** The most words of a text at which an index row begins. */
const MAX_BEGINNINGS = 1000;
const MAX_EXACT = 400;

/** Words that need only lower case. */
const WORDS = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const PLAIN = /^[a-z0-9 ]*[a-z0-9][a-z0-9 ]*$/;
const SPACES = / {2,}/g;
const BLANKS = /\s+/g;
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu;
/** Invisible characters: joiners, direction marks, soft hyphens, variation selectors. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/** Recent texts are cached, as they recur: a name in `name` and in `family`, a town in many addresses. */
const MAX_CACHED = 4_000;
const MAX_CACHED_LENGTH = 40;
const cache = new Map<string, string>();

/**
 * The text in lower case, without accents, with single spaces between words. A text without letters and digits keeps
 * its symbols.
 */
export function normaliseText(text: string): string {
  if (text.length > MAX_CACHED_LENGTH) return normalise(text);
  // This test is cheaper than a cache lookup, for which the string must be hashed.
  if (WORDS.test(text)) return text.toLowerCase();
  const known = cache.get(text);
  if (known !== undefined) return known;
  const normalised = normalise(text);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, normalised);
  return normalised;
}

function normalise(text: string): string {
  const head = cut(text, MAX_COMPARED);
  const lower = head.toLowerCase();
  if (PLAIN.test(lower)) return lower.includes('  ') ? lower.replace(SPACES, ' ').trim() : lower.trim();
  const seen = head.replace(INVISIBLE, '');
  const words = recompose(foldMarks(seen).replace(SEPARATORS, ' ').trim());
  return words === '' ? symbolsOf(seen) : words;
}

/** The symbols of a text without words. */
function symbolsOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(BLANKS, ' ').trim();
}

/** Whether a normalised text has only symbols, which are compared as they are. */
export function isSymbolsOnly(normalised: string): boolean {
  return !hasWords(normalised);
}

/** At most `length` characters, without a lone surrogate or a space at the end. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}

/** The part of a normalised text that an index row holds. */
export function indexedText(normalised: string): string {
  return cut(normalised, MAX_INDEXED_TEXT);
}

/** The beginnings at each word but the first, as long as index rows allow: "von essen" has "essen". */
export function laterBeginnings(normalised: string): string[] {
  const length = normalised.length > MAX_INDEXED_TEXT ? MAX_BEGINNING : MAX_INDEXED_TEXT;
  const beginnings: string[] = [];
  for (
    let at = normalised.indexOf(' ');
    at !== -1 && beginnings.length < MAX_BEGINNINGS - 1;
    at = normalised.indexOf(' ', at + 1)
  ) {
    beginnings.push(cut(normalised.slice(at + 1, at + 2 + length), length));
  }
  return beginnings;
}

/** Whether a normalised text, or the part from one of its words on, begins with `beginning`. */
export function startsWithAtAnyWord(normalised: string, beginning: string): boolean {
  return normalised.startsWith(beginning) || normalised.includes(` ${beginning}`);
}

/**
 * Whether a text as written contains the searched text. Symbols are searched as they are: normalised words have none.
 */
export function containsText(written: string, normalised: string): boolean {
  return normaliseText(written).includes(normalised) || (isSymbolsOnly(normalised) && written.includes(normalised));
}

/** Phone numbers and mail addresses: lower case, numbers without separators. */
export function normaliseContact(value: string): string {
  const lower = value.trim().toLowerCase();
  if (lower.includes('@')) return lower;
  const digits = lower.replace(/[\s()/.-]/g, '');
  return digits === '' ? lower : digits;
}

/** Codes and URLs, compared as they are. One that is too long for an index ends in the digest of the whole. */
export function exactText(text: string): string {
  if (text.length <= MAX_EXACT) return text;
  return `${text.slice(0, MAX_EXACT - 64)}${createHash('sha256').update(text).digest('hex')}`;
}
