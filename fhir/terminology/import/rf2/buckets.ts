// Lines of text in temporary files, by a number: what belongs together is in one file, which is read as a whole. So
// rows of a release are brought together without holding them. Lines are kept as bytes: as strings each would be an
// object that outlives many collections of garbage.
import type { SpillFile, SpillFiles } from '../spill-file.ts';

/** Bytes of a bucket that are held before they are written. */
const HELD_BYTES = 1 << 13;
/** The most bytes of a UTF-16 unit in UTF-8. */
const MOST_BYTES = 3;
const NEWLINE = 0x0a;
const NONE = Buffer.alloc(0);

class Bucket {
  file: SpillFile | undefined;
  readonly held = Buffer.allocUnsafeSlow(HELD_BYTES);
  length = 0;
}

export class Buckets {
  readonly #files: SpillFiles;
  readonly #buckets: (Bucket | undefined)[] = [];

  constructor(files: SpillFiles) {
    this.#files = files;
  }

  /** The number of buckets, the highest with a line included. */
  get count(): number {
    return this.#buckets.length;
  }

  /** Adds a line, which has no line end in it. */
  add(number: number, line: string): void {
    const bucket = this.#bucket(number);
    const most = line.length * MOST_BYTES + 1;
    if (bucket.length + most > HELD_BYTES) this.#write(bucket, bucket.held.subarray(0, bucket.length));
    if (most > HELD_BYTES) this.#append(bucket, Buffer.from(`${line}\n`));
    else {
      bucket.length += bucket.held.write(line, bucket.length);
      bucket.held[bucket.length] = NEWLINE;
      bucket.length += 1;
    }
  }

  /** The lines of a bucket, each with its end, in the order in which they came; the bucket is then gone. */
  take(number: number): Buffer {
    const bucket = this.#buckets[number];
    if (bucket === undefined) return NONE;
    this.#buckets[number] = undefined;
    const { file, held, length } = bucket;
    if (file === undefined) return held.subarray(0, length);
    const bytes = Buffer.allocUnsafeSlow(file.length + length);
    file.readInto(bytes.subarray(0, file.length), 0);
    held.copy(bytes, file.length, 0, length);
    file.close();
    return bytes;
  }

  #bucket(number: number): Bucket {
    while (this.#buckets.length <= number) this.#buckets.push(undefined);
    const bucket = this.#buckets[number] ?? new Bucket();
    this.#buckets[number] = bucket;
    return bucket;
  }

  #write(bucket: Bucket, bytes: Buffer): void {
    this.#append(bucket, bytes);
    bucket.length = 0;
  }

  #append(bucket: Bucket, bytes: Buffer): void {
    bucket.file ??= this.#files.create();
    bucket.file.append(bytes);
  }
}

/** Where each line of a bucket begins; and, as the last one, where the last line ends. */
export function startsOf(bytes: Buffer): Int32Array {
  let count = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, end + 1)) count += 1;
  const starts = new Int32Array(count + 1);
  for (let line = 0, end = -1; line < count; line += 1) {
    end = bytes.indexOf(NEWLINE, end + 1);
    starts[line + 1] = end + 1;
  }
  return starts;
}

const TAB = 0x09;
const ZERO = 0x30;

/** Reads the cells of lines from left to right. */
export class CellReader {
  readonly #bytes: Buffer;
  #at = 0;
  #end = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** @param end where the next line begins */
  begin(start: number, end: number): void {
    this.#at = start;
    this.#end = end - 1;
  }

  /** A cell of digits. */
  number(): number {
    const end = this.#cellEnd();
    const found = numberIn(this.#bytes, this.#at, end);
    this.#at = end + 1;
    return found;
  }

  /** A cell of plain ASCII. */
  ascii(): string {
    const end = this.#cellEnd();
    const text = this.#bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  /** Calls with where the cell begins and ends. */
  span<T>(onSpan: (bytes: Buffer, start: number, end: number) => T): T {
    const [start, end] = [this.#at, this.#cellEnd()];
    this.#at = end + 1;
    return onSpan(this.#bytes, start, end);
  }

  /** The rest of the line. */
  rest(): string {
    return this.#bytes.toString('utf8', this.#at, this.#end);
  }

  #cellEnd(): number {
    let end = this.#at;
    while (end < this.#end && this.#bytes[end] !== TAB) end += 1;
    return end;
  }
}

/** The number that the digits from `start` up to `end` are. */
export function numberIn(bytes: Uint8Array, start: number, end: number): number {
  let found = 0;
  for (let at = start; at < end; at += 1) found = found * 10 + (bytes[at] ?? ZERO) - ZERO;
  return found;
}
