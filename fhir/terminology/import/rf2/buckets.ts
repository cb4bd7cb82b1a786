// Lines of text in temporary files, by a number: what belongs together is in one file, which is read as a whole. So
// rows of a release are brought together without holding them.
import type { SpillFile, SpillFiles } from '../spill-file.ts';

/** Characters of a bucket that are held before they are written. */
const HELD = 1 << 13;

export class Buckets {
  readonly #files: SpillFiles;
  readonly #buckets: (SpillFile | undefined)[] = [];
  readonly #held: string[] = [];

  constructor(files: SpillFiles) {
    this.#files = files;
  }

  /** The number of buckets, the highest with a line included. */
  get count(): number {
    return this.#held.length;
  }

  /** Adds a line, which has no line end in it. */
  add(bucket: number, line: string): void {
    while (this.#held.length <= bucket) this.#held.push('');
    const text = `${this.#held[bucket]}${line}\n`;
    this.#held[bucket] = text.length < HELD ? text : '';
    if (text.length >= HELD) this.#write(bucket, text);
  }

  /** The lines of a bucket in the order in which they came; the bucket is then gone. */
  take(bucket: number): string[] {
    const file = this.#buckets[bucket];
    const rest = this.#held[bucket] ?? '';
    this.#held[bucket] = '';
    this.#buckets[bucket] = undefined;
    let text = rest;
    if (file !== undefined) {
      const bytes = Buffer.allocUnsafe(file.length);
      file.readInto(bytes, 0);
      file.close();
      text = bytes.toString('utf8') + rest;
    }
    const lines = text.split('\n');
    lines.pop();
    return lines;
  }

  #write(bucket: number, text: string): void {
    const file = this.#buckets[bucket] ?? this.#files.create();
    this.#buckets[bucket] = file;
    file.append(Buffer.from(text));
  }
}
