// Temporary files for data that need not be in memory while a code system is read. Each is unlinked as soon as it is
// open. So its space is freed when the process ends in any way, and no other process can open it.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const BUFFERED_BYTES = 1 << 16;
const PAGE_BYTES = 1 << 13;
/** Above the number of files that a process may have open. */
const MAX_FILES = 2 ** 20;
/** The most cached pages of all files. */
const MAX_PAGES = 256;

/** The files of one import, and a cache of their pages. */
export class SpillFiles {
  readonly #folder: string;
  readonly #open = new Set<number>();
  /** Pages by file and number; the most recently used one is last. */
  readonly #pages = new Map<number, Buffer>();

  /** @param folder the folder of the files; the operating system's by default */
  constructor(folder = tmpdir()) {
    this.#folder = folder;
  }

  /** Creates a file. @throws Error, readable for an operator, when that fails */
  create(): SpillFile {
    const name = path.join(this.#folder, `kedja-${randomUUID()}`);
    const file = this.withFolderInError(() => {
      const opened = openSync(name, 'wx+', 0o600);
      this.#open.add(opened);
      unlinkSync(name);
      return opened;
    });
    return new SpillFile(this, file);
  }

  /** A whole page of a file, valid until another one is requested. */
  page(file: number, number: number): Buffer {
    const key = number * MAX_FILES + file;
    const known = this.#pages.get(key);
    if (known !== undefined) {
      this.#pages.delete(key);
      this.#pages.set(key, known);
      return known;
    }
    const page = this.#freePage();
    this.withFolderInError(() => readSync(file, page, 0, PAGE_BYTES, number * PAGE_BYTES));
    this.#pages.set(key, page);
    return page;
  }

  close(file: number): void {
    if (!this.#open.delete(file)) return;
    // Another file may get the same number.
    for (const key of this.#pages.keys()) if (key % MAX_FILES === file) this.#pages.delete(key);
    closeSync(file);
  }

  closeAll(): void {
    for (const file of this.#open) this.close(file);
  }

  /** @throws Error that names the folder */
  withFolderInError<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      const why = code === 'ENOSPC' || code === 'EDQUOT' ? 'it is full' : String(error);
      const advice = 'TMPDIR names another folder; about 500 bytes are needed for each code';
      throw new Error(`The folder for temporary files, ${this.#folder}, cannot be used: ${why} (${advice})`, {
        cause: error,
      });
    }
  }

  /** The memory of the least recently used page, or new memory. */
  #freePage(): Buffer {
    const [oldest] = this.#pages;
    if (oldest === undefined || this.#pages.size < MAX_PAGES) return Buffer.allocUnsafeSlow(PAGE_BYTES);
    this.#pages.delete(oldest[0]);
    return oldest[1];
  }
}

/** A file with appended bytes and random reads. */
export class SpillFile {
  readonly #files: SpillFiles;
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFERED_BYTES);
  #buffered = 0;
  #written = 0;

  constructor(files: SpillFiles, file: number) {
    this.#files = files;
    this.#file = file;
  }

  get length(): number {
    return this.#written + this.#buffered;
  }

  /** @throws Error when the folder is full */
  append(bytes: Uint8Array): void {
    if (this.#buffered + bytes.length > this.#buffer.length) this.#flush();
    if (bytes.length > this.#buffer.length) this.#write(bytes);
    else {
      this.#buffer.set(bytes, this.#buffered);
      this.#buffered += bytes.length;
    }
  }

  /** Fills the bytes from the offset `at` on; returns how many were read. */
  readInto(bytes: Uint8Array, at: number): number {
    this.#flush();
    return this.#files.withFolderInError(() => {
      let done = 0;
      for (let read = -1; read !== 0 && done < bytes.length; done += read)
        read = readSync(this.#file, bytes, done, bytes.length - done, at + done);
      return done;
    });
  }

  /** Up to `length` bytes from `at` on, valid until the next call. */
  read(at: number, length: number): Buffer {
    if (at >= this.#written) return this.#buffer.subarray(at - this.#written, at - this.#written + length);
    const start = at % PAGE_BYTES;
    if (this.#buffered > 0 && at + length > this.#written) this.#flush();
    if (start + length <= PAGE_BYTES && at + length <= this.#whole())
      return this.#files.page(this.#file, (at - start) / PAGE_BYTES).subarray(start, start + length);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.#written - at)));
    this.readInto(bytes, at);
    return bytes;
  }

  /** Reads an unsigned byte, or a 16-bit or 32-bit integer in little-endian order. */
  numberAt(at: number, width: number): number {
    const start = at % PAGE_BYTES;
    const [bytes, offset] =
      at + width <= this.#whole()
        ? [this.#files.page(this.#file, (at - start) / PAGE_BYTES), start]
        : [this.read(at, width), 0];
    if (width === 1) return bytes[offset] ?? 0;
    return width === 2 ? bytes.readUInt16LE(offset) : bytes.readInt32LE(offset);
  }

  close(): void {
    this.#files.close(this.#file);
  }

  /** The end of the whole pages: only these are cached, as they no longer change. */
  #whole(): number {
    return this.#written - (this.#written % PAGE_BYTES);
  }

  #flush(): void {
    if (this.#buffered === 0) return;
    this.#write(this.#buffer.subarray(0, this.#buffered));
    this.#buffered = 0;
  }

  #write(bytes: Uint8Array): void {
    this.#files.withFolderInError(() => {
      // The part that exceeds the buffer is written first.
      for (let done = 0; done < bytes.length; )
        done += writeSync(this.#file, bytes, done, bytes.length - done, this.#written + done);
    });
    this.#written += bytes.length;
  }
}
