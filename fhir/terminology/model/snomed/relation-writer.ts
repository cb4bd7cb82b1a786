// Writes the attributes of concepts into the columns of ./relations.ts, in the order of the places.
import type { ColumnStore } from '../columns/column-store.ts';
import { blocksOf, type Ints, rowsOf } from '../int-list.ts';
import { MAX_GROUP, MAX_RELATION_TYPES, relationKey } from './relations.ts';

export interface RelationInput {
  /** The code of the type. */
  readonly type: string;
  readonly group: number;
  /** A place, also of a concept that comes later; or a concrete value: `#5`, `"text"`, `true`. */
  readonly target: number | string;
}

export class RelationWriter {
  readonly #store: ColumnStore;
  readonly #starts: Ints;
  readonly #keys: Ints;
  readonly #targets: Ints;
  /** Places with a concept as a target, and that target. */
  readonly #from: Ints;
  readonly #to: Ints;
  readonly #types = new Map<string, number>();

  constructor(store: ColumnStore) {
    this.#store = store;
    this.#starts = store.ints('relationStarts');
    this.#keys = store.ints('relationKeys');
    this.#targets = store.ints('relationTargets');
    this.#from = store.list();
    this.#to = store.list();
  }

  /** Adds the relations of the next place. @throws Error for too many types or groups */
  add(relations: readonly RelationInput[]): void {
    const place = this.#starts.length;
    this.#starts.push(this.#targets.length);
    const rows = relations.map(({ type, group, target }) => ({ type: this.#typeOf(type), group, target }));
    rows.sort((a, b) => a.group - b.group || a.type - b.type || order(a.target) - order(b.target));
    for (const { type, group, target } of rows) {
      if (group > MAX_GROUP) throw new Error(`a concept has more than ${MAX_GROUP} groups of attributes`);
      this.#keys.push(relationKey(type, group));
      this.#targets.push(typeof target === 'number' ? target : ~this.#store.pool.addShared(target));
      if (typeof target !== 'number') continue;
      this.#from.push(place);
      this.#to.push(target);
    }
  }

  /** Writes the columns that need all concepts; answers the codes of the types. */
  *finish(): Generator<void, readonly string[]> {
    const size = this.#starts.length;
    this.#starts.push(this.#targets.length);
    const sources = rowsOf(size, blocksOf(this.#to, this.#from));
    yield;
    this.#store.put('relationSourceStarts', sources.starts);
    this.#store.put('relationSources', sources.items);
    for (const list of [this.#from, this.#to]) this.#store.drop(list);
    return [...this.#types.keys()];
  }

  #typeOf(code: string): number {
    const known = this.#types.get(code);
    if (known !== undefined) return known;
    const { size } = this.#types;
    if (size > MAX_RELATION_TYPES) throw new Error(`there are more than ${MAX_RELATION_TYPES} types of attributes`);
    this.#types.set(code, size);
    return size;
  }
}

/** Concrete values come first, in the order of the file. */
function order(target: number | string): number {
  return typeof target === 'number' ? target : -1;
}
