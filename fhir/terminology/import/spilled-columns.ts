// A column store in temporary files, for columns that need not be in memory while a code system is read
// (../model/columns/column-store.ts).
import type { ColumnsHead } from '../model/code-system-model.ts';
import type { ColumnStore } from '../model/columns/column-store.ts';
import { COLUMN_NAMES, type ColumnName, KINDS, lengthsOf, type PackedColumns } from '../model/columns/columns.ts';
import { type Ints, releaseMemory } from '../model/int-list.ts';
import { StringPoolWriter } from '../model/string-pool.ts';
import type { SpillFile, SpillFiles } from './spill-file.ts';

type Kind = (typeof KINDS)[ColumnName];

const HELD = 1 << 11;

/** Integers in a file, with the last ones in a buffer. */
export class SpilledInts implements Ints {
  readonly file: SpillFile;
  readonly #kind: Kind;
  readonly #held: Int32Array | Uint16Array | Uint8Array;
  #heldCount = 0;
  #spilled = 0;

  constructor(file: SpillFile, kind: Kind = Int32Array) {
    this.file = file;
    this.#kind = kind;
    this.#held = new kind(HELD);
  }

  get length(): number {
    return this.#spilled + this.#heldCount;
  }

  push(item: number): void {
    if (this.#heldCount === HELD) this.flush();
    this.#held[this.#heldCount] = item;
    this.#heldCount += 1;
  }

  at(index: number): number {
    if (index >= this.#spilled) return this.#held[index - this.#spilled] ?? 0;
    const width = this.#kind.BYTES_PER_ELEMENT;
    return this.file.numberAt(index * width, width);
  }

  copy(from: number, into: Int32Array): void {
    this.flush();
    const { BYTES_PER_ELEMENT: width } = this.#kind;
    if (width !== into.BYTES_PER_ELEMENT) throw new Error('only columns of 32 bits are copied');
    this.file.readInto(new Uint8Array(into.buffer, into.byteOffset, into.byteLength), from * width);
  }

  /** Writes the buffer to the file. */
  flush(): void {
    const { buffer } = this.#held;
    this.file.append(new Uint8Array(buffer, 0, this.#heldCount * this.#kind.BYTES_PER_ELEMENT));
    this.#spilled += this.#heldCount;
    this.#heldCount = 0;
  }
}

export class SpilledColumns implements ColumnStore {
  readonly pool: StringPoolWriter;
  readonly #files: SpillFiles;
  readonly #poolFile: SpillFile;
  readonly #ints = new Map<ColumnName, SpilledInts>();
  readonly #whole = new Map<ColumnName, SpillFile>();

  constructor(files: SpillFiles) {
    this.#files = files;
    this.#poolFile = files.create();
    this.pool = new StringPoolWriter(this.#poolFile);
  }

  ints(name: ColumnName): SpilledInts {
    const ints = this.#ints.get(name) ?? new SpilledInts(this.#files.create(), KINDS[name]);
    this.#ints.set(name, ints);
    return ints;
  }

  put(name: ColumnName, items: Int32Array): void {
    const file = this.#files.create();
    file.append(new Uint8Array(items.buffer, items.byteOffset, items.byteLength));
    this.#whole.set(name, file);
    releaseMemory(items);
  }

  /** A column of bytes, to which pieces are appended. */
  bytes(name: ColumnName): SpillFile {
    const file = this.#whole.get(name) ?? this.#files.create();
    this.#whole.set(name, file);
    return file;
  }

  list(): SpilledInts {
    return new SpilledInts(this.#files.create());
  }

  drop(list: Ints): void {
    if (list instanceof SpilledInts) list.file.close();
  }

  /** The complete file of a column; undefined for an empty one. No text may be added afterwards. */
  file(name: ColumnName): SpillFile | undefined {
    if (name === 'pool') return this.poolFile();
    const ints = this.#ints.get(name);
    ints?.flush();
    return this.#whole.get(name) ?? ints?.file;
  }

  /** A whole column of 32-bit integers, in memory. */
  read(name: ColumnName): Int32Array {
    const file = this.file(name);
    const items = new Int32Array((file?.length ?? 0) / Int32Array.BYTES_PER_ELEMENT);
    file?.readInto(new Uint8Array(items.buffer), 0);
    return items;
  }

  /** All columns, to be stored. */
  packed(head: ColumnsHead): SpilledCodeSystem {
    return {
      size: this.ints('codes').length,
      packed: { head, lengths: lengthsOf((name) => this.file(name)?.length ?? 0) },
      pieces: (size) => this.#pieces(size),
    };
  }

  *#pieces(size: number): Generator<Uint8Array> {
    const piece = new Uint8Array(size);
    for (const name of COLUMN_NAMES) {
      const file = this.file(name);
      for (let at = 0; file !== undefined && at < file.length; at += size) {
        yield piece.subarray(0, file.readInto(piece.subarray(0, Math.min(size, file.length - at)), at));
      }
    }
  }

  /** A temporary file that is not a column. */
  scratch(): SpillFile {
    return this.#files.create();
  }

  /** The file of the string pool. */
  poolFile(): SpillFile {
    this.pool.spill();
    return this.#poolFile;
  }
}

/** A code system whose columns are in temporary files. */
export interface SpilledCodeSystem extends PackedColumns<ColumnsHead> {
  /** The number of its codes. */
  readonly size: number;
}
