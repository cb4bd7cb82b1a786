// Normalised texts as a search compares them, written from the rules of FHIR's string and token searches
// (hl7.org/fhir/R5/search.html#string).

const SPECIAL: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', ß: 'ss', œ: 'oe', ł: 'l' };
/** Scripts whose letters are the same with and without accents. */
const WITH_ACCENTS = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u;
/** Mostly left out in writing: vowel points, but not the hamza. */
const OPTIONAL = /[\p{Script=Hebrew}\u064b-\u0652\u0670]/u;

/**
 * Lower case, without accents and punctuation, words divided by single spaces; the signs of a text that has nothing
 * else.
 */
export function plainText(text: string): string {
  let base = '';
  const letters = [...text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKD')].filter((letter) => {
    if (!/\p{M}/u.test(letter)) base = letter;
    else if (WITH_ACCENTS.test(base) || OPTIONAL.test(letter)) return false;
    return true;
  });
  const words = letters
    .map((letter) => letter.toLowerCase())
    .map((letter) => SPECIAL[letter] ?? letter)
    .map((letter) => (/[\p{L}\p{N}\p{M}]/u.test(letter) ? letter : ' '));
  const plain = words.join('').split(' ').filter(Boolean).join(' ').normalize('NFC');
  return plain === '' ? signs(text) : plain;
}

function signs(text: string): string {
  const seen = text
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .toLowerCase();
  return seen.split(/\s/u).filter(Boolean).join(' ');
}

function isSymbolsOnly(plain: string): boolean {
  return !/[\p{L}\p{N}\p{M}]/u.test(plain);
}

/** Whether the text, or what follows from one of its words on, begins so. */
export function hasWordBeginning(text: string, beginning: string): boolean {
  const words = plainText(text).split(' ');
  return words.some((_, index) => words.slice(index).join(' ').startsWith(plainText(beginning)));
}

/** Whether it is somewhere in the text: signs in what is written, all else in the words. */
export function contains(text: string, asked: string): boolean {
  const plain = plainText(asked);
  return plainText(text).includes(plain) || (isSymbolsOnly(plain) && text.includes(plain));
}

/** What stands for the letters of the Swedish alphabet after z, and those that are the same to it. */
const SWEDISH: Readonly<Record<string, string>> = { å: '{', ä: '|', æ: '|', ö: '}', ø: '}', œ: '}', ü: 'y' };

/** What a text is sorted by in Swedish, as a text whose characters are in order: signs, then digits, then letters. */
export function swedishOrder(text: string): string {
  const plain = plainText(text);
  if (isSymbolsOnly(plain)) return ` ${plain}`;
  const parts = [...text.normalize('NFC').toLowerCase()].map((letter) => SWEDISH[letter] ?? plainLetter(letter));
  return parts.join('').split(' ').filter(Boolean).join(' ').slice(0, 200);
}

function plainLetter(letter: string): string {
  const plain = plainText(letter);
  return isSymbolsOnly(plain) ? ' ' : plain;
}

/** Phone numbers and addresses of mail: without case, numbers without their dividing signs. */
export function plainContact(text: string): string {
  const lower = text.trim().toLowerCase();
  return lower.includes('@') ? lower : lower.replaceAll(/[\s()/.-]/g, '');
}

/** Divides at a sign that no backslash is before. */
export function divide(text: string, sign: string): string[] {
  return text.split(new RegExp(`(?<=(?<!\\\\)(?:\\\\\\\\)*)\\${sign}`));
}

export function unescaped(text: string): string {
  return text.replaceAll(/\\([\\,|$])/g, '$1');
}

export function escaped(text: string): string {
  return text.replaceAll(/[\\,|$]/g, '\\$&');
}
