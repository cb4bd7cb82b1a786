// Growing lists of 32-bit integers, and concatenated rows of them: the building blocks of a code system's columns.

const FIRST_ITEMS = 64;

/** Integers that are appended one by one, in memory or in a file. */
export interface Ints {
  readonly length: number;
  push(item: number): void;
  /** 0 where there is none. */
  at(index: number): number;
  /** Fills the array with the integers from `from` on, which must exist. */
  copy(from: number, into: Int32Array): void;
}

/**
 * A list in memory that becomes an array of exactly its length. Unneeded memory is released at once and not at the next
 * garbage collection: for large lists that would double the memory.
 */
export class IntList implements Ints {
  #items: Int32Array<ArrayBuffer> = new Int32Array(FIRST_ITEMS);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: number): void {
    if (this.#length === this.#items.length) this.#resize(this.#items.length * 2);
    this.#items[this.#length] = item;
    this.#length += 1;
  }

  at(index: number): number {
    return this.#items[index] ?? 0;
  }

  copy(from: number, into: Int32Array): void {
    into.set(this.#items.subarray(from, from + into.length));
  }

  put(index: number, item: number): void {
    this.#items[index] = item;
  }

  /** All integers; the list is then empty. */
  finish(): Int32Array {
    this.#resize(this.#length);
    const items = this.#items;
    this.#items = new Int32Array(FIRST_ITEMS);
    this.#length = 0;
    return items;
  }

  #resize(length: number): void {
    this.#items = new Int32Array(this.#items.buffer.transfer(length * Int32Array.BYTES_PER_ELEMENT));
  }
}

/** Releases an array's memory at once; the array is then empty. */
export function releaseMemory({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Integers in rows: those of row `i` are from `starts[i]` up to `starts[i + 1]`. */
export interface Rows {
  readonly starts: Int32Array;
  readonly items: Int32Array;
}

/** Pairs of a row and an item, in blocks; they are iterated twice. A block is valid until the next one. */
export type PairBlocks = () => Iterable<{ readonly rows: Int32Array; readonly items: Int32Array }>;

const BLOCK = 1 << 14;

/** Two lists of the same length as pairs. */
export function blocksOf(rows: Ints, items: Ints): PairBlocks {
  return function* () {
    const block = { rows: new Int32Array(BLOCK), items: new Int32Array(BLOCK) };
    for (let start = 0; start < rows.length; start += BLOCK) {
      const length = Math.min(BLOCK, rows.length - start);
      const part = { rows: block.rows.subarray(0, length), items: block.items.subarray(0, length) };
      rows.copy(start, part.rows);
      items.copy(start, part.items);
      yield part;
    }
  };
}

/** The items of each row in the order of the pairs, without duplicates. */
export function rowsOf(size: number, pairs: PairBlocks): Rows {
  const starts = new Int32Array(size + 1);
  for (const { rows } of pairs()) for (const row of rows) starts[row + 1] = (starts[row + 1] ?? 0) + 1;
  for (let row = 0; row < size; row += 1) starts[row + 1] = (starts[row + 1] ?? 0) + (starts[row] ?? 0);
  const found = new Int32Array(starts[size] ?? 0);
  for (const { rows, items } of pairs()) {
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const place = starts[row] ?? 0;
      found[place] = items[at] ?? 0;
      starts[row] = place + 1;
    }
  }
  // Each start has moved to the end of its row, where the next row begins.
  starts.copyWithin(1, 0, size);
  starts[0] = 0;
  return withoutRepeats(size, { starts, items: found });
}

/** Rows up to this length are searched linearly. */
const FEW = 16;

/** In place, as rows only become shorter. */
function withoutRepeats(size: number, { starts, items }: { starts: Int32Array; items: Int32Array<ArrayBuffer> }): Rows {
  // By item: the last long row that has it, plus one.
  let lastRowWith = new Int32Array(0);
  let to = 0;
  for (let row = 0, begin = 0; row < size; row += 1) {
    const end = starts[row + 1] ?? 0;
    const first = to;
    const isLong = end - begin > FEW;
    if (isLong && lastRowWith.length === 0) lastRowWith = new Int32Array(size);
    for (let at = begin; at < end; at += 1) {
      const item = items[at] ?? 0;
      if (isLong ? lastRowWith[item] === row + 1 : isAmong(items, item, { from: first, to })) continue;
      if (isLong) lastRowWith[item] = row + 1;
      items[to] = item;
      to += 1;
    }
    starts[row + 1] = to;
    begin = end;
  }
  if (to === items.length) return { starts, items };
  return { starts, items: new Int32Array(items.buffer.transfer(to * Int32Array.BYTES_PER_ELEMENT)) };
}

function isAmong(items: Int32Array, item: number, { from, to }: { from: number; to: number }): boolean {
  for (let at = from; at < to; at += 1) if (items[at] === item) return true;
  return false;
}

const NO_ITEMS = new Int32Array(0);

/** It shares the memory of `items`. */
export function rowOf({ starts, items }: Rows, row: number): Int32Array {
  const [from, to] = [starts[row] ?? 0, starts[row + 1] ?? 0];
  return from === to ? NO_ITEMS : items.subarray(from, to);
}
