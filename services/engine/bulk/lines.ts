// Splits bytes into lines of NDJSON with a limited length, and groups lines into batches with a limited size.
import { ServiceError } from '#lib/errors.ts';

/** The largest line in bytes, as for a single resource (decision G4). */
const MAX_LINE_BYTES = 10 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface ImportLine {
  /** The line number, from 1. */
  readonly line: number;
  readonly bytes: Buffer;
}

/** @param first the number of the first line. @throws ServiceError `payload_too_large` for a line that is too long */
export async function* linesOf(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  first = 1,
): AsyncGenerator<ImportLine> {
  let line = first;
  let begun: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      const last = piece.subarray(start, end);
      yield { line, bytes: begun.length === 0 ? last : Buffer.concat([...begun, last]) };
      line += 1;
      start = end + 1;
      begun = [];
      length = 0;
    }
    length += piece.length - start;
    if (length > MAX_LINE_BYTES) throw new ServiceError('payload_too_large', `Line ${line} is longer than 10 MiB`);
    if (start < piece.length) begun.push(piece.subarray(start));
  }
  if (begun.length > 0) yield { line, bytes: Buffer.concat(begun) };
}

export interface BatchLimits {
  readonly lines: number;
  readonly bytes: number;
}

/** The limits of a batch, which is written in one transaction. */
const BATCH: BatchLimits = { lines: 2_000, bytes: 4 * 1024 * 1024 };

export async function* batchesOf(lines: AsyncIterable<ImportLine>, limits = BATCH): AsyncGenerator<ImportLine[]> {
  let batch: ImportLine[] = [];
  let bytes = 0;
  for await (const line of lines) {
    batch.push(line);
    bytes += line.bytes.length;
    if (batch.length < limits.lines && bytes < limits.bytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
