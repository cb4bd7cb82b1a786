// An import from its first batch to its last: while the database writes one batch, the next is read and checked.
import type { Database, Transaction } from '#lib/db/database.ts';
import { isUniqueViolation } from '#lib/db/failure.ts';
import {
  type ImportContext,
  type PreparedBatch,
  prepareBatch,
  refuseTakenIds,
  type WrittenBatch,
  writeBatch,
} from './import-batch.ts';
import type { ImportLine } from './lines.ts';

export interface ImportRun<B extends { readonly lines: readonly ImportLine[] }> {
  readonly database: Database;
  readonly context: ImportContext;
  readonly batches: AsyncIterable<B>;
  /** Writes down, with the batch, that it is done. Throws when the batch is no longer ours to do. */
  readonly note: (tx: Transaction, batch: B, written: WrittenBatch) => Promise<void>;
  /** After the commit. */
  readonly onWritten: (batch: B, written: WrittenBatch) => void;
  readonly signal: AbortSignal;
}

/** So many times a batch is tried when others make the same resources. */
const ATTEMPTS = 5;

/** Resolves when all is written, or after the batch under way when the signal ended it. */
export async function runImport<B extends { readonly lines: readonly ImportLine[] }>(run: ImportRun<B>): Promise<void> {
  let writing: Promise<void> | undefined;
  try {
    for await (const batch of run.batches) {
      if (run.signal.aborted) break;
      const prepared = await refuseTakenIds(await prepareBatch(batch.lines, run.context), run.context);
      await writing;
      writing = write(run, batch, prepared);
      // It is awaited in any case; a failure meanwhile is no unhandled one.
      writing.catch(() => undefined);
    }
  } finally {
    await writing;
  }
}

async function write<B extends { readonly lines: readonly ImportLine[] }>(
  { database, context, note, onWritten }: ImportRun<B>,
  batch: B,
  prepared: PreparedBatch,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const written = await database.transaction(
        async (tx) => {
          const outcome = await writeBatch(tx, prepared, context);
          await note(tx, batch, outcome);
          return outcome;
        },
        { copies: true },
      );
      onWritten(batch, written);
      return;
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
