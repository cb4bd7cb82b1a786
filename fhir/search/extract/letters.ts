// Letters without case and accents (docs/adr/0053). What is put over Latin, Greek and Cyrillic letters is left out, and
// so are the vowel points that Hebrew and Arabic are mostly written without; the vowel signs, tones and other marks of
// all other scripts are letters of theirs.

const ACCENTS = marks(
  '0300-036f 0483-0489 1ab0-1aff 1dc0-1dff 20d0-20ff 2de0-2dff a66f-a672 a674-a67d a69e-a69f fe20-fe2f',
);
const POINTS =
  marks(`0591-05bd 05bf 05c1-05c2 05c4-05c5 05c7 0610-061a 064b-0652 0656-065f 0670 06d6-06dc 06df-06e4 06e7-06e8
  06ea-06ed`);
/** Letters that Unicode does not take apart, and the sigma at the end of a word. */
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

/** What Unicode has taken apart (NFD or NFKD) without what is put over letters. */
export function withoutAccents(apart: string): string {
  return apart.replace(ACCENTS, '').replace(POINTS, '');
}

/** In small letters, taken apart by Unicode, without what is put over letters. */
export function foldMarks(text: string): string {
  // Taken apart first: only then has every letter a small form ("İ", "𝔸").
  return withoutAccents(text.normalize('NFKD'))
    .toLowerCase()
    .replace(UNDIVIDED, (letter) => LETTERS[letter] ?? letter);
}

/** The letters put together again that are still in parts: syllables of Hangul, kana with their sound marks. */
export function recompose(folded: string): string {
  return ASCII.test(folded) ? folded : folded.normalize('NFC');
}

/** Whether there is a letter or a digit. */
export function hasWords(text: string): boolean {
  return WORD.test(text);
}

/** Finds any of the characters, which are given by their numbers in hex. */
function marks(ranges: string): RegExp {
  const named = ranges.split(/\s+/).map((range) => range.replace(/[0-9a-f]+/g, '\\u$&'));
  return new RegExp(`[${named.join('')}]+`, 'g');
}
