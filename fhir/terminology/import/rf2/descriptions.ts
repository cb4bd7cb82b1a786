// Joins descriptions with what language reference sets say of them. Both are spread over buckets by the identifier of
// the description, and each bucket is joined in memory.
import type { SpillFiles } from '../spill-file.ts';
import { Buckets } from './buckets.ts';
import { descriptionLine } from './concept-records.ts';
import { hashOfSctid } from './sctid.ts';

const BUCKETS = 128;

export class DescriptionJoin {
  readonly #buckets: Buckets;

  constructor(files: SpillFiles) {
    this.#buckets = new Buckets(files);
  }

  /** @param kind without its dialects (`kindText`) */
  addDescription(id: string, place: number, { kind, term }: { readonly kind: string; readonly term: string }): void {
    this.#buckets.add(bucketOf(id), `${id}\tD\t${place}\t${kind}\t${term}`);
  }

  addDialect(id: string, refset: string, isPreferred: boolean): void {
    this.#buckets.add(bucketOf(id), `${id}\tL\t${refset}:${isPreferred ? 1 : 0}`);
  }

  /** Calls with the place and the line of each description, as a generator whose steps leave the event loop free. */
  *join(onLine: (place: number, line: string) => void): Generator<void> {
    for (let bucket = 0; bucket < this.#buckets.count; bucket += 1) {
      const lines = this.#buckets.take(bucket);
      const dialects = dialectsIn(lines);
      for (const line of lines) {
        const end = line.indexOf('\t');
        if (line.charAt(end + 1) !== 'D') continue;
        const placeEnd = line.indexOf('\t', end + 3);
        const place = line.slice(end + 3, placeEnd);
        const of = dialects.get(line.slice(0, end)) ?? '';
        onLine(Number(place), descriptionLine(place, line.slice(placeEnd + 1), of));
      }
      yield;
    }
  }
}

function bucketOf(id: string): number {
  return (hashOfSctid(id) >>> 0) % BUCKETS;
}

/** By the identifier of a description: its dialects in one order, so that equal ones are one kind of descriptions. */
function dialectsIn(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of lines) {
    const end = line.indexOf('\t');
    if (line.charAt(end + 1) !== 'L') continue;
    const id = line.slice(0, end);
    const dialect = line.slice(end + 3);
    const before = found.get(id);
    found.set(id, before === undefined ? dialect : inOrder(before, dialect));
  }
  return found;
}

function inOrder(list: string, dialect: string): string {
  if (list < dialect && !list.includes(',')) return `${list},${dialect}`;
  return [...list.split(','), dialect].sort().join(',');
}
