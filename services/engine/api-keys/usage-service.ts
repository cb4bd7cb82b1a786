// Counts how often API keys are used, at the engine and at other services (contract: engine,
// "/api-keys/{key_guid}/usage"; decision E8).
import { createKeyUsage, type KeyUsage, type KeyUseBatch } from '#lib/auth/key-usage.ts';
import { type Clock, DAY_MS, HOUR_MS } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { createPeriodicLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { requireGuid } from '../shared/sql.ts';
import type { ApiKeyUsage } from './schema.ts';
import { findKey } from './store.ts';
import { addUses, readUses, sweepBatches } from './usage-store.ts';

/** How long a service that cannot reach the engine may send the same batch again. */
const BATCH_KEPT_MS = 30 * DAY_MS;
const SWEEP_EVERY_MS = HOUR_MS;

export interface KeyUsageService {
  /** The counter of this node. */
  readonly own: KeyUsage;
  readonly loops: readonly WorkerLoop[];
  /** Adds the uses that another service has counted. */
  addBatch(batch: KeyUseBatch): Promise<void>;
  /**
   * Returns the uses of a key, with all counts of this node and those that others have sent. `days` includes today.
   * @throws ServiceError `not_found`
   */
  read(id: string, days: number): Promise<ApiKeyUsage>;
}

export function createKeyUsageService(deps: { database: Database; clock: Clock; log: Logger }): KeyUsageService {
  const { database, clock, log } = deps;
  const addBatch = (batch: KeyUseBatch) => addUses(database, batch, new Date(clock.now()));
  const own = createKeyUsage({ clock, log, sink: addBatch });
  const run = () => sweepBatches(database, new Date(clock.now() - BATCH_KEPT_MS));
  const sweep = createPeriodicLoop({ name: 'key-usage-sweep', intervalMs: SWEEP_EVERY_MS, log, run });
  return {
    own,
    loops: [own.loop, sweep],
    addBatch,
    async read(id, days) {
      const guid = requireGuid(id, 'API key');
      await own.flush();
      const key = await findKey(database, guid);
      if (key === undefined) throw notFound('API key');
      const since = new Date(clock.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
      const uses = await readUses(database, guid, since);
      return { total: uses.total, last_used_at: key.last_used_at, by_day: [...uses.by_day] };
    },
  };
}
