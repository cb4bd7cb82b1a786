// Detects common passwords: those on the list, and the usual disguises of them. The list is made by
// scripts/compile-common-passwords.ts and read when the first password is checked.
import { readFileSync } from 'node:fs';
import { type FingerprintSet, readFingerprints } from './fingerprints.ts';
import { isPattern, repeatedUnit } from './patterns.ts';
import { compact, withLetters, withoutMarks } from './text.ts';

const FILE = new URL('./generated/common-passwords.bin', import.meta.url);
/** The shortest listed word that counts. Shorter ones are in too many good passwords. */
const SHORTEST_WORD = 4;
/** The most digits and signs around a word that attackers soon try. */
const FEW = 6;
/** A date, a telephone number, a personnummer without its century. */
const MANY_DIGITS = 11;

let list: FingerprintSet | undefined;

/** How many passwords and words the list holds. */
export function countCommonPasswords(): number {
  return commonPasswords().size;
}

/**
 * Whether a folded password is common: itself, without spaces and signs, with letters for look-alikes, repeated, or
 * dressed up.
 */
export function isCommon(folded: string): boolean {
  if (/^\p{N}+$/u.test(compact(folded))) return isPlainNumber(compact(folded));
  const unit = repeatedUnit(folded);
  return isListed(folded) || isDressedUp(folded) || (unit !== undefined && isListed(unit));
}

/** Passwords of digits alone are guessed fast. */
function isPlainNumber(digits: string): boolean {
  return digits.length <= MANY_DIGITS || isListed(digits) || /^(?:19|20)\d{10}$/.test(digits);
}

function isListed(folded: string): boolean {
  const forms = [folded, withoutMarks(folded), compact(folded), compact(withLetters(folded))];
  return [...new Set(forms)].some((form) => form.length >= SHORTEST_WORD && commonPasswords().has(form));
}

/** A listed word with a few digits and signs before and after it, or with such as follow a pattern. */
function isDressedUp(folded: string): boolean {
  const [, before = '', word = '', after = ''] = /^([^\p{L}]*)(.*?)([^\p{L}]*)$/su.exec(folded) ?? [];
  if (word.length < SHORTEST_WORD || before + after === '') return false;
  const isPlain =
    [...before, ...after].length <= FEW || [before, after].every((part) => part === '' || isPattern(part));
  // A sign may stand for the first or the last letter of the word: `$ommar2024`.
  const words = [word, `${before.slice(-1)}${word}`, `${word}${after.slice(0, 1)}`];
  return isPlain && words.some(isListed);
}

function commonPasswords(): FingerprintSet {
  list ??= readFingerprints(readFileSync(FILE));
  return list;
}
