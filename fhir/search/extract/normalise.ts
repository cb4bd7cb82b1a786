// How texts are made comparable for search (hl7.org/fhir/R5/search.html#string; docs/adr/0053): without case, accents
// and punctuation.
import { createHash } from 'node:crypto';
import { foldMarks, hasWords, recompose } from './letters.ts';

/** Of a text so many characters are compared; only `:exact` compares all of a longer one. */
const MAX_COMPARED = 100_000;
/** The characters of a text that an index entry holds. */
export const MAX_INDEXED_TEXT = 200;
/** The characters of what follows from a word of a text that is longer than that. */
export const MAX_BEGINNING = 64;
/** A text is found from so many of its words on. */
const MAX_BEGINNINGS = 1000;
const MAX_EXACT = 400;

/** Words that only have to be written small. */
const WORDS = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const PLAIN = /^[a-z0-9 ]*[a-z0-9][a-z0-9 ]*$/;
const SPACES = / {2,}/g;
const BLANKS = /\s+/g;
const SEPARATORS = /[^\p{L}\p{N}\p{M}]+/gu;
/** Signs that are not seen: joiners, marks of direction, soft hyphens, forms of emoji. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/**
 * Texts are seen again, as a name is in `name` and in `family`, or a town in many addresses: those of a while ago are
 * remembered.
 */
const MAX_REMEMBERED = 4_000;
const MAX_REMEMBERED_LENGTH = 40;
const remembered = new Map<string, string>();

/** Lower case, no accents, words divided by single spaces; a text without letters and digits keeps its signs. */
export function normaliseText(text: string): string {
  if (text.length > MAX_REMEMBERED_LENGTH) return normalise(text);
  // Less than a look into what is remembered, for which a text has to be made known to all maps.
  if (WORDS.test(text)) return text.toLowerCase();
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const normalised = normalise(text);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(text, normalised);
  return normalised;
}

function normalise(text: string): string {
  const head = cut(text, MAX_COMPARED);
  const lower = head.toLowerCase();
  if (PLAIN.test(lower)) return lower.includes('  ') ? lower.replace(SPACES, ' ').trim() : lower.trim();
  const seen = head.replace(INVISIBLE, '');
  const words = recompose(foldMarks(seen).replace(SEPARATORS, ' ').trim());
  return words === '' ? signsOf(seen) : words;
}

/** Of a text without words: its signs. */
function signsOf(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(BLANKS, ' ').trim();
}

/** Whether a normalised text is one of signs alone, which are compared as they are. */
export function isOfSigns(normalised: string): boolean {
  return !hasWords(normalised);
}

/** At most so many characters, without half a character or a space at the end. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}

/** As much of a normalised text as an index entry holds. */
export function indexedText(normalised: string): string {
  return cut(normalised, MAX_INDEXED_TEXT);
}

/** What follows from each word but the first, as much as index entries hold: "von essen" has "essen". */
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

/** Whether a normalised text, or what follows from one of its words, begins so. */
export function beginsSomewhere(normalised: string, beginning: string): boolean {
  return normalised.startsWith(beginning) || normalised.includes(` ${beginning}`);
}

/**
 * Whether a text as written contains what is asked for. Signs are looked for as they are: they are not among the words.
 */
export function containsText(written: string, normalised: string): boolean {
  return normaliseText(written).includes(normalised) || (isOfSigns(normalised) && written.includes(normalised));
}

/** Phone numbers and mail addresses: lower case, numbers without their dividing signs. */
export function normaliseContact(value: string): string {
  const lower = value.trim().toLowerCase();
  if (lower.includes('@')) return lower;
  const digits = lower.replace(/[\s()/.-]/g, '');
  return digits === '' ? lower : digits;
}

/** Codes and addresses compared as they are; one that is too long for an index ends in the digest of the whole. */
export function exactText(text: string): string {
  if (text.length <= MAX_EXACT) return text;
  return `${text.slice(0, MAX_EXACT - 64)}${createHash('sha256').update(text).digest('hex')}`;
}
