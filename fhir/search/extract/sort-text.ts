// What a text is sorted by (docs/adr/0053): its normalised form, in which the letters that a language has beside the
// Latin ones stand where that language has them: å, ä and ö after z in Swedish. The order is then that of the
// characters, in any database.
import { indexedText, isOfSigns, normaliseText } from './normalise.ts';

export const DEFAULT_SORT_LANGUAGE = 'sv';

/** Latin letters beyond a to z, of which a language may have some in a place of their own. */
const LETTERS = [...lettersBetween(0xdf, 0x24f), ...lettersBetween(0x1e00, 0x1eff)];
const BASE_LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/**
 * Stands behind a letter of a to z for the first of those that follow it: a letter that comes after all others, and
 * that no name has.
 */
const FIRST_PLACE = 0x30000;
/** Enough for what an index entry holds. */
const MAX_READ = 1000;
const ASCII_WORD = /[A-Za-z0-9]/;
const ASCII = /^[\0-\x7f]*$/;

interface Alphabet {
  /** Finds the letters of `keys`. */
  readonly letter: RegExp;
  readonly letters: RegExp;
  readonly keys: ReadonlyMap<string, string>;
}

const alphabets = new Map<string, Alphabet>();

/** What a text is sorted by, as much as an index entry holds; undefined where that is what it is searched by. */
export function sortText(text: string, language: string): string | undefined {
  if (ASCII.test(text)) return ASCII_WORD.test(text) ? undefined : signsFirst(text);
  const normalised = normaliseText(text);
  if (isOfSigns(normalised)) return signsFirst(normalised);
  const { letter, letters, keys } = alphabetOf(language);
  const small = text.slice(0, MAX_READ).normalize('NFC').toLowerCase();
  if (!letter.test(small)) return undefined;
  return indexedText(normaliseText(small.replace(letters, (found) => keys.get(found) ?? found)));
}

/** Signs come before digits and letters. */
function signsFirst(signs: string): string {
  return indexedText(` ${normaliseText(signs)}`);
}

function alphabetOf(language: string): Alphabet {
  const known = alphabets.get(language);
  if (known !== undefined) return known;
  const keys = keysOf(language);
  const any = keys.size === 0 ? '(?!)' : `[${[...keys.keys()].join('')}]`;
  const alphabet = { letter: new RegExp(any), letters: new RegExp(any, 'g'), keys };
  alphabets.set(language, alphabet);
  return alphabet;
}

/** The letters that the language has in other places than the order of all languages, with what they are sorted by. */
function keysOf(language: string): ReadonlyMap<string, string> {
  const own = new Intl.Collator(language, { sensitivity: 'base' }).compare;
  const common = new Intl.Collator('und', { sensitivity: 'base' }).compare;
  const moved = LETTERS.filter((letter) => placeOf(letter, own) !== placeOf(letter, common)).sort(own);
  const keys = new Map<string, string>();
  let place = FIRST_PLACE;
  for (const [index, letter] of moved.entries()) {
    const [base = '', ...behind] = placeOf(letter, own);
    const before = moved[index - 1];
    if (before !== undefined && own(before, letter) !== 0) place += 1;
    keys.set(letter, behind.length > 0 ? base + String.fromCodePoint(place) : base);
  }
  return keys;
}

type Compare = (a: string, b: string) => number;

/** The letter of a to z that a letter is the same as, or with a `+` the last one that it comes after. */
function placeOf(letter: string, compare: Compare): string {
  const last = BASE_LETTERS.findLast((base) => compare(base, letter) <= 0) ?? '';
  return last !== '' && compare(last, letter) === 0 ? last : `${last}+`;
}

function lettersBetween(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).filter(
    (letter) => letter === letter.toLowerCase() && /\p{L}/u.test(letter),
  );
}
