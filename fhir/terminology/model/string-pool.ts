// The string pool of a code system: its texts in one buffer, each identified by its offset. The header of a text is
// twice its length in bytes, plus one for plain ASCII (which is decoded faster), in bytes of seven bits. The text
// follows in UTF-8. No text is at offset 0, which means none.

import type { JsonWriter } from '#lib/json/json-writer.ts';

export const NO_TEXT = 0;

const FIRST_BYTES = 1 << 12;

export class StringPool {
  readonly #bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  text(at: number): string {
    return textAt(this.#bytes, at);
  }

  /** The text, or undefined at `NO_TEXT`. */
  optional(at: number): string | undefined {
    return at === NO_TEXT ? undefined : textAt(this.#bytes, at);
  }

  equals(at: number, text: string): boolean {
    return isTextAt(this.#bytes, at, text);
  }

  /** Writes the text as a JSON string. */
  write(at: number, writer: JsonWriter): void {
    const header = headerAt(this.#bytes, at);
    const start = at + lengthOfHeader(header);
    writer.utf8(this.#bytes, start, start + (header >>> 1));
  }
}

/** The range of a text's bytes, and whether they are plain ASCII. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
  readonly isAscii: boolean;
}

/** The header before a text: twice the number of its bytes, plus one for ASCII, in bytes of seven bits. */
function headerAt(bytes: Uint8Array, at: number): number {
  let header = 0;
  for (let place = at, shift = 0; ; place += 1, shift += 7) {
    const byte = bytes[place] ?? 0;
    header |= (byte & 0x7f) << shift;
    if (byte < 0x80) return header;
  }
}

function lengthOfHeader(header: number): number {
  let length = 1;
  for (let rest = header >>> 7; rest > 0; rest >>>= 7) length += 1;
  return length;
}

/** The range of the text at an offset. */
export function spanAt(bytes: Uint8Array, at: number): TextSpan {
  const header = headerAt(bytes, at);
  const place = at + lengthOfHeader(header);
  return { start: place, end: place + (header >>> 1), isAscii: (header & 1) === 1 };
}

function textAt(bytes: Buffer, at: number): string {
  const header = headerAt(bytes, at);
  const place = at + lengthOfHeader(header);
  return bytes.toString((header & 1) === 1 ? 'latin1' : 'utf8', place, place + (header >>> 1));
}

function isTextAt(bytes: Buffer, at: number, text: string): boolean {
  const header = headerAt(bytes, at);
  const place = at + lengthOfHeader(header);
  if ((header & 1) === 0) return textAt(bytes, at) === text;
  if (header >>> 1 !== text.length) return false;
  for (let i = 0; i < text.length; i += 1) if (bytes[place + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Storage for bytes that a pool need not hold in memory. */
export interface PoolBacking {
  append(bytes: Uint8Array): void;
  /** Up to `length` bytes from `at` on; they are valid until the next call. */
  read(at: number, length: number): Buffer;
}

export class StringPoolWriter {
  readonly #backing: PoolBacking | undefined;
  #bytes: Buffer<ArrayBuffer>;
  /** The number of bytes in the backing, which come before the held ones. */
  #before = 0;
  /** The number of held bytes. */
  #length = 1;
  /** Recurring texts: values of properties, uses. */
  readonly #shared = new Map<string, number>();

  constructor(backing?: PoolBacking) {
    this.#backing = backing;
    this.#bytes = Buffer.from(new ArrayBuffer(backing === undefined ? FIRST_BYTES : HELD_BYTES));
  }

  /** @throws Error when the texts take more than 2 GiB, the limit of offsets */
  add(text: string): number {
    const size = Buffer.byteLength(text);
    this.#reserve(size + MAX_HEADER_BYTES);
    const at = this.#before + this.#length;
    if (at + size + MAX_HEADER_BYTES > MAX_BYTES) throw new Error('the texts of the code system take more than 2 GiB');
    const isAscii = size === text.length;
    let header = size * 2 + (isAscii ? 1 : 0);
    for (; header >= 0x80; header >>>= 7) this.#bytes[this.#length++] = (header & 0x7f) | 0x80;
    this.#bytes[this.#length++] = header;
    this.#length += this.#bytes.write(text, this.#length, isAscii ? 'latin1' : 'utf8');
    return at;
  }

  /** Adds a text once, however often it occurs; for short texts with few distinct values. */
  addShared(text: string): number {
    const known = this.#shared.get(text);
    if (known !== undefined) return known;
    const at = this.add(text);
    if (text.length <= MAX_SHARED_LENGTH && this.#shared.size < MAX_SHARED) this.#shared.set(text, at);
    return at;
  }

  equals(at: number, text: string): boolean {
    if (at >= this.#before) return isTextAt(this.#bytes, at - this.#before, text);
    // Compares the length first, which decides most cases.
    const size = Buffer.byteLength(text);
    const bytes = this.#backing?.read(at, MAX_HEADER_BYTES + size) ?? this.#bytes;
    return headerAt(bytes, 0) >>> 1 === size && isTextAt(bytes, 0, text);
  }

  text(at: number): string {
    return at < this.#before ? textAt(this.#readBack(at), 0) : textAt(this.#bytes, at - this.#before);
  }

  /** Moves all held bytes to the backing, if there is one. */
  spill(): void {
    if (this.#backing === undefined) return;
    this.#backing.append(this.#bytes.subarray(0, this.#length));
    this.#before += this.#length;
    this.#length = 0;
  }

  /** The bytes of a pool without a backing, in a separate buffer. The pool is then empty. */
  finish(): Uint8Array {
    const bytes = new Uint8Array(this.#bytes.buffer.transfer(this.#length));
    this.#bytes = Buffer.from(new ArrayBuffer(FIRST_BYTES));
    this.#length = 1;
    this.#shared.clear();
    return bytes;
  }

  /** The bytes of a text with its header. */
  #readBack(at: number): Buffer {
    const header = this.#backing?.read(at, MAX_HEADER_BYTES) ?? this.#bytes;
    const { end } = spanAt(header, 0);
    return this.#backing?.read(at, end) ?? header;
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    this.spill();
    if (this.#length + size <= this.#bytes.length) return;
    const wider = Math.max(this.#bytes.length * 2, this.#length + size);
    this.#bytes = Buffer.from(this.#bytes.buffer.transfer(wider));
  }
}

/** The most bytes that are held before they move to the backing. */
const HELD_BYTES = 1 << 18;
const MAX_BYTES = 2 ** 31 - 1;
const MAX_HEADER_BYTES = 5;
const MAX_SHARED = 50_000;
const MAX_SHARED_LENGTH = 200;
