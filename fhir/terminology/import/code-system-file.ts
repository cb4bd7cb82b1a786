// Reads a code system of any size from a file (docs/adr/0019): FHIR JSON, NDJSON or CSV, by its name, compressed or
// not.

import { withoutMark } from '#lib/json/utf8.ts';
import type { Json } from '../json.ts';
import { type Assembly, type AssemblyOptions, FileUnreadable } from './assembly.ts';
import { CsvFile } from './csv-file.ts';
import { bytesOfFile } from './file-bytes.ts';
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
  return assembly === undefined ? undefined : finishReading(assembly, files, file.signal);
}

/** The columns of what was read; undefined when it has errors, or when it was aborted. */
export async function finishReading(
  assembly: Assembly,
  files: SpillFiles,
  signal: AbortSignal,
): Promise<ReadFile | undefined> {
  if (assembly.size === 0 && assembly.issues === 0) assembly.issue(1, 'the file holds no concepts');
  const steps = assembly.finish();
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    // Lets an abort signal be received.
    await new Promise(setImmediate);
    if (signal.aborted) return undefined;
  }
  const columns = step.value;
  return columns === undefined ? undefined : { head: assembly.head, columns, close: () => files.closeAll() };
}

async function readAll(file: FileToRead, files: SpillFiles): Promise<Assembly | undefined> {
  const { path, signal, onProgress } = file;
  const reader = readerOf(file, files);
  let isFirst = true;
  for await (const { bytes, share } of bytesOfFile(path)) {
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
