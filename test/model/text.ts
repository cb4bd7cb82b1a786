// Texts as a search compares them, written from the rules of FHIR's string and token searches (hl7.org/fhir/R5/search.html#string).

const SPECIAL: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', ß: 'ss', œ: 'oe', ł: 'l' };

/** Lower case, without accents and punctuation, words divided by single spaces. */
export function plainText(text: string): string {
  const letters = [...text.normalize('NFKD')].filter((letter) => !/\p{M}/u.test(letter));
  const words = letters
    .map((letter) => letter.toLowerCase())
    .map((letter) => SPECIAL[letter] ?? letter)
    .map((letter) => (/[\p{L}\p{N}]/u.test(letter) ? letter : ' '));
  return words.join('').split(' ').filter(Boolean).join(' ');
}

/** What of a text can be searched: its first 200 characters, by prefix from each of the first 16 words on. */
export function searchable(text: string): string {
  return plainText(text).slice(0, 200).trimEnd();
}

/** Whether the text, or what follows from one of its words on, begins so. */
export function hasWordBeginning(text: string, beginning: string): boolean {
  const words = searchable(text).split(' ');
  return words.slice(0, 16).some((_, index) => words.slice(index).join(' ').startsWith(searchable(beginning)));
}

/** Phone numbers and addresses of mail: without case, numbers without their dividing signs. */
export function plainContact(text: string): string {
  const lower = text.trim().toLowerCase();
  return lower.includes('@') ? lower : lower.replaceAll(/[\s()/.-]/g, '');
}

/** Divides at a sign that no backslash stands before. */
export function divide(text: string, sign: string): string[] {
  return text.split(new RegExp(`(?<=(?<!\\\\)(?:\\\\\\\\)*)\\${sign}`));
}

export function unescaped(text: string): string {
  return text.replaceAll(/\\([\\,|$])/g, '$1');
}

export function escaped(text: string): string {
  return text.replaceAll(/[\\,|$]/g, '\\$&');
}
