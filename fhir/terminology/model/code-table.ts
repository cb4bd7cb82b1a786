// Finds a concept by its code: an open-addressing hash table over the codes in the pool, with eight to sixteen bytes a
// code.
import type { ColumnStore } from './columns/column-store.ts';
import type { ColumnArrays } from './columns/columns.ts';
import type { StridedColumn } from './columns/interleaved-columns.ts';
import { IntList, type Ints, releaseMemory } from './int-list.ts';
import type { StringPool } from './string-pool.ts';

/** The hash tables, and the offsets of the codes in the pool. */
export interface CodeTable extends Pick<ColumnArrays, 'slots' | 'foldedSlots'> {
  readonly codes: StridedColumn;
}

const FIRST_SLOTS = 128;

/**
 * A growing table: codes are added in the order of their places. It holds twelve to twenty bytes a code in memory,
 * wherever the codes are.
 */
export class CodeTableWriter {
  readonly #store: ColumnStore;
  readonly #codes: Ints;
  readonly #hashes = new IntList();
  #slots = new Int32Array(FIRST_SLOTS);

  constructor(store: ColumnStore) {
    this.#store = store;
    this.#codes = store.ints('codes');
  }

  get size(): number {
    return this.#codes.length;
  }

  find(code: string): number {
    const mask = this.#slots.length - 1;
    const hash = hashOf(code);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place === -1) return place;
      if (this.#hashes.at(place) === hash && this.#store.pool.equals(this.#codes.at(place), code)) return place;
    }
  }

  /** Adds a new code; returns its place. */
  add(code: string): number {
    const place = this.#codes.length;
    if (place * 2 >= this.#slots.length) this.#widen();
    const hash = hashOf(code);
    this.#codes.push(this.#store.pool.add(code));
    this.#hashes.push(hash);
    insert(this.#slots, hash, place);
    return place;
  }

  codeAt(place: number): string {
    return this.#store.pool.text(this.#codes.at(place));
  }

  /**
   * Writes the table to the store; `isFolded`: also one over the codes in lower case. The writer must then no longer be
   * used.
   */
  finish(isFolded: boolean): void {
    const { length } = this.#slots;
    releaseMemory(this.#hashes.finish());
    this.#store.put('slots', this.#slots);
    this.#slots = new Int32Array(FIRST_SLOTS);
    if (isFolded) this.#store.put('foldedSlots', this.#foldedSlots(length));
  }

  /** The first of codes that are equal in lower case is found. */
  #foldedSlots(length: number): Int32Array {
    const slots = new Int32Array(length);
    for (let place = 0; place < this.#codes.length; place += 1)
      insert(slots, hashOf(this.codeAt(place).toLowerCase()), place);
    return slots;
  }

  #widen(): void {
    const { length } = this.#slots;
    releaseMemory(this.#slots);
    this.#slots = new Int32Array(length * 2);
    for (let place = 0; place < this.#hashes.length; place += 1) insert(this.#slots, this.#hashes.at(place), place);
  }
}

/** The place of the code, or -1. A slot holds a place plus one; 0 is free. */
export function findCode({ slots, codes }: CodeTable, pool: StringPool, code: string): number {
  const mask = slots.length - 1;
  for (let slot = hashOf(code) & mask; ; slot = (slot + 1) & mask) {
    const place = (slots[slot] ?? 0) - 1;
    if (place === -1 || pool.equals(codes.at(place), code)) return place;
  }
}

/** The same, ignoring case. */
export function findFoldedCode({ foldedSlots, codes }: CodeTable, pool: StringPool, code: string): number {
  const folded = code.toLowerCase();
  const mask = foldedSlots.length - 1;
  for (let slot = hashOf(folded) & mask; ; slot = (slot + 1) & mask) {
    const place = (foldedSlots[slot] ?? 0) - 1;
    if (place === -1 || pool.text(codes.at(place)).toLowerCase() === folded) return place;
  }
}

function insert(slots: Int32Array, hash: number, place: number): void {
  const mask = slots.length - 1;
  let slot = hash & mask;
  while (slots[slot] !== 0) slot = (slot + 1) & mask;
  slots[slot] = place + 1;
}

/** FNV-1a over the UTF-16 units, with a final mix, as the low bits choose the slot. */
function hashOf(code: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < code.length; i += 1) hash = Math.imul(hash ^ code.charCodeAt(i), 0x01_00_01_93);
  return (hash ^ (hash >>> 15)) | 0;
}
