// The storage of a code system's columns while it is built, and its implementation in memory.

import { IntList, type Ints, releaseMemory } from '../int-list.ts';
import { StringPoolWriter } from '../string-pool.ts';
import { COLUMN_NAMES, type ColumnArrays, type ColumnName, KINDS } from './columns.ts';

export interface ColumnStore {
  readonly pool: StringPoolWriter;
  /** A column to which numbers are appended. */
  ints(name: ColumnName): Ints;
  /** Stores a whole column; the caller must no longer use the array. */
  put(name: ColumnName, items: Int32Array): void;
  /** Temporary numbers, which are not a column. */
  list(): Ints;
  /** Releases temporary numbers. */
  drop(list: Ints): void;
}

export class MemoryColumns implements ColumnStore {
  readonly pool = new StringPoolWriter();
  readonly #lists = new Map<ColumnName, IntList>();
  readonly #whole = new Map<ColumnName, Int32Array>();

  ints(name: ColumnName): IntList {
    const list = this.#lists.get(name) ?? new IntList();
    this.#lists.set(name, list);
    return list;
  }

  put(name: ColumnName, items: Int32Array): void {
    this.#whole.set(name, items);
  }

  list(): IntList {
    return new IntList();
  }

  drop(list: Ints): void {
    if (list instanceof IntList) releaseMemory(list.finish());
  }

  /** All columns; one that was never written is empty. */
  finish(): ColumnArrays {
    const arrays = COLUMN_NAMES.map((name) => [name, name === 'pool' ? this.pool.finish() : this.#take(name)]);
    return Object.fromEntries(arrays) as ColumnArrays;
  }

  #take(name: ColumnName): ColumnArrays[ColumnName] {
    const items = this.#whole.get(name) ?? this.#lists.get(name)?.finish() ?? new Int32Array(0);
    return KINDS[name] === Int32Array ? items : new KINDS[name](items);
  }
}
