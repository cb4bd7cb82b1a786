// Reads a code system of any size from a file (docs/adr/0019): FHIR JSON, NDJSON or CSV, by its name, compressed or not.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Json } from '../json.ts';
import type { Columns } from '../model/code-system-model.ts';
import { type Assembly, type AssemblyOptions, FileUnreadable } from './assembly.ts';
import { CsvFile } from './csv-file.ts';
import { JsonFile } from './json-file.ts';
import { NdjsonFile } from './ndjson-file.ts';

export type FileForm = 'json' | 'ndjson' | 'csv';

export interface FileToRead extends AssemblyOptions {
  readonly path: string;
  /** What is said of the code system as a whole, where the file is CSV and cannot say it. */
  readonly head?: Json;
  readonly onProgress: (progress: { readonly concepts: number; readonly share: number }) => void;
  readonly signal: AbortSignal;
}

export interface ReadFile {
  /** The resource without its concepts. */
  readonly head: Json;
  readonly columns: Columns;
}

/** By what the name of the file ends in, `.gz` aside; undefined for another ending. */
export function formOf(path: string): FileForm | undefined {
  const ending = /\.(json|ndjson|csv)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase();
  return ending === 'json' || ending === 'ndjson' || ending === 'csv' ? ending : undefined;
}

/** Undefined when the file has faults, all of which have been told, or when it was stopped. @throws Error when it cannot be opened */
export async function readCodeSystemFile(file: FileToRead): Promise<ReadFile | undefined> {
  try {
    const assembly = await readAll(file);
    if (assembly === undefined) return undefined;
    if (assembly.size === 0 && assembly.faults === 0) assembly.fault(1, 'the file holds no concepts');
    const columns = assembly.finish();
    return columns === undefined ? undefined : { head: assembly.head, columns };
  } catch (error) {
    if (!(error instanceof FileUnreadable)) throw error;
    file.onFault({ line: error.line, message: error.message });
    return undefined;
  }
}

async function readAll(file: FileToRead): Promise<Assembly | undefined> {
  const { path, signal, onProgress } = file;
  const { size } = await stat(path);
  const raw = createReadStream(path, { highWaterMark: 256 * 1024 });
  const reader = readerOf(file);
  let isFirst = true;
  for await (const bytes of path.toLowerCase().endsWith('.gz') ? unpacked(raw, path) : raw) {
    if (signal.aborted) return undefined;
    reader.push(isFirst ? withoutMark(bytes as Buffer) : (bytes as Buffer));
    isFirst = false;
    onProgress({ concepts: reader.size, share: raw.bytesRead / Math.max(1, size) });
    // Whoever wants to stop it is heard.
    await new Promise(setImmediate);
  }
  return reader.end();
}

function readerOf({ path, head = {}, onFault, checkHead }: FileToRead): JsonFile | NdjsonFile | CsvFile {
  const options = { onFault, checkHead };
  switch (formOf(path)) {
    case 'csv':
      return new CsvFile(head, options);
    case 'ndjson':
      return new NdjsonFile(options);
    default:
      return new JsonFile(options);
  }
}

/** Without the mark that some programs put before UTF-8. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** @throws Error that names the file, for one that is not what its name says, or is not whole */
async function* unpacked(raw: NodeJS.ReadableStream, path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // What fails on the way ends the reading below.
  pipeline(raw, gunzip, () => undefined);
  try {
    yield* gunzip;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path}: it cannot be unpacked as gzip: ${why}`, { cause: error });
  }
}
