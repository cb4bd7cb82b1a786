// Collects the members of reference sets, which come in any order, and writes them one reference set after the other.
import type { MemberInput, RefsetWriter } from '../../model/snomed/refset-writer.ts';
import type { SpillFiles } from '../spill-file.ts';
import { Buckets, CellReader, startsOf } from './buckets.ts';

const BUCKETS = 64;

export interface MemberRow {
  readonly refset: string;
  readonly place: number;
  readonly moduleId: string;
  readonly effectiveTime: string;
  /** A place, or a text, for each field. */
  readonly values: readonly (number | string)[];
}

export class MemberCollector {
  readonly #buckets: Buckets;
  /** By the code of the reference set: its number, and the names of its fields. */
  readonly #refsets = new Map<string, { readonly number: number; readonly fields: readonly string[] }>();

  constructor(files: SpillFiles) {
    this.#buckets = new Buckets(files);
  }

  add({ refset, place, moduleId, effectiveTime, values }: MemberRow, fields: readonly string[]): void {
    const known = this.#refsets.get(refset) ?? { number: this.#refsets.size, fields };
    this.#refsets.set(refset, known);
    const cells = values.map((value) => (typeof value === 'number' ? `#${value}` : `=${value}`));
    const line = [known.number, place, moduleId, effectiveTime, '', ...cells].join('\t');
    this.#buckets.add(known.number % BUCKETS, line);
  }

  /** Writes all members, as a generator whose steps leave the event loop free. */
  *write(writer: RefsetWriter): Generator<void> {
    const all = [...this.#refsets].map(([code, each]) => ({ code, ...each }));
    for (let bucket = 0; bucket < this.#buckets.count; bucket += 1) {
      const lines = this.#buckets.take(bucket);
      const starts = startsOf(lines);
      for (const refset of all.filter(({ number }) => number % BUCKETS === bucket)) {
        writer.add(refset, membersIn(lines, starts, refset.number));
        yield;
      }
    }
  }
}

function* membersIn(lines: Buffer, starts: Int32Array, number: number): Generator<MemberInput> {
  const row = new CellReader(lines);
  for (let line = 0; line < starts.length - 1; line += 1) {
    row.begin(starts[line] ?? 0, starts[line + 1] ?? 0);
    if (row.number() !== number) continue;
    const [place, moduleId, effectiveTime] = [row.number(), row.ascii(), row.ascii()];
    yield { place, moduleId, effectiveTime, values: valuesIn(row.rest()) };
  }
}

/** The values of further columns: `#` and a place, or `=` and a text, each with a tab before it. */
function valuesIn(rest: string): (number | string)[] {
  return rest
    .split('\t')
    .slice(1)
    .map((cell) => (cell.startsWith('#') ? Number(cell.slice(1)) : cell.slice(1)));
}
