// How texts are made comparable for search (hl7.org/fhir/R5/search.html#string): without case, accents and punctuation.
import { createHash } from 'node:crypto';

/** Longest text kept in an index, in characters; longer texts are found by their beginning. */
const MAX_INDEXED_TEXT = 200;
const MAX_WORDS = 16;
const MAX_EXACT = 400;

/** Words that only have to be written small. */
const WORDS = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const PLAIN = /^[a-z0-9 ]*$/;
const SPACES = / {2,}/g;
const SEPARATORS = /[^\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
/** Letters that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const UNDIVIDED = /[øæœßłđðþı]/g;

/** Texts are seen again, as a name is in `name` and in `family`, or a town in many addresses: those of a while ago are remembered. */
const MAX_REMEMBERED = 4_000;
const MAX_REMEMBERED_LENGTH = 40;
const remembered = new Map<string, string>();

/** Lower case, no accents, words divided by single spaces, at most {@link MAX_INDEXED_TEXT} characters. */
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
  const head = text.length > 4 * MAX_INDEXED_TEXT ? text.slice(0, 4 * MAX_INDEXED_TEXT) : text;
  const lower = head.toLowerCase();
  if (PLAIN.test(lower)) return cut(lower.includes('  ') ? lower.replace(SPACES, ' ').trim() : lower.trim());
  // Taken apart first: only then has every letter a small form ("İ", "𝔸").
  const plain = head
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(UNDIVIDED, (letter) => LETTERS[letter] ?? letter);
  return cut(plain.replace(SEPARATORS, ' ').trim());
}

/** At most the indexed length, without half a character or a space at the end. */
function cut(text: string): string {
  return text.length <= MAX_INDEXED_TEXT
    ? text
    : text
        .slice(0, MAX_INDEXED_TEXT)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd();
}

/** The normalised text from its beginning and from the beginning of each of its first words: "von essen", "essen". */
export function wordBeginnings(normalised: string): string[] {
  const beginnings = [normalised];
  for (
    let at = normalised.indexOf(' ');
    at !== -1 && beginnings.length < MAX_WORDS;
    at = normalised.indexOf(' ', at + 1)
  ) {
    beginnings.push(normalised.slice(at + 1));
  }
  return beginnings;
}

/** Phone numbers and mail addresses: lower case, numbers without their dividing signs. */
export function normaliseContact(value: string): string {
  const lower = value.trim().toLowerCase();
  return lower.includes('@') ? lower : lower.replace(/[\s()/.-]/g, '');
}

/** Codes and addresses compared as they are; one that is too long for an index ends in the digest of the whole. */
export function exactText(text: string): string {
  if (text.length <= MAX_EXACT) return text;
  return `${text.slice(0, MAX_EXACT - 64)}${createHash('sha256').update(text).digest('hex')}`;
}
