// Reads the file of an import: checks it once as a whole (encoding, header), and then reads it record by record. Only
// one chunk of it is in memory at a time.
import type { FileHandle } from 'node:fs/promises';
import { type CsvRecord, createCsvReader } from '#lib/csv/csv-reader.ts';
import { type Issue, validationError } from '#lib/errors.ts';
import { type ColumnIndexes, readHeader } from './columns.ts';

const PIECE_BYTES = 65_536;

export interface CheckedFile {
  readonly places: ColumnIndexes;
  readonly bytes: number;
}

/** @throws ServiceError `validation_error` naming every error that prevents reading the file as a list of users */
export async function checkFile(file: FileHandle): Promise<CheckedFile> {
  const reader = createCsvReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let header: CsvRecord | undefined;
  let bytes = 0;
  for await (const piece of piecesOf(file)) {
    bytes += piece.length;
    const text = await decode(file, () => decoder.decode(piece, { stream: true }));
    header ??= reader.push(text).next().value ?? undefined;
  }
  await decode(file, () => decoder.decode());
  header ??= reader.end().next().value ?? undefined;
  if (header === undefined) throw refusal(['the file is empty']);
  const found = header.issue === undefined ? readHeader(header.cells) : { issues: [`line 1: ${header.issue}`] };
  if ('issues' in found) throw refusal(found.issues);
  return { places: found.places, bytes };
}

/** Records of the file, and the position in the file after them. */
export interface RecordChunk {
  readonly records: readonly CsvRecord[];
  readonly bytes: number;
}

/** The records after the header. */
export async function* readRecords(file: FileHandle): AsyncGenerator<RecordChunk> {
  const reader = createCsvReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isHeader = true;
  let bytes = 0;
  const withoutHeader = (records: Iterable<CsvRecord>) => {
    const found = [...records];
    if (isHeader && found.shift() !== undefined) isHeader = false;
    return found;
  };
  for await (const piece of piecesOf(file)) {
    bytes += piece.length;
    yield { records: withoutHeader(reader.push(decoder.decode(piece, { stream: true }))), bytes };
  }
  yield { records: withoutHeader(reader.end()), bytes };
}

/** The buffer is reused: a chunk must be consumed before the next is requested. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.alloc(PIECE_BYTES);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function decode(file: FileHandle, work: () => string): Promise<string> {
  try {
    return work();
  } catch {
    const line = await firstBrokenLine(file);
    throw refusal([`the file must be UTF-8 (in a spreadsheet: save as "CSV UTF-8"); line ${line} is not`]);
  }
}

async function firstBrokenLine(file: FileHandle): Promise<number> {
  const decoder = new TextDecoder('utf-8');
  let line = 1;
  for await (const piece of piecesOf(file)) {
    const [before = '', ...after] = decoder.decode(piece, { stream: true }).split('\uFFFD');
    line += before.match(/\r\n|\r|\n/g)?.length ?? 0;
    if (after.length > 0) break;
  }
  return line;
}

function refusal(messages: readonly string[]) {
  return validationError(messages.map((message): Issue => ({ field: 'file', message: `'file': ${message}` })));
}
