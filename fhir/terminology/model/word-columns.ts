// Builds the word index of a code system's names, for finding concepts as a user types: codes, displays and
// designations, without case and accents. The sorted words are one byte array, and their concepts one integer array in
// the same order. Words with the same prefix have one contiguous range of concepts.
import { withoutAccents } from '#fhir/search/extract/letters.ts';
import type { ColumnArrays } from './columns/columns.ts';
import { IntList, releaseMemory } from './int-list.ts';
import { NO_TEXT, StringPool, spanAt } from './string-pool.ts';

/**
 * `wordEnds[i]`: the end of word `i` in `wordBytes`. Its concepts are in `wordPlaces`, from `wordStarts[i]` up to
 * `wordStarts[i + 1]`.
 */
export type WordColumns = Pick<ColumnArrays, 'wordBytes' | 'wordEnds' | 'wordStarts' | 'wordPlaces'>;

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const PLAIN = /^[ -~]*$/;
const PLAIN_WORD = /[a-z0-9]+/g;

/** The normalised words of a text. */
export function wordsOf(text: string): string[] {
  if (PLAIN.test(text)) return text.toLowerCase().match(PLAIN_WORD) ?? [];
  return withoutAccents(text.normalize('NFD')).toLowerCase().normalize('NFC').match(WORD) ?? [];
}

/** The columns from which the words of names are collected. */
export interface NameColumns extends Pick<ColumnArrays, 'pool'> {
  readonly codes: Numbers & { readonly length: number };
  readonly displays: Numbers;
  readonly designationStarts: Numbers;
  readonly designationValues: Numbers;
}

/** A column, on its own or interleaved. */
interface Numbers {
  at(row: number): number | undefined;
}

/** Collects the words of all names; takes a few microseconds for each concept. */
export function collectWords(names: NameColumns): WordColumns {
  const { pool, codes, displays, designationStarts, designationValues } = names;
  const words = new WordWriter();
  const texts = new StringPool(pool);
  /** The words of each place, concatenated; `ends` has the end of each place. */
  const wordOf = new IntList();
  const ends = new Int32Array(codes.length);
  /** By word: the last concept that has it, plus one. */
  const lastWith = new IntList();
  const add = (place: number, word: number): void => {
    if (word === lastWith.length) lastWith.push(0);
    if (lastWith.at(word) === place + 1) return;
    lastWith.put(word, place + 1);
    wordOf.push(word);
  };
  const addName = (place: number, at: number): void => {
    if (at === NO_TEXT) return;
    const { start, end, isAscii } = spanAt(pool, at);
    if (isAscii) words.addAscii(pool, { start, end }, (word) => add(place, word));
    else for (const word of wordsOf(texts.text(at))) add(place, words.add(word));
  };
  for (let place = 0; place < codes.length; place += 1) {
    addName(place, codes.at(place) ?? NO_TEXT);
    addName(place, displays.at(place) ?? NO_TEXT);
    const end = designationStarts.at(place + 1) ?? 0;
    for (let at = designationStarts.at(place) ?? 0; at < end; at += 1)
      addName(place, designationValues.at(at) ?? NO_TEXT);
    ends[place] = wordOf.length;
  }
  releaseMemory(lastWith.finish());
  const found = wordOf.finish();
  const columns = sortedColumns(words, found, ends);
  releaseMemory(found);
  releaseMemory(ends);
  return columns;
}

function sortedColumns(words: WordWriter, wordOf: Int32Array, ends: Int32Array): WordColumns {
  const { order, wordBytes, wordEnds } = words.sorted();
  const ranks = new Int32Array(order.length);
  for (let rank = 0; rank < order.length; rank += 1) ranks[order[rank] ?? 0] = rank;
  for (let at = 0; at < wordOf.length; at += 1) wordOf[at] = ranks[wordOf[at] ?? 0] ?? 0;
  releaseMemory(ranks);
  releaseMemory(order);
  return { wordBytes, wordEnds, ...placesOf(wordEnds.length, wordOf, ends) };
}

/** The places of each word; no place occurs twice. */
function placesOf(size: number, wordOf: Int32Array, ends: Int32Array): Pick<WordColumns, 'wordStarts' | 'wordPlaces'> {
  const wordStarts = new Int32Array(size + 1);
  for (const word of wordOf) wordStarts[word + 1] = (wordStarts[word + 1] ?? 0) + 1;
  for (let word = 0; word < size; word += 1)
    wordStarts[word + 1] = (wordStarts[word + 1] ?? 0) + (wordStarts[word] ?? 0);
  const next = wordStarts.slice();
  const wordPlaces = new Int32Array(wordOf.length);
  for (let place = 0, at = 0; place < ends.length; place += 1) {
    for (const end = ends[place] ?? 0; at < end; at += 1) {
      const word = wordOf[at] ?? 0;
      const to = next[word] ?? 0;
      wordPlaces[to] = place;
      next[word] = to + 1;
    }
  }
  releaseMemory(next);
  return { wordStarts, wordPlaces };
}

/**
 * The first bytes of a word that are compared as one number, followed by the word's own number. Together they are at
 * most what a double holds exactly.
 */
const HEAD_BYTES = 4;
const NUMBERS = 2 ** 21;

/** The numbers of the concatenated words, sorted by their bytes; `ends` has the end of each word. */
function sortedByBytes(bytes: Buffer, ends: Int32Array): Int32Array {
  const startOf = (word: number): number => (word === 0 ? 0 : (ends[word - 1] ?? 0));
  const compare = (a: number, b: number): number => bytes.compare(bytes, startOf(b), ends[b], startOf(a), ends[a]);
  if (ends.length > NUMBERS) return Int32Array.from(ends, (_, word) => word).sort(compare);
  // Numeric sort needs no comparison function. A shorter word is padded with zeros, which no word contains.
  const keys = new Float64Array(ends.length);
  for (let word = 0, start = 0; word < ends.length; word += 1) {
    const end = ends[word] ?? 0;
    let head = 0;
    for (let at = start; at < start + HEAD_BYTES; at += 1) head = head * 256 + (at < end ? (bytes[at] ?? 0) : 0);
    keys[word] = head * NUMBERS + word;
    start = end;
  }
  keys.sort();
  const order = new Int32Array(ends.length);
  for (let at = 0; at < order.length; at += 1) order[at] = (keys[at] ?? 0) % NUMBERS;
  sortEqualPrefixes(order, { keys, compare });
  releaseMemory(keys);
  return order;
}

/** Sorts runs of words with the same first bytes, which are adjacent. */
function sortEqualPrefixes(
  order: Int32Array,
  { keys, compare }: { readonly keys: Float64Array; readonly compare: (a: number, b: number) => number },
): void {
  const headOf = (at: number): number => Math.floor((keys[at] ?? 0) / NUMBERS);
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    for (const head = headOf(start); end < order.length && headOf(end) === head; ) end += 1;
    if (end - start > 1) order.subarray(start, end).sort(compare);
    start = end;
  }
}

const FIRST_BYTES = 1 << 12;
const FIRST_SLOTS = 1 << 10;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const LOWER_A = 0x61;
const LOWER_Z = 0x7a;

/**
 * Numbers words in the order of their first occurrence, by an open-addressing hash table over their bytes, so that
 * ASCII names need not become strings.
 */
class WordWriter {
  #bytes = Buffer.from(new ArrayBuffer(FIRST_BYTES));
  #length = 0;
  readonly #ends = new IntList();
  readonly #hashes = new IntList();
  #slots = new Int32Array(FIRST_SLOTS);

  add(word: string): number {
    const size = Buffer.byteLength(word);
    this.#reserve(size);
    this.#bytes.write(word, this.#length);
    return this.#number(this.#length + size);
  }

  /** Calls with the number of each word of an ASCII text. */
  addAscii(from: Uint8Array, { start, end }: { start: number; end: number }, onWord: (word: number) => void): void {
    this.#reserve(end - start);
    let to = this.#length;
    for (let at = start; at < end; at += 1) {
      const byte = from[at] ?? 0;
      if ((byte >= LOWER_A && byte <= LOWER_Z) || (byte >= ZERO && byte <= NINE)) this.#bytes[to++] = byte;
      else if (byte >= UPPER_A && byte <= UPPER_Z) this.#bytes[to++] = byte + (LOWER_A - UPPER_A);
      else if (to > this.#length) {
        onWord(this.#number(to));
        // A new word has moved the end.
        to = this.#length;
        this.#reserve(end - at);
      }
    }
    if (to > this.#length) onWord(this.#number(to));
  }

  /** The words and their numbers, sorted by bytes; the writer is then empty. */
  sorted(): { readonly order: Int32Array; readonly wordBytes: Uint8Array; readonly wordEnds: Int32Array } {
    const bytes = this.#bytes;
    const ends = this.#ends.finish();
    const startOf = (word: number): number => (word === 0 ? 0 : (ends[word - 1] ?? 0));
    const order = sortedByBytes(bytes, ends);
    const wordBytes = new Uint8Array(this.#length);
    const wordEnds = new Int32Array(ends.length);
    let to = 0;
    for (let rank = 0; rank < order.length; rank += 1) {
      const word = order[rank] ?? 0;
      wordBytes.set(bytes.subarray(startOf(word), ends[word]), to);
      to += (ends[word] ?? 0) - startOf(word);
      wordEnds[rank] = to;
    }
    for (const each of [ends, this.#slots, this.#hashes.finish(), bytes]) releaseMemory(each);
    return { order, wordBytes, wordEnds };
  }

  /** The number of the word that was appended up to `end`; a known word is removed again. */
  #number(end: number): number {
    const start = this.#length;
    let hash = 0x81_1c_9d_c5;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (this.#bytes[at] ?? 0), 0x01_00_01_93);
    hash = (hash ^ (hash >>> 15)) | 0;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const word = (this.#slots[slot] ?? 0) - 1;
      if (this.#hashes.at(word) === hash && this.#isWord(word, start, end)) return word;
    }
    const word = this.#ends.length;
    this.#slots[slot] = word + 1;
    this.#ends.push(end);
    this.#hashes.push(hash);
    this.#length = end;
    if (this.#ends.length * 2 >= this.#slots.length) this.#widen();
    return word;
  }

  #isWord(word: number, start: number, end: number): boolean {
    const first = word === 0 ? 0 : this.#ends.at(word - 1);
    if (this.#ends.at(word) - first !== end - start) return false;
    for (let at = start; at < end; at += 1) if (this.#bytes[at] !== this.#bytes[first + at - start]) return false;
    return true;
  }

  #widen(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let word = 0; word < this.#ends.length; word += 1) {
      let slot = this.#hashes.at(word) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = word + 1;
    }
    releaseMemory(this.#slots);
    this.#slots = slots;
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const wider = Math.max(this.#bytes.length * 2, this.#length + size);
    this.#bytes = Buffer.from(this.#bytes.buffer.transfer(wider));
  }
}
