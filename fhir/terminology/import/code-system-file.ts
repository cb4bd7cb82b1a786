// Reads a code system of any size from a file (docs/adr/0019): FHIR JSON, NDJSON or CSV, by its name, compressed or
// not.
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { unpacked } from '#lib/gzip/unpack.ts';
import type { Json } from '../json.ts';
import { type Assembly, type AssemblyOptions, FileUnreadable } from './assembly.ts';
import { CsvFile } from './csv-file.ts';
import { JsonFile } from './json-file.ts';
import { NdjsonFile } from './ndjson-file.ts';
import { SpillFiles } from './spill-file.ts';
import type { SpilledCodeSystem } from './spilled-columns.ts';

export type FileForm = 'json' | 'ndjson' | 'csv';

export interface FileToRead extends Omit<AssemblyOptions, 'files'> {
  readonly path: string;
  /** The metadata of the code system, for a CSV file, which has none. */
  readonly head?: Json;
  readonly onProgress: (progress: { readonly concepts: number; readonly share: number }) => void;
  readonly signal: AbortSignal;
  /** The folder of temporary files; the operating system's by default. */
  readonly folder?: string;
}

export interface ReadFile {
  /** The resource without its concepts. */
  readonly head: Json;
  /** The columns in temporary files, which are deleted when they are closed. */
  readonly columns: SpilledCodeSystem;
  close(): void;
}

/** The form by the file's extension, without `.gz`; undefined for an unknown extension. */
export function formOf(path: string): FileForm | undefined {
  const ending = /\.(json|ndjson|csv)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase();
  return ending === 'json' || ending === 'ndjson' || ending === 'csv' ? ending : undefined;
}

/**
 * Reads a file. Undefined when it has errors, all of which have been reported, or when it was aborted.
 * @throws Error when it cannot be opened
 */
export async function readCodeSystemFile(file: FileToRead): Promise<ReadFile | undefined> {
  const files = new SpillFiles(file.folder);
  try {
    const read = await readInto(files, file);
    if (read === undefined) files.closeAll();
    return read;
  } catch (error) {
    files.closeAll();
    if (!(error instanceof FileUnreadable)) throw error;
    file.onIssue({ line: error.line, message: error.message });
    return undefined;
  }
}

async function readInto(files: SpillFiles, file: FileToRead): Promise<ReadFile | undefined> {
  const assembly = await readAll(file, files);
  if (assembly === undefined) return undefined;
  if (assembly.size === 0 && assembly.issues === 0) assembly.issue(1, 'the file holds no concepts');
  const steps = assembly.finish();
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    // Lets an abort signal be received.
    await new Promise(setImmediate);
    if (file.signal.aborted) return undefined;
  }
  const columns = step.value;
  return columns === undefined ? undefined : { head: assembly.head, columns, close: () => files.closeAll() };
}

async function readAll(file: FileToRead, files: SpillFiles): Promise<Assembly | undefined> {
  const { path, signal, onProgress } = file;
  const reader = readerOf(file, files);
  let isFirst = true;
  for await (const { bytes, share } of path.toLowerCase().endsWith('.gz') ? unpackedFile(path) : plain(path)) {
    if (signal.aborted) return undefined;
    reader.push(isFirst ? withoutMark(bytes) : bytes);
    isFirst = false;
    onProgress({ concepts: reader.size, share });
    // Lets an abort signal be received.
    await new Promise(setImmediate);
  }
  return reader.end();
}

function readerOf(
  { path, head = {}, onIssue, checkHead }: FileToRead,
  files: SpillFiles,
): JsonFile | NdjsonFile | CsvFile {
  const options = { onIssue, checkHead, files };
  switch (formOf(path)) {
    case 'csv':
      return new CsvFile(head, options);
    case 'ndjson':
      return new NdjsonFile(options);
    default:
      return new JsonFile(options);
  }
}

/** The bytes without a UTF-8 byte order mark. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

interface Piece {
  /** The bytes, valid until the next piece. */
  readonly bytes: Buffer;
  /** Bytes of the file read so far, this piece included. */
  readonly share: number;
}

/** Reads into one reused buffer: the buffers of a stream would leave tens of megabytes to the garbage collector. */
async function* plain(path: string): AsyncGenerator<Piece> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (let done = 0; ; ) {
      const { bytesRead } = await handle.read(buffer, 0, PIECE_BYTES);
      if (bytesRead === 0) return;
      done += bytesRead;
      yield { bytes: buffer.subarray(0, bytesRead), share: done / Math.max(1, size) };
    }
  } finally {
    await handle.close();
  }
}

/** @throws Error naming the file, when it is not in the compressed form of its name, or is truncated */
async function* unpackedFile(path: string): AsyncGenerator<Piece> {
  const { size } = await stat(path);
  const raw = createReadStream(path);
  const pieces = unpacked(raw, { chunkSize: PIECE_BYTES });
  try {
    for await (const bytes of pieces) yield { bytes, share: raw.bytesRead / Math.max(1, size) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: it cannot be unpacked as gzip: ${why}`, { cause: error });
  } finally {
    raw.destroy();
  }
}

const PIECE_BYTES = 1 << 16;
