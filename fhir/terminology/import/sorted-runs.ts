// Sorted runs of words in files, each word with its concepts, and a k-way merge of the runs.
import type { WordColumns } from '../model/word-columns.ts';
import type { SpillFile } from './spill-file.ts';

/** Bytes of all runs in memory while they are read. */
const HELD_BYTES = 1 << 21;
const MIN_HELD_INTS = 1 << 7;

/** The number of words of a run, and the offsets of its parts in the files. */
interface Run {
  readonly words: number;
  readonly bytesAt: number;
  readonly endsAt: number;
  readonly startsAt: number;
  readonly placesAt: number;
}

export class RunFiles {
  readonly #files: {
    readonly bytes: SpillFile;
    readonly ends: SpillFile;
    readonly starts: SpillFile;
    readonly places: SpillFile;
  };
  readonly #runs: Run[] = [];

  constructor(create: () => SpillFile) {
    this.#files = { bytes: create(), ends: create(), starts: create(), places: create() };
  }

  /** @param first the place of the run's first concept, to which the others are relative */
  add({ wordBytes, wordEnds, wordStarts, wordPlaces }: WordColumns, first: number): void {
    const { bytes, ends, starts, places } = this.#files;
    this.#runs.push({
      words: wordEnds.length,
      bytesAt: bytes.length,
      endsAt: ends.length,
      startsAt: starts.length,
      placesAt: places.length,
    });
    for (let at = 0; at < wordPlaces.length; at += 1) wordPlaces[at] = (wordPlaces[at] ?? 0) + first;
    bytes.append(wordBytes);
    for (const [file, items] of [
      [ends, wordEnds],
      [starts, wordStarts],
      [places, wordPlaces],
    ] as const)
      file.append(new Uint8Array(items.buffer, items.byteOffset, items.byteLength));
  }

  /** Readers of the runs that have words, in order. */
  readers(): RunReader[] {
    const held = Math.max(MIN_HELD_INTS, Math.floor(HELD_BYTES / Math.max(1, this.#runs.length) / 16));
    return this.#runs.filter(({ words }) => words > 0).map((run) => new RunReader(this.#files, run, held));
  }

  close(): void {
    for (const file of Object.values(this.#files)) file.close();
  }
}

/** Reads the words of a run; it begins at the first. */
export class RunReader {
  /** The bytes of the word, valid until the next one. */
  word = new Uint8Array(0);
  /** The first six bytes as a number; a shorter word is padded with zeros, which no word contains. */
  head = 0;
  readonly #ends: IntReader;
  readonly #starts: IntReader;
  readonly #places: IntReader;
  readonly #bytes: ByteReader;
  #left: number;
  #end = 0;
  #start: number;
  #count = 0;

  constructor(files: Readonly<Record<'bytes' | 'ends' | 'starts' | 'places', SpillFile>>, run: Run, held: number) {
    this.#ends = new IntReader(files.ends, run.endsAt, held);
    this.#starts = new IntReader(files.starts, run.startsAt, held);
    this.#places = new IntReader(files.places, run.placesAt, held);
    this.#bytes = new ByteReader(files.bytes, run.bytesAt, held * Int32Array.BYTES_PER_ELEMENT);
    this.#left = run.words;
    this.#start = this.#starts.next();
    this.next();
  }

  /** Moves to the next word; false at the end. The places of the current one must have been read. */
  next(): boolean {
    if (this.#left === 0) return false;
    this.#left -= 1;
    const end = this.#ends.next();
    this.word = this.#bytes.take(end - this.#end);
    this.#end = end;
    const behind = this.#starts.next();
    this.#count = behind - this.#start;
    this.#start = behind;
    this.head = 0;
    for (let at = 0; at < HEAD_BYTES; at += 1) this.head = this.head * 256 + (this.word[at] ?? 0);
    return true;
  }

  eachPlace(onPlace: (place: number) => void): void {
    for (let left = this.#count; left > 0; left -= 1) onPlace(this.#places.next());
  }
}

const HEAD_BYTES = 6;

class IntReader {
  readonly #file: SpillFile;
  readonly #held: Int32Array;
  #from: number;
  #at: number;

  constructor(file: SpillFile, from: number, held: number) {
    this.#file = file;
    this.#from = from;
    this.#held = new Int32Array(held);
    this.#at = held;
  }

  next(): number {
    if (this.#at === this.#held.length) {
      this.#from += this.#file.readInto(new Uint8Array(this.#held.buffer), this.#from);
      this.#at = 0;
    }
    this.#at += 1;
    return this.#held[this.#at - 1] ?? 0;
  }
}

class ByteReader {
  readonly #file: SpillFile;
  #held: Uint8Array;
  #from: number;
  #at = 0;
  #end = 0;

  constructor(file: SpillFile, from: number, held: number) {
    this.#file = file;
    this.#from = from;
    this.#held = new Uint8Array(held);
  }

  /** The next `length` bytes, valid until the next call. */
  take(length: number): Uint8Array<ArrayBuffer> {
    if (this.#at + length > this.#end) this.#fill(length);
    this.#at += length;
    return this.#held.subarray(this.#at - length, this.#at) as Uint8Array<ArrayBuffer>;
  }

  #fill(length: number): void {
    const rest = this.#held.subarray(this.#at, this.#end);
    const wider = length > this.#held.length ? new Uint8Array(length) : this.#held;
    // Moves the remaining bytes to the beginning.
    if (wider === this.#held) wider.copyWithin(0, this.#at, this.#end);
    else wider.set(rest);
    this.#held = wider;
    this.#end = rest.length;
    this.#at = 0;
    const read = this.#file.readInto(this.#held.subarray(this.#end), this.#from);
    this.#from += read;
    this.#end += read;
  }
}

/**
 * Merges the words of all runs, sorted by bytes; equal words are in the order of the runs. `isSame`: the word equals
 * the previous one. Each must be read before the next one is requested.
 */
export function* inOrder(runs: readonly RunReader[]): Generator<{ readonly run: RunReader; readonly isSame: boolean }> {
  const order = new Map(runs.map((run, index) => [run, index]));
  const isBefore = (a: RunReader, b: RunReader): boolean =>
    (a.head - b.head || Buffer.compare(a.word, b.word) || (order.get(a) ?? 0) - (order.get(b) ?? 0)) < 0;
  const heap: RunReader[] = [];
  for (const run of runs) rise(heap, run, isBefore);
  let last = new Uint8Array(0);
  for (let run = heap[0]; run !== undefined; run = heap[0]) {
    const isSame = last.length > 0 && Buffer.compare(last, run.word) === 0;
    if (!isSame) last = run.word.slice();
    yield { run, isSame };
    if (run.next()) sink(heap, run, isBefore);
    else {
      const moved = heap.pop();
      if (moved !== undefined && moved !== run) sink(heap, moved, isBefore);
    }
  }
}

type IsBefore = (a: RunReader, b: RunReader) => boolean;

/** Inserts an element into a heap. */
function rise(heap: RunReader[], run: RunReader, isBefore: IsBefore): void {
  let at = heap.push(run) - 1;
  for (let above = (at - 1) >>> 1; at > 0; above = (at - 1) >>> 1) {
    const other = heap[above];
    if (other === undefined || !isBefore(run, other)) break;
    heap[at] = other;
    at = above;
  }
  heap[at] = run;
}

/** Replaces the first element of a heap. */
function sink(heap: RunReader[], run: RunReader, isBefore: IsBefore): void {
  let at = 0;
  for (;;) {
    const [left, right] = [heap[at * 2 + 1], heap[at * 2 + 2]];
    if (left === undefined) break;
    const isRight = right !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (!isBefore(child, run)) break;
    heap[at] = child;
    at = at * 2 + (isRight ? 2 : 1);
  }
  heap[at] = run;
}
