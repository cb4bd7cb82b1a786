// Reads the files of a ZIP archive by its central directory (PKWARE APPNOTE 6.3, with ZIP64), each as a stream.
import { type FileHandle, open } from 'node:fs/promises';
import { createInflateRaw } from 'node:zlib';

export interface ZipEntry {
  /** With `/` between folders. */
  readonly name: string;
  readonly packedBytes: number;
  readonly bytes: number;
}

export interface ZipArchive {
  /** The files, without folders. */
  readonly entries: readonly ZipEntry[];
  /** The unpacked bytes in pieces. @throws Error for a name that is not there, or content that cannot be unpacked */
  read(name: string): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

interface Located extends ZipEntry {
  readonly method: number;
  readonly offset: number;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const END64_SIGNATURE = 0x06064b50;
const LOCATOR64_SIGNATURE = 0x07064b50;
const LOCATOR64_BYTES = 20;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const MAX_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;
const IN_ZIP64 = 0xffffffff;
const ZIP64_FIELD = 1;
const ENCRYPTED = 1;

const MAX_ENTRIES = 20_000;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const PIECE_BYTES = 1 << 16;

/** @throws Error for what is no ZIP archive, or one with more files than are read */
export async function openZip(path: string): Promise<ZipArchive> {
  const handle = await open(path);
  try {
    const entries = await readDirectory(handle, path);
    return {
      entries,
      read: (name) => readEntry(handle, path, find(entries, name)),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function find(entries: readonly Located[], name: string): Located {
  const found = entries.find((each) => each.name === name);
  if (found === undefined) throw new Error(`${name} is not in the archive`);
  return found;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function readDirectory(handle: FileHandle, path: string): Promise<Located[]> {
  const { size } = await handle.stat();
  const tailStart = Math.max(0, size - END_BYTES - MAX_COMMENT - LOCATOR64_BYTES);
  const tail = await readAt(handle, tailStart, size - tailStart);
  const at = lastEnd(tail);
  if (at === -1) throw new Error(`${path}: it is no ZIP archive`);
  const { count, bytes, offset } = await extent(handle, tail, at);
  if (count > MAX_ENTRIES || bytes > MAX_DIRECTORY_BYTES)
    throw new Error(`${path}: the archive has more than ${MAX_ENTRIES} files`);
  const directory = await readAt(handle, offset, bytes);
  const entries: Located[] = [];
  for (let from = 0; from + ENTRY_BYTES <= directory.length; ) {
    if (directory.readUInt32LE(from) !== ENTRY_SIGNATURE) throw new Error(`${path}: its list of files is damaged`);
    const length = ENTRY_BYTES + [28, 30, 32].reduce((sum, field) => sum + directory.readUInt16LE(from + field), 0);
    const entry = entryOf(directory.subarray(from, from + length));
    if (!entry.name.endsWith('/')) entries.push(entry);
    from += length;
  }
  return entries;
}

/** Where the end record begins; -1 for none. */
function lastEnd(tail: Buffer): number {
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) if (tail.readUInt32LE(at) === END_SIGNATURE) return at;
  return -1;
}

interface Extent {
  readonly count: number;
  readonly bytes: number;
  readonly offset: number;
}

async function extent(handle: FileHandle, tail: Buffer, at: number): Promise<Extent> {
  const locator = at - LOCATOR64_BYTES;
  if (locator >= 0 && tail.readUInt32LE(locator) === LOCATOR64_SIGNATURE) {
    const end = await readAt(handle, Number(tail.readBigUInt64LE(locator + 8)), 56);
    if (end.length === 56 && end.readUInt32LE(0) === END64_SIGNATURE) {
      const [count, bytes, offset] = [32, 40, 48].map((field) => Number(end.readBigUInt64LE(field)));
      return { count: count ?? 0, bytes: bytes ?? 0, offset: offset ?? 0 };
    }
  }
  return { count: tail.readUInt16LE(at + 10), bytes: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) };
}

function entryOf(record: Buffer): Located {
  const nameEnd = ENTRY_BYTES + record.readUInt16LE(28);
  const name = record.toString('utf8', ENTRY_BYTES, nameEnd);
  const extra = record.subarray(nameEnd, nameEnd + record.readUInt16LE(30));
  const sizes = [24, 20, 42].map((field) => record.readUInt32LE(field));
  const [bytes = 0, packedBytes = 0, offset = 0] = withZip64(sizes, extra);
  if ((record.readUInt16LE(8) & ENCRYPTED) !== 0) throw new Error(`${name} in the archive is encrypted`);
  return { name, bytes, packedBytes, offset, method: record.readUInt16LE(10) };
}

/** The sizes that do not fit 32 bits are in a further field, in this order. */
function withZip64(sizes: readonly number[], extra: Buffer): number[] {
  let further: Buffer | undefined;
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === ZIP64_FIELD) further = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  }
  let next = 0;
  return sizes.map((size) => {
    if (size !== IN_ZIP64 || further === undefined || next + 8 > further.length) return size;
    next += 8;
    return Number(further.readBigUInt64LE(next - 8));
  });
}

async function* readEntry(handle: FileHandle, path: string, entry: Located): AsyncGenerator<Buffer> {
  const { name, method, offset, packedBytes, bytes } = entry;
  const local = await readAt(handle, offset, LOCAL_BYTES);
  if (local.length < LOCAL_BYTES || local.readUInt32LE(0) !== LOCAL_SIGNATURE)
    throw new Error(`${path}: ${name} is not where the list of files says`);
  const start = offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  const packed = pieces(handle, start, packedBytes);
  if (method !== STORED && method !== DEFLATED) throw new Error(`${path}: ${name} is packed in an unknown way`);
  let unpacked = 0;
  for await (const piece of method === STORED ? packed : inflated(packed)) {
    unpacked += piece.length;
    // The list states the size: what unpacks to more is damaged, or made to fill the disk.
    if (unpacked > bytes) throw new Error(`${path}: ${name} has more bytes than the list of files says`);
    yield piece;
  }
  if (unpacked < bytes) throw new Error(`${path}: ${name} breaks off`);
}

async function* pieces(handle: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; ) {
    const piece = await readAt(handle, start + done, Math.min(PIECE_BYTES, length - done));
    if (piece.length === 0) return;
    done += piece.length;
    yield piece;
  }
}

async function* inflated(packed: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  const feeding = feed(packed, inflate);
  try {
    yield* inflate as AsyncIterable<Buffer>;
    await feeding;
  } finally {
    inflate.destroy();
    await feeding.catch(() => undefined);
  }
}

async function feed(packed: AsyncGenerator<Buffer>, inflate: ReturnType<typeof createInflateRaw>): Promise<void> {
  try {
    for await (const piece of packed) {
      if (inflate.destroyed) return;
      if (!inflate.write(piece)) await new Promise((resolve) => inflate.once('drain', resolve).once('close', resolve));
    }
    inflate.end();
  } catch (error) {
    inflate.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}
