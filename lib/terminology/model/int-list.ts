// Growing lists of 32-bit integers, and rows of them laid end to end: what the columns of a code system are made of.

const FIRST_ITEMS = 64;

/**
 * Integers that are added one by one and then kept in an array of exactly their number. Memory that is no longer needed is given back at once,
 * and not when somebody next looks for it: of large lists that would be as much again.
 */
export class IntList {
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

  put(index: number, item: number): void {
    this.#items[index] = item;
  }

  /** All of them; the list is empty then. */
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

/** For each of `size` rows some integers: those of row `i` stand from `starts[i]` up to `starts[i + 1]`. */
export interface Rows {
  readonly starts: Int32Array;
  readonly items: Int32Array;
}

/** The items of each row in the order in which the pairs come; a pair that comes again is left out. */
export function rowsOf(size: number, rowOf: Int32Array, itemOf: Int32Array): Rows {
  const starts = new Int32Array(size + 1);
  for (const row of rowOf) starts[row + 1] = (starts[row + 1] ?? 0) + 1;
  for (let row = 0; row < size; row += 1) starts[row + 1] = (starts[row + 1] ?? 0) + (starts[row] ?? 0);
  const next = starts.slice();
  const items = new Int32Array(rowOf.length);
  for (let at = 0; at < rowOf.length; at += 1) {
    const row = rowOf[at] ?? 0;
    const place = next[row] ?? 0;
    items[place] = itemOf[at] ?? 0;
    next[row] = place + 1;
  }
  return withoutRepeats(size, { starts, items });
}

function withoutRepeats(size: number, { starts, items }: Rows): Rows {
  // By item: the last row that it was seen in, plus one.
  const lastRowWith = new Int32Array(items.reduce((most, item) => Math.max(most, item), -1) + 1);
  const kept = new Int32Array(size + 1);
  let to = 0;
  for (let row = 0; row < size; row += 1) {
    const end = starts[row + 1] ?? 0;
    const begin = starts[row] ?? 0;
    // Most rows hold one item, which cannot be there twice.
    const isSingle = end - begin < 2;
    for (let at = begin; at < end; at += 1) {
      const item = items[at] ?? 0;
      if (!isSingle && lastRowWith[item] === row + 1) continue;
      if (!isSingle) lastRowWith[item] = row + 1;
      items[to] = item;
      to += 1;
    }
    kept[row + 1] = to;
  }
  return { starts: kept, items: to === items.length ? items : items.slice(0, to) };
}

export function rowOf({ starts, items }: Rows, row: number): Int32Array {
  return items.subarray(starts[row] ?? 0, starts[row + 1] ?? 0);
}
