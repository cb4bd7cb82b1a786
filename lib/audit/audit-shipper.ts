// Ships audit events from a service's outbox to the engine, where they are searched (decision G9). Delivery is at least
// once: the receiver ignores an event that it has.
import { type Clock, systemClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { ServiceError } from '../errors.ts';
import { createThrottle, type Throttle } from '../jobs/throttle.ts';
import { createWorkerLoop, type WorkerLoop } from '../jobs/worker-loop.ts';
import type { Logger } from '../log/logger.ts';

/** Stores the events (AuditEvent resources as JSON texts). Resolves only when all are stored. */
export type AuditSink = (events: readonly string[]) => Promise<void>;

const BATCH = 200;
/** The most bytes of one batch; a larger event is sent alone. */
const BATCH_BYTES = 256 * 1024;
const INTERVAL_MS = 500;
/** From this age on the events are sent without rests. */
const HURRY_MS = 1_000;
const MAX_REST_MS = 500;

interface Shipment {
  readonly event_guid: string;
  readonly resource: string;
  readonly recorded_at: Date;
  /** The number of waiting events, up to `BATCH`. */
  readonly waiting: number;
}

const WAITING = {
  name: 'audit-waiting',
  text: `SELECT event_guid, resource, recorded_at, waiting FROM (
      SELECT o.event_guid, e.resource, e.recorded_at, (count(*) OVER ())::int AS waiting,
        sum(octet_length(e.resource)) OVER (ORDER BY o.event_guid) - octet_length(e.resource) AS before
      FROM (SELECT event_guid FROM audit_outbox WHERE next_at <= now() ORDER BY event_guid LIMIT $1) o
      JOIN audit_event e USING (event_guid)
    ) w WHERE before < $2 ORDER BY event_guid`,
};

export interface AuditShipperOptions {
  readonly database: Database;
  readonly sink: AuditSink;
  readonly log: Logger;
  readonly throttle?: Throttle;
  readonly clock?: Clock;
}

export function createAuditShipper(options: AuditShipperOptions): WorkerLoop {
  const { database, sink, log, clock = systemClock } = options;
  /** When the oldest of the last batch was recorded. */
  let oldest = Infinity;
  const isUrgent = () => clock.now() - oldest >= HURRY_MS;
  const { throttle = createThrottle({ maxRestMs: MAX_REST_MS, isUrgent }) } = options;

  async function ship(batch: readonly Shipment[]): Promise<void> {
    await sink(batch.map((row) => row.resource));
    const guids = batch.map((row) => row.event_guid);
    await database.query('DELETE FROM audit_outbox WHERE event_guid = ANY($1::uuid[])', [guids]);
  }

  /**
   * Ships one event at a time to find those that the receiver refuses. They are postponed, and stay in the outbox and
   * in the log.
   */
  async function shipSingly(batch: readonly Shipment[]): Promise<void> {
    for (const row of batch) {
      try {
        await ship([row]);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        log.error({ event: 'audit.refused', auditEvent: row.event_guid, err: error });
        const later = "UPDATE audit_outbox SET next_at = now() + interval '10 minutes' WHERE event_guid = $1";
        await database.query(later, [row.event_guid]);
      }
    }
  }

  async function shipBatch(): Promise<boolean> {
    const { rows } = await database.query<Shipment>(WAITING, [BATCH, BATCH_BYTES]);
    oldest = rows[0]?.recorded_at.getTime() ?? Infinity;
    if (rows.length === 0) return false;
    await ship(rows).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      return shipSingly(rows);
    });
    return rows.length === BATCH || rows.some(({ waiting }) => waiting > rows.length);
  }

  return createWorkerLoop({
    name: 'audit-shipper',
    intervalMs: INTERVAL_MS,
    log,
    step: (signal) => throttle.run(shipBatch, signal),
  });
}

/** Whether the receiver has refused an event. When it cannot be reached, the whole batch is tried again. */
function isRefusal(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'upstream_error' || error.status < 500);
}
