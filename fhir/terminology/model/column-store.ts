// Where the columns of a code system are put as they come to be. Here: in memory.
import { COLUMN_NAMES, type ColumnArrays, type ColumnName, KINDS } from './columns.ts';
import { giveBack, IntList, type Ints } from './int-list.ts';
import { StringPoolWriter } from './string-pool.ts';

export interface ColumnStore {
  readonly pool: StringPoolWriter;
  /** A column to which numbers are added one by one. */
  ints(name: ColumnName): Ints;
  /** A whole column, which is given away. */
  put(name: ColumnName, items: Int32Array): void;
  /** Numbers that are no column, for as long as the code system is built. */
  list(): Ints;
  /** They are no longer needed, nor read. */
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
    if (list instanceof IntList) giveBack(list.finish());
  }

  /** All of them; a column in which nothing was put is empty. */
  finish(): ColumnArrays {
    const arrays = COLUMN_NAMES.map((name) => [name, name === 'pool' ? this.pool.finish() : this.#take(name)]);
    return Object.fromEntries(arrays) as ColumnArrays;
  }

  #take(name: ColumnName): ColumnArrays[ColumnName] {
    const items = this.#whole.get(name) ?? this.#lists.get(name)?.finish() ?? new Int32Array(0);
    return KINDS[name] === Int32Array ? items : new KINDS[name](items);
  }
}
