// Runs an import from its first batch to its last. While the database writes one batch, the next is read and validated.
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
  /** Stores the progress in the transaction of the batch. Throws when another node holds the job by now. */
  readonly note: (tx: Transaction, batch: B, written: WrittenBatch) => Promise<void>;
  /** Called after the commit. */
  readonly onWritten: (batch: B, written: WrittenBatch) => void;
  readonly signal: AbortSignal;
}

/** How often a batch is tried when other writers create the same resources. */
const ATTEMPTS = 5;

/** Resolves when all batches are written, or after the current batch when the signal is aborted. */
export async function runImport<B extends { readonly lines: readonly ImportLine[] }>(run: ImportRun<B>): Promise<void> {
  let writing: Promise<void> | undefined;
  try {
    for await (const batch of run.batches) {
      if (run.signal.aborted) break;
      const prepared = await refuseTakenIds(await prepareBatch(batch.lines, run.context), run.context);
      await writing;
      writing = write(run, batch, prepared);
      // The promise is always awaited later. Until then its rejection must not count as unhandled.
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
