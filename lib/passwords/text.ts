// Normalises passwords: the form that is hashed, and the form that is compared with common passwords.

/** ASCII texts, which have no other form, no marks and no invisible characters. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/**
 * The form that is hashed and checked: the same characters typed on different keyboards are one password (NIST SP
 * 800-63B-4 §3.1.1.2).
 */
export function normalisePassword(typed: string): string {
  return typed.normalize('NFKC');
}

/**
 * The form in which passwords are compared: NFKC, lower case, without invisible characters and without space around it.
 */
export function foldPassword(typed: string): string {
  if (PRINTABLE_ASCII.test(typed)) return typed.toLowerCase().trim();
  return normalisePassword(typed)
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
    .normalize('NFKC')
    .trim();
}

/** A folded text without diacritics: `lösenord` is typed `losenord` too. */
export function withoutMarks(folded: string): string {
  return folded.normalize('NFD').replace(/\p{M}/gu, '');
}

const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
  '€': 'e',
};

/** A folded text with letters in place of similar digits and signs: `p@ssw0rd` is `password`. */
export function withLetters(folded: string): string {
  return [...folded].map((character) => LOOK_ALIKES[character] ?? character).join('');
}

/** The letters and digits of a folded text, without diacritics. */
export function compact(folded: string): string {
  if (PRINTABLE_ASCII.test(folded)) return folded.replace(/[^a-zA-Z0-9]/g, '');
  return withoutMarks(folded).replace(/[^\p{L}\p{N}]/gu, '');
}
