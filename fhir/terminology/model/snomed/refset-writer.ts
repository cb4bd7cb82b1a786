// Writes the members of reference sets into the columns of ./refsets.ts, one reference set after the other.
import type { ColumnStore } from '../columns/column-store.ts';
import type { Ints } from '../int-list.ts';
import type { MemberKind, Refset } from './refsets.ts';

export interface MemberInput extends MemberKind {
  readonly place: number;
  /** A place, or a text, for each field. */
  readonly values: readonly (number | string)[];
}

/** Kinds have sixteen bits: beyond that, dates are left out. */
const MAX_KINDS_WITH_DATES = 60_000;

export class RefsetWriter {
  readonly #store: ColumnStore;
  readonly #places: Ints;
  readonly #kinds: Ints;
  readonly #values: Ints;
  readonly #kindList: MemberKind[] = [];
  readonly #kindPlaces = new Map<string, number>();
  readonly #refsets: Refset[] = [];

  constructor(store: ColumnStore) {
    this.#store = store;
    this.#places = store.ints('memberPlaces');
    this.#kinds = store.ints('memberKinds');
    this.#values = store.ints('memberValues');
  }

  /** Adds a reference set with its members. */
  add({ code, fields }: Pick<Refset, 'code' | 'fields'>, members: Iterable<MemberInput>): void {
    const [start, valueStart] = [this.#places.length, this.#values.length];
    for (const { place, values, moduleId, effectiveTime } of members) {
      this.#places.push(place);
      this.#kinds.push(this.#kindOf({ moduleId, effectiveTime }));
      for (const [at] of fields.entries()) this.#values.push(this.#valueOf(values[at] ?? ''));
    }
    const end = this.#places.length;
    if (end > start) this.#refsets.push({ code, fields, start, end, valueStart });
  }

  /** The reference sets and the kinds of members, for the head of the columns. */
  finish(): { readonly refsets: readonly Refset[]; readonly memberKindList: readonly MemberKind[] } {
    return { refsets: this.#refsets, memberKindList: this.#kindList };
  }

  #valueOf(value: number | string): number {
    return typeof value === 'number' ? value : ~this.#store.pool.addShared(value);
  }

  #kindOf({ moduleId, effectiveTime }: MemberKind): number {
    const isDated = this.#kindList.length < MAX_KINDS_WITH_DATES;
    const kind = { moduleId, effectiveTime: isDated ? effectiveTime : '' };
    const key = `${moduleId} ${kind.effectiveTime}`;
    const known = this.#kindPlaces.get(key);
    if (known !== undefined) return known;
    const place = this.#kindList.push(kind) - 1;
    this.#kindPlaces.set(key, place);
    return place;
  }
}
