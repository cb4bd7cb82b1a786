// Folds letters to lower case without accents (docs/adr/0053). Marks over Latin, Greek and Cyrillic letters are
// removed, and so are the vowel points of Hebrew and Arabic. The vowel signs, tones and other marks of all other
// scripts count as letters.

const ACCENTS = marks(
  '0300-036f 0483-0489 1ab0-1aff 1dc0-1dff 20d0-20ff 2de0-2dff a66f-a672 a674-a67d a69e-a69f fe20-fe2f',
);
const POINTS =
  marks(`0591-05bd 05bf 05c1-05c2 05c4-05c5 05c7 0610-061a 064b-0652 0656-065f 0670 06d6-06dc 06df-06e4 06e7-06e8
  06ea-06ed`);
/** Letters that Unicode does not decompose, and the final sigma. */
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
  ς: 'σ',
};
const UNDIVIDED = /[øæœßłđðþıς]/g;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const ASCII = /^[\0-\x7f]*$/;

/** Removes marks from a decomposed text (NFD or NFKD). */
export function withoutAccents(apart: string): string {
  return apart.replace(ACCENTS, '').replace(POINTS, '');
}

/** The text in lower case, decomposed (NFKD), without marks over letters. */
export function foldMarks(text: string): string {
  // Decomposed first: only then has every letter a lower case form ("İ", "𝔸").
  return withoutAccents(text.normalize('NFKD'))
    .toLowerCase()
    .replace(UNDIVIDED, (letter) => LETTERS[letter] ?? letter);
}

/** Composes what is still decomposed: syllables of Hangul, kana with sound marks. */
export function recompose(folded: string): string {
  return ASCII.test(folded) ? folded : folded.normalize('NFC');
}

/** Whether there is a letter or a digit. */
export function hasWords(text: string): boolean {
  return WORD.test(text);
}

/** A pattern that matches the characters of the given hexadecimal code points. */
function marks(ranges: string): RegExp {
  const named = ranges.split(/\s+/).map((range) => range.replace(/[0-9a-f]+/g, '\\u$&'));
  return new RegExp(`[${named.join('')}]+`, 'g');
}
