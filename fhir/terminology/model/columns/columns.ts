// The columns of a code system: arrays of numbers and bytes, and a small head. They are self-contained, so that they
// can be transferred between threads and stored as they are.

/** `…Starts` arrays have one more element than there are rows; texts are offsets in the pool (./string-pool.ts). */
export interface ColumnArrays {
  readonly pool: Uint8Array;
  readonly codes: Int32Array;
  /**
   * The hash table of the codes (./code-table.ts), and the one of the codes in lower case, which is empty for a
   * case-sensitive system.
   */
  readonly slots: Int32Array;
  readonly foldedSlots: Int32Array;
  readonly displays: Int32Array;
  readonly definitions: Int32Array;
  /** Bits: INACTIVE, ABSTRACT. */
  readonly flags: Uint8Array;
  readonly propertyStarts: Int32Array;
  /** Index of the name times the number of kinds, plus the index of the kind. */
  readonly propertyKeys: Uint16Array;
  readonly propertyValues: Int32Array;
  readonly designationStarts: Int32Array;
  readonly designationKinds: Uint16Array;
  readonly designationValues: Int32Array;
  /** The hierarchy (./hierarchy.ts). */
  readonly parentStarts: Int32Array;
  readonly parentItems: Int32Array;
  readonly childStarts: Int32Array;
  readonly childItems: Int32Array;
  readonly rank: Int32Array;
  readonly end: Int32Array;
  readonly byRank: Int32Array;
  readonly rangeStarts: Int32Array;
  readonly rangeItems: Int32Array;
  /** The words of its names (./word-index.ts); empty until they are collected. */
  readonly wordBytes: Uint8Array;
  readonly wordEnds: Int32Array;
  readonly wordStarts: Int32Array;
  readonly wordPlaces: Int32Array;
  /** Attributes of concepts (./snomed/relations.ts); empty for a system without them. */
  readonly relationStarts: Int32Array;
  readonly relationKeys: Int32Array;
  readonly relationTargets: Int32Array;
  readonly relationSourceStarts: Int32Array;
  readonly relationSources: Int32Array;
  /** Members of reference sets (./snomed/refsets.ts); empty for a system without them. */
  readonly memberPlaces: Int32Array;
  readonly memberKinds: Uint16Array;
  readonly memberValues: Int32Array;
}

export type ColumnName = keyof ColumnArrays;

/** The columns with their head, which is JSON. */
export type WithHead<H> = ColumnArrays & { readonly head: H };

export const KINDS = {
  pool: Uint8Array,
  codes: Int32Array,
  slots: Int32Array,
  foldedSlots: Int32Array,
  displays: Int32Array,
  definitions: Int32Array,
  flags: Uint8Array,
  propertyStarts: Int32Array,
  propertyKeys: Uint16Array,
  propertyValues: Int32Array,
  designationStarts: Int32Array,
  designationKinds: Uint16Array,
  designationValues: Int32Array,
  parentStarts: Int32Array,
  parentItems: Int32Array,
  childStarts: Int32Array,
  childItems: Int32Array,
  rank: Int32Array,
  end: Int32Array,
  byRank: Int32Array,
  rangeStarts: Int32Array,
  rangeItems: Int32Array,
  wordBytes: Uint8Array,
  wordEnds: Int32Array,
  wordStarts: Int32Array,
  wordPlaces: Int32Array,
  relationStarts: Int32Array,
  relationKeys: Int32Array,
  relationTargets: Int32Array,
  relationSourceStarts: Int32Array,
  relationSources: Int32Array,
  memberPlaces: Int32Array,
  memberKinds: Uint16Array,
  memberValues: Int32Array,
} as const;

export const COLUMN_NAMES = Object.keys(KINDS) as readonly ColumnName[];

/** The size of the columns in bytes, without the head, which does not grow with the codes. */
export function bytesOf(columns: Partial<ColumnArrays>): number {
  return COLUMN_NAMES.reduce((sum, name) => sum + (columns[name]?.byteLength ?? 0), 0);
}

/** The buffer of each column, for transfer to another thread. */
export function buffersOf(columns: ColumnArrays): ArrayBuffer[] {
  return COLUMN_NAMES.map((name) => columns[name].buffer).filter((buffer) => buffer instanceof ArrayBuffer);
}

/** The columns concatenated, in their stored form. */
export interface PackedHead<H> {
  readonly head: H;
  /** The length of each in bytes; those of SNOMED CT are missing where they are empty. */
  readonly lengths: Readonly<Record<Exclude<ColumnName, Added>, number> & Partial<Record<Added, number>>>;
}

export function packedHead<H>(columns: WithHead<H>): PackedHead<H> {
  return { head: columns.head, lengths: lengthsOf((name) => columns[name].byteLength) };
}

/** Columns of SNOMED CT, which were added later: without them a code system is stored as it was before. */
type Added = Extract<ColumnName, `relation${string}` | `member${string}`>;
const ADDED = /^(?:relation|member)/;

/** The lengths of columns in bytes. */
export function lengthsOf(lengthOf: (name: ColumnName) => number): PackedHead<unknown>['lengths'] {
  const lengths = COLUMN_NAMES.map((name) => [name, lengthOf(name)] as const);
  const kept = lengths.filter(([name, length]) => length > 0 || !ADDED.test(name));
  return Object.fromEntries(kept) as PackedHead<unknown>['lengths'];
}

/** Columns to be stored, in memory or in files. */
export interface PackedColumns<H> {
  readonly packed: PackedHead<H>;
  /** Their bytes in pieces of at most `size`; each piece is valid until the next one, and belongs to one column. */
  pieces(size: number): Iterable<Uint8Array>;
}

/** The bytes in pieces of at most `size`; a piece belongs to one column. */
export function* packedPieces(columns: ColumnArrays, size: number): Generator<Uint8Array> {
  for (const name of COLUMN_NAMES) {
    const { buffer, byteOffset, byteLength } = columns[name];
    for (let start = 0; start < byteLength; start += size) {
      yield new Uint8Array(buffer, byteOffset + start, Math.min(size, byteLength - start));
    }
  }
}

export interface Unpacking<H> {
  /**
   * Adds the next piece, in the order of packing.
   * @throws Error for more bytes than the head states
   */
  add(piece: Uint8Array): void;
  /** @throws Error when bytes are missing */
  finish(): WithHead<H>;
}

/** Assembles columns from pieces of any size. */
export function unpack<H>({ head, lengths }: PackedHead<H>): Unpacking<H> {
  const bytes = new Map(COLUMN_NAMES.map((name) => [name, new Uint8Array(lengths[name] ?? 0)]));
  const open = [...bytes.values()].filter(({ length }) => length > 0);
  let at = 0;
  return {
    add: (piece) => {
      for (let from = 0; from < piece.length; ) {
        const [column] = open;
        if (column === undefined) throw new Error('A stored code system has more bytes than its head says');
        const part = piece.subarray(from, from + column.length - at);
        column.set(part, at);
        from += part.length;
        at += part.length;
        if (at < column.length) continue;
        open.shift();
        at = 0;
      }
    },
    finish: () => {
      if (open.length > 0) throw new Error('A stored code system has fewer bytes than its head says');
      const arrays = COLUMN_NAMES.map((name) => [name, new KINDS[name](bytes.get(name)?.buffer ?? new ArrayBuffer(0))]);
      return { ...(Object.fromEntries(arrays) as ColumnArrays), head };
    },
  };
}
