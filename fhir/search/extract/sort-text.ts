// Computes sort keys of texts (docs/adr/0053). A key is the normalised form. In it a language's own letters are
// replaced so that they sort in that language's order, such as å, ä and ö after z in Swedish. Sort keys compare by code
// point, in any database.
import { indexedText, isSymbolsOnly, normaliseText } from './normalise.ts';

export const DEFAULT_SORT_LANGUAGE = 'sv';

/** Latin letters beyond a to z, which a language may sort at a place of their own. */
const LETTERS = [...lettersBetween(0xdf, 0x24f), ...lettersBetween(0x1e00, 0x1eff)];
const BASE_LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/**
 * Added after a letter of a to z for the first letter that follows it. It is a letter that sorts after all others, and
 * that no name has.
 */
const FIRST_PLACE = 0x30000;
/** Enough characters for an index row. */
const MAX_READ = 1000;
const ASCII_WORD = /[A-Za-z0-9]/;
const ASCII = /^[\0-\x7f]*$/;

interface Alphabet {
  /** Matches the letters of `keys`. */
  readonly letter: RegExp;
  readonly letters: RegExp;
  readonly keys: ReadonlyMap<string, string>;
}

const alphabets = new Map<string, Alphabet>();

/** The sort key of a text, as long as an index row allows; undefined when it equals the normalised text. */
export function sortText(text: string, language: string): string | undefined {
  if (ASCII.test(text)) return ASCII_WORD.test(text) ? undefined : symbolsFirst(text);
  const normalised = normaliseText(text);
  if (isSymbolsOnly(normalised)) return symbolsFirst(normalised);
  const { letter, letters, keys } = alphabetOf(language);
  const small = text.slice(0, MAX_READ).normalize('NFC').toLowerCase();
  if (!letter.test(small)) return undefined;
  return indexedText(normaliseText(small.replace(letters, (found) => keys.get(found) ?? found)));
}

/** Symbols sort before digits and letters. */
function symbolsFirst(signs: string): string {
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

/** The letters that the language sorts differently from the root order, with their sort keys. */
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

/** The letter of a to z that a letter equals, or with a `+` the last one that it follows. */
function placeOf(letter: string, compare: Compare): string {
  const last = BASE_LETTERS.findLast((base) => compare(base, letter) <= 0) ?? '';
  return last !== '' && compare(last, letter) === 0 ? last : `${last}+`;
}

function lettersBetween(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)).filter(
    (letter) => letter === letter.toLowerCase() && /\p{L}/u.test(letter),
  );
}
