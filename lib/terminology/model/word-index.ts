// The words of a code system's names, by which its concepts are found as somebody types: the beginnings of words in codes, displays and
// designations, whatever the case and the accents. Made when it is first asked for.
import { addBit, type Bitset, emptyBitset } from './bitset.ts';
import type { CodeSystemModel } from './code-system-model.ts';
import { IntList, type Rows, rowOf, rowsOf } from './int-list.ts';

interface WordIndex {
  /** Sorted. */
  readonly words: readonly string[];
  /** Of each word the concepts that have it. */
  readonly rows: Rows;
}

/** Beginnings of which the concepts are kept, for each code system. */
const KEPT_EACH = 32;

const indexes = new WeakMap<CodeSystemModel, WordIndex>();
const kept = new WeakMap<CodeSystemModel, Map<string, Bitset>>();

const WORD = /[\p{L}\p{N}]+/gu;
const PLAIN = /^[ -~]*$/;
const PLAIN_WORD = /[a-z0-9]+/g;
const ACCENTS = /\p{M}/gu;

/** The words of a text as they are compared. */
export function wordsOf(text: string): string[] {
  // Nearly all names are plain, and there are half a million of them.
  if (PLAIN.test(text)) return text.toLowerCase().match(PLAIN_WORD) ?? [];
  return text.normalize('NFD').replaceAll(ACCENTS, '').toLowerCase().match(WORD) ?? [];
}

/** The concepts of which some word begins so. */
export function withWord(model: CodeSystemModel, beginning: string): Bitset {
  const known = kept.get(model) ?? new Map<string, Bitset>();
  kept.set(model, known);
  const found = known.get(beginning) ?? find(model, beginning);
  known.delete(beginning);
  known.set(beginning, found);
  if (known.size > KEPT_EACH) known.delete(known.keys().next().value ?? '');
  return found;
}

function find(model: CodeSystemModel, beginning: string): Bitset {
  const { words, rows } = indexOf(model);
  const bits = emptyBitset(model.size);
  for (let at = firstFrom(words, beginning); words[at]?.startsWith(beginning) === true; at += 1) {
    for (const place of rowOf(rows, at)) addBit(bits, place);
  }
  return bits;
}

function firstFrom(words: readonly string[], wanted: string): number {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function indexOf(model: CodeSystemModel): WordIndex {
  const made = indexes.get(model) ?? makeIndex(model);
  indexes.set(model, made);
  return made;
}

function makeIndex(model: CodeSystemModel): WordIndex {
  const numbers = new Map<string, number>();
  const wordOf = new IntList();
  const placeOf = new IntList();
  for (let place = 0; place < model.size; place += 1) {
    const names = [
      model.code(place),
      model.display(place) ?? '',
      ...model.designations(place).map(({ value }) => value),
    ];
    for (const word of new Set(names.flatMap(wordsOf))) {
      const number = numbers.get(word) ?? numbers.size;
      numbers.set(word, number);
      wordOf.push(number);
      placeOf.push(place);
    }
  }
  const words = [...numbers.keys()].sort((a, b) => (a < b ? -1 : 1));
  const ranks = new Int32Array(words.length);
  for (const [rank, word] of words.entries()) ranks[numbers.get(word) ?? 0] = rank;
  const ranked = wordOf.finish().map((number) => ranks[number] ?? 0);
  return { words, rows: rowsOf(words.length, ranked, placeOf.finish()) };
}
