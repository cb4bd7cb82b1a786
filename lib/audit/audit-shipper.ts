// Carries audit events from a service's outbox to where they are searched, the engine (decision G9). At least once: the
// receiver keeps an event it already has.
import type { Database } from '../db/database.ts';
import { createWorkerLoop, type WorkerLoop } from '../jobs/worker-loop.ts';
import type { Logger } from '../log/logger.ts';

/** Stores the events (AuditEvent resources as JSON texts); resolves only when all are safe. */
export type AuditSink = (events: readonly string[]) => Promise<void>;

const BATCH = 200;
const INTERVAL_MS = 500;

export function createAuditShipper(options: { database: Database; sink: AuditSink; log: Logger }): WorkerLoop {
  const { database, sink, log } = options;
  return createWorkerLoop({
    name: 'audit-shipper',
    intervalMs: INTERVAL_MS,
    log,
    step: async () => {
      const batch = await database.query<{ event_guid: string; resource: string }>(
        `SELECT o.event_guid, e.resource FROM audit_outbox o JOIN audit_event e USING (event_guid)
         ORDER BY o.event_guid LIMIT $1`,
        [BATCH],
      );
      if (batch.rows.length === 0) return false;
      await sink(batch.rows.map((row) => row.resource));
      const guids = batch.rows.map((row) => row.event_guid);
      await database.query('DELETE FROM audit_outbox WHERE event_guid = ANY($1::uuid[])', [guids]);
      return batch.rows.length === BATCH;
    },
  });
}
