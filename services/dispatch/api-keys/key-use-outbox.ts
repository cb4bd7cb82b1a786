// The outbox of API key usage at dispatch. Batches are stored until the engine has counted them (decision E8). The
// engine may be unavailable for an hour while dispatch restarts. A batch may be sent twice; the engine counts it once.
import type { KeyUse, KeyUseBatch } from '#lib/auth/key-usage.ts';
import type { Database } from '#lib/db/database.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';

export interface KeyUseOutbox {
  /** Stores a batch durably. */
  keep(batch: KeyUseBatch): Promise<void>;
  /**
   * Sends stored batches, oldest first, until none is left. Call it only while the loop is stopped.
   * @throws what `send` throws; unsent batches stay stored
   */
  ship(): Promise<void>;
  readonly loop: WorkerLoop;
}

const EVERY_MS = 5_000;
const AT_ONCE = 20;

export function createKeyUseOutbox(deps: {
  readonly database: Database;
  readonly log: Logger;
  /** Resolves when the engine has counted the batch. */
  readonly send: (batch: KeyUseBatch) => Promise<void>;
}): KeyUseOutbox {
  const { database, log, send } = deps;

  /** Whether there may be more. */
  async function step(): Promise<boolean> {
    const oldest = await database.query<{ readonly batch_guid: string; readonly uses: readonly KeyUse[] }>(
      'SELECT batch_guid, uses FROM key_use_batch ORDER BY batch_guid LIMIT $1',
      [AT_ONCE],
    );
    for (const { batch_guid: batchGuid, uses } of oldest.rows) {
      await send({ batchGuid, uses });
      await database.query('DELETE FROM key_use_batch WHERE batch_guid = $1', [batchGuid]);
    }
    return oldest.rows.length === AT_ONCE;
  }

  return {
    async keep({ batchGuid, uses }) {
      await database.query('INSERT INTO key_use_batch (batch_guid, uses) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
        batchGuid,
        JSON.stringify(uses),
      ]);
    },
    async ship() {
      while (await step());
    },
    loop: createWorkerLoop({ name: 'key-use-outbox', intervalMs: EVERY_MS, log, step }),
  };
}
