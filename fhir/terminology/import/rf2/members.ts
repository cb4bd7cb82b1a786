// Collects the members of reference sets, which come in any order, and writes them one reference set after the other.
import type { MemberInput, RefsetWriter } from '../../model/snomed/refset-writer.ts';
import type { SpillFiles } from '../spill-file.ts';
import { Buckets } from './buckets.ts';

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
    const line = [known.number, place, moduleId, effectiveTime, ...cells].join('\t');
    this.#buckets.add(known.number % BUCKETS, line);
  }

  /** Writes all members, as a generator whose steps leave the event loop free. */
  *write(writer: RefsetWriter): Generator<void> {
    const all = [...this.#refsets].map(([code, each]) => ({ code, ...each }));
    for (let bucket = 0; bucket < this.#buckets.count; bucket += 1) {
      const lines = this.#buckets.take(bucket);
      for (const refset of all.filter(({ number }) => number % BUCKETS === bucket)) {
        writer.add(refset, membersIn(lines, refset.number));
        yield;
      }
    }
  }
}

function* membersIn(lines: readonly string[], number: number): Generator<MemberInput> {
  const beginning = `${number}\t`;
  for (const line of lines) {
    if (!line.startsWith(beginning)) continue;
    const [, place = '', moduleId = '', effectiveTime = '', ...cells] = line.split('\t');
    const values = cells.map((cell) => (cell.startsWith('#') ? Number(cell.slice(1)) : cell.slice(1)));
    yield { place: Number(place), moduleId, effectiveTime, values };
  }
}
