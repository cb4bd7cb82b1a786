// The members of reference sets of SNOMED CT: concepts, each with the further fields of its row.
import type { ColumnArrays } from '../columns/columns.ts';
import type { StringPool } from '../string-pool.ts';

export interface Refset {
  /** The code of the reference set. */
  readonly code: string;
  /** The names of the fields behind the referenced component: `targetComponentId`, `mapTarget` … */
  readonly fields: readonly string[];
  /** Its members are from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
  /** Its first value: each member has one for each field, one after the other. */
  readonly valueStart: number;
}

/** What members have in common. */
export interface MemberKind {
  readonly moduleId: string;
  /** `YYYYMMDD`. */
  readonly effectiveTime: string;
}

type MemberArrays = Pick<ColumnArrays, 'memberPlaces' | 'memberKinds' | 'memberValues'>;

export interface RefsetColumns extends MemberArrays {
  readonly refsets: readonly Refset[];
  readonly kinds: readonly MemberKind[];
}

export class Refsets {
  readonly all: readonly Refset[];
  readonly kinds: readonly MemberKind[];
  readonly #columns: MemberArrays;
  readonly #pool: StringPool;

  constructor(columns: RefsetColumns, pool: StringPool) {
    this.all = columns.refsets;
    this.kinds = columns.kinds;
    this.#columns = columns;
    this.#pool = pool;
  }

  find(code: string): Refset | undefined {
    return this.all.find((each) => each.code === code);
  }

  /** The concept of a member. */
  placeOf(member: number): number {
    return this.#columns.memberPlaces[member] ?? 0;
  }

  /** The index of the kind of a member. */
  kindOf(member: number): number {
    return this.#columns.memberKinds[member] ?? 0;
  }

  /** The value of a member's field as a place; -1 for a text. */
  targetOf({ start, fields, valueStart }: Refset, member: number, field: number): number {
    const value = this.#columns.memberValues[valueStart + (member - start) * fields.length + field] ?? -1;
    return value < 0 ? -1 : value;
  }

  /** The same as a text; undefined for a place. */
  textOf({ start, fields, valueStart }: Refset, member: number, field: number): string | undefined {
    const value = this.#columns.memberValues[valueStart + (member - start) * fields.length + field] ?? -1;
    return value < 0 ? this.#pool.text(~value) : undefined;
  }
}
