// Receives the body of POST /$import as a stream, and stores it in parts of whole lines. Only a small part is in memory
// at a time.
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { addPart } from './files.ts';
import { touchUpload } from './jobs.ts';
import { batchesOf, linesOf } from './lines.ts';

const NEWLINE = Buffer.from('\n');
/** The limits of one import. */
const MAX_INPUT_BYTES = 50 * 1024 ** 3;
const MAX_LINES = 100_000_000;
/** The length of `{"resourceType":"X"}`. A shorter line cannot be a resource. */
const LEAST_LINE_BYTES = 20;
const MAX_SHORT_LINES = 10_000;

/**
 * Returns the number of bytes.
 * @throws ServiceError `payload_too_large`, `invalid_request` for a body that breaks off
 */
export async function receiveInput(database: Database, job: string, body: AsyncIterable<Buffer>): Promise<number> {
  let [total, shortLines] = [0, 0];
  try {
    for await (const batch of batchesOf(linesOf(body))) {
      const content = Buffer.concat(batch.flatMap(({ bytes }) => [bytes, NEWLINE]));
      total += content.length;
      shortLines += batch.filter(({ bytes }) => bytes.length < LEAST_LINE_BYTES).length;
      requireWithin({ bytes: total, lines: batch.at(-1)?.line ?? 0, shortLines });
      const part = {
        job,
        kind: 'input',
        type: 'Resource',
        content,
        resources: batch.length,
        maxBytes: Infinity,
      } as const;
      await database.transaction(async (tx) => {
        await addPart(tx, part);
        await touchUpload(tx, job);
      });
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('invalid_request', 'The body breaks off, or is not compressed as it says', { cause: error });
  }
  return total;
}

function requireWithin(sizes: { readonly bytes: number; readonly lines: number; readonly shortLines: number }): void {
  const refuse = (what: string) => {
    throw new ServiceError('payload_too_large', `An import may hold at most ${what}`);
  };
  if (sizes.bytes > MAX_INPUT_BYTES) refuse('50 GiB');
  if (sizes.lines > MAX_LINES) refuse('100,000,000 lines');
  if (sizes.shortLines > MAX_SHORT_LINES) refuse('10,000 lines that are empty or too short for a resource');
}
