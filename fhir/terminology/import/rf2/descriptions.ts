// Joins descriptions with what language reference sets say of them. Both are spread over buckets by the identifier of
// the description, and each bucket is joined in memory.
import type { SpillFiles } from '../spill-file.ts';
import { Buckets, CellReader, startsOf } from './buckets.ts';
import { descriptionLine } from './concept-records.ts';
import { hashOfSctid, SctidTable } from './sctid.ts';

const BUCKETS = 128;
/** Of the lines: with them a bucket holds descriptions and dialects apart. */
const [DESCRIPTION, DIALECT] = [0, 1];

export class DescriptionJoin {
  readonly #buckets: Buckets;
  readonly #sets = new DialectSets();

  constructor(files: SpillFiles) {
    this.#buckets = new Buckets(files);
  }

  /** @param kind without its dialects (`kindText`) */
  addDescription(id: string, place: number, { kind, term }: { readonly kind: string; readonly term: string }): void {
    this.#buckets.add(bucketOf(id), `${DESCRIPTION}\t${id}\t${place}\t${kind}\t${term}`);
  }

  /** @param id one that is well-formed (`isFormOfSctid`) */
  addDialect(id: string, refset: string, isPreferred: boolean): void {
    this.#buckets.add(bucketOf(id), `${DIALECT}\t${id}\t${refset}:${isPreferred ? 1 : 0}`);
  }

  /** Calls with the place and the line of each description, as a generator whose steps leave the event loop free. */
  *join(onLine: (place: number, line: string) => void): Generator<void> {
    for (let bucket = 0; bucket < this.#buckets.count; bucket += 1) {
      const bytes = this.#buckets.take(bucket);
      const starts = startsOf(bytes);
      const { table, setOf } = this.#dialectsIn(bytes, starts);
      yield;
      const cells = new CellReader(bytes);
      for (let line = 0; line < starts.length - 1; line += 1) {
        cells.begin(starts[line] ?? 0, starts[line + 1] ?? 0);
        if (cells.number() !== DESCRIPTION) continue;
        const known = cells.span((...digits) => table.findIn(...digits));
        const place = cells.number();
        onLine(place, descriptionLine(place, cells.rest(), this.#sets.text(setOf[known] ?? 0)));
      }
      yield;
    }
  }

  /** Of each description that has dialects: its number, and by that the set of its dialects. */
  #dialectsIn(bytes: Buffer, starts: Int32Array): { readonly table: SctidTable; readonly setOf: Int32Array } {
    const table = new SctidTable();
    const setOf = new Int32Array(starts.length);
    const cells = new CellReader(bytes);
    for (let line = 0; line < starts.length - 1; line += 1) {
      cells.begin(starts[line] ?? 0, starts[line + 1] ?? 0);
      if (cells.number() !== DIALECT) continue;
      const number = cells.span((...digits) => {
        const known = table.findIn(...digits);
        return known === -1 ? table.addIn(...digits) : known;
      });
      setOf[number] = this.#sets.with(setOf[number] ?? 0, cells.ascii());
    }
    return { table, setOf };
  }
}

function bucketOf(id: string): number {
  return (hashOfSctid(id) >>> 0) % BUCKETS;
}

/**
 * Sets of dialects by number; 0 has none. There are few, and descriptions have numbers instead of texts. A set's text
 * is in one order, so that equal ones are one kind of descriptions.
 */
class DialectSets {
  readonly #texts: string[] = [''];
  readonly #numbers = new Map<string, number>([['', 0]]);
  /** By set: the one that a dialect makes of it. */
  readonly #with: Map<string, number>[] = [];

  text(set: number): string {
    return this.#texts[set] ?? '';
  }

  with(set: number, dialect: string): number {
    const known = this.#with[set]?.get(dialect);
    if (known !== undefined) return known;
    const all = this.text(set) === '' ? [dialect] : [...this.text(set).split(','), dialect].sort();
    const text = all.join(',');
    const number = this.#numbers.get(text) ?? this.#texts.push(text) - 1;
    this.#numbers.set(text, number);
    this.#with[set] ??= new Map();
    this.#with[set].set(dialect, number);
    return number;
  }
}
