// Finds concepts by the beginnings of words in their names (./word-columns.ts).
import { addBit, type Bitset, emptyBitset } from './bitset.ts';
import type { CodeSystemModel } from './code-system-model.ts';
import type { WordColumns } from './word-columns.ts';

/** The concepts with a word that begins with the text, unordered and possibly repeated. */
export function placesWithPrefix(model: CodeSystemModel, beginning: string): Int32Array {
  const { words } = model;
  const bytes = Buffer.from(beginning);
  const first = firstFrom(words, bytes, false);
  const behind = firstFrom(words, bytes, true);
  return words.wordPlaces.subarray(words.wordStarts[first] ?? 0, words.wordStarts[behind] ?? 0);
}

/** The concepts with exactly this word, unordered. */
export function placesWithWord(model: CodeSystemModel, word: string): Int32Array {
  const { words } = model;
  const bytes = Buffer.from(word);
  const at = firstFrom(words, bytes, false);
  const start = at === 0 ? 0 : (words.wordEnds[at - 1] ?? 0);
  const found = words.wordBytes.subarray(start, words.wordEnds[at] ?? start);
  if (!bytes.equals(found)) return words.wordPlaces.subarray(0, 0);
  return words.wordPlaces.subarray(words.wordStarts[at] ?? 0, words.wordStarts[at + 1] ?? 0);
}

/** Bytes of cached sets of each code system: of the prefixes that were asked for last. */
const MAX_CACHED_BYTES = 1 << 23;
const cache = new WeakMap<CodeSystemModel, Map<string, Bitset>>();

/** The same as a set. */
export function setWithPrefix(model: CodeSystemModel, beginning: string): Bitset {
  const known = cache.get(model) ?? new Map<string, Bitset>();
  cache.set(model, known);
  const found = known.get(beginning) ?? setOf(model.size, placesWithPrefix(model, beginning));
  known.delete(beginning);
  known.set(beginning, found);
  if (known.size * found.byteLength > MAX_CACHED_BYTES) known.delete(known.keys().next().value ?? '');
  return found;
}

function setOf(size: number, places: Int32Array): Bitset {
  const bits = emptyBitset(size);
  for (const place of places) addBit(bits, place);
  return bits;
}

/** The first word that does not sort before the prefix; `isBehind`: the first after all words with the prefix. */
function firstFrom({ wordBytes, wordEnds }: WordColumns, wanted: Uint8Array, isBehind: boolean): number {
  let low = 0;
  let high = wordEnds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = middle === 0 ? 0 : (wordEnds[middle - 1] ?? 0);
    const order = compareBeginning(wordBytes, { start, end: wordEnds[middle] ?? start }, wanted);
    if (order < 0 || (isBehind && order === 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares the word in the range with the prefix: 0 when the word begins with it. */
function compareBeginning(
  bytes: Uint8Array,
  { start, end }: { readonly start: number; readonly end: number },
  wanted: Uint8Array,
): number {
  const length = Math.min(end - start, wanted.length);
  for (let at = 0; at < length; at += 1) {
    const order = (bytes[start + at] ?? 0) - (wanted[at] ?? 0);
    if (order !== 0) return order;
  }
  return end - start < wanted.length ? -1 : 0;
}
