// The attributes of concepts of SNOMED CT: for each concept its relations, sorted by group, type and target. A target
// is another concept, or a concrete value.
import type { ColumnArrays } from '../columns/columns.ts';
import { type Rows, rowOf } from '../int-list.ts';
import type { StringPool } from '../string-pool.ts';

type RelationArrays = Pick<
  ColumnArrays,
  'relationStarts' | 'relationKeys' | 'relationTargets' | 'relationSourceStarts' | 'relationSources'
>;

export interface RelationColumns extends RelationArrays {
  /** The codes of the types. */
  readonly types: readonly string[];
}

/** Groups have 15 bits, and so have the types. */
export const MAX_GROUP = 0x7f_ff;
export const MAX_RELATION_TYPES = 0x7f_ff;

/** The bits of a key that are its group. */
export const TYPE_SHIFT = 15;

/** The key of a relation: the index of its type, and its group (0: without one). */
export function relationKey(type: number, group: number): number {
  return type * (MAX_GROUP + 1) + group;
}

export interface Relation {
  readonly type: string;
  /** 0 for none. */
  readonly group: number;
  /** A place; -1 for a concrete value. */
  readonly target: number;
  /** The concrete value: `#5`, `"text"` or `true`. */
  readonly value: string | undefined;
}

export class Relations {
  /** The relations of the place `i` are from `starts[i]` up to `starts[i + 1]`. */
  readonly starts: Int32Array;
  readonly types: readonly string[];
  /** A place, or `~` of the offset of a concrete value. */
  readonly targets: Int32Array;
  /** The type and the group of each relation (`relationKey`). */
  readonly keys: Int32Array;
  readonly #sources: Rows;
  readonly #pool: StringPool;

  constructor(columns: RelationColumns, pool: StringPool) {
    this.starts = columns.relationStarts;
    this.types = columns.types;
    this.targets = columns.relationTargets;
    this.keys = columns.relationKeys;
    this.#sources = { starts: columns.relationSourceStarts, items: columns.relationSources };
    this.#pool = pool;
  }

  get isEmpty(): boolean {
    return this.targets.length === 0;
  }

  /** The index of the type of a relation. */
  typeOf(at: number): number {
    return (this.keys[at] ?? 0) >>> TYPE_SHIFT;
  }

  groupOf(at: number): number {
    return (this.keys[at] ?? 0) & MAX_GROUP;
  }

  /** The concepts that have the place as a target, each once. */
  sourcesOf(place: number): Int32Array {
    return rowOf(this.#sources, place);
  }

  /** The number of them. */
  sourceCount(place: number): number {
    return (this.#sources.starts[place + 1] ?? 0) - (this.#sources.starts[place] ?? 0);
  }

  /** The concrete value of a relation; undefined where its target is a concept. */
  valueOf(at: number): string | undefined {
    const target = this.targets[at] ?? 0;
    return target < 0 ? this.#pool.text(~target) : undefined;
  }

  of(place: number): Relation[] {
    const found: Relation[] = [];
    for (let at = this.starts[place] ?? 0; at < (this.starts[place + 1] ?? 0); at += 1) {
      const target = this.targets[at] ?? 0;
      found.push({
        type: this.types[this.typeOf(at)] ?? '',
        group: this.groupOf(at),
        target: target < 0 ? -1 : target,
        value: this.valueOf(at),
      });
    }
    return found;
  }
}

/** A concrete value as the value of a property. */
export function concreteValue(text: string): {
  readonly kind: 'decimal' | 'boolean' | 'string';
  readonly value: string;
} {
  if (text.startsWith('#')) return { kind: 'decimal', value: text.slice(1) };
  if (text.startsWith('"')) return { kind: 'string', value: text.slice(1, -1) };
  return /^(?:true|false)$/i.test(text)
    ? { kind: 'boolean', value: text.toLowerCase() }
    : { kind: 'string', value: text };
}
