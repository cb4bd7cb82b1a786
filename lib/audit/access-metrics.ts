// The metrics of the audit record's two queues (docs/adr/0011).
import type { Clock } from '../clock.ts';
import type { Database, PreparedStatement } from '../db/database.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type Oldest, readOldestUnshipped } from './oldest-record.ts';

interface QueueDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** Reads the key, which is ordered by time. Counting the waiting rows would read all of them. */
const OLDEST: PreparedStatement = {
  name: 'audit-look-oldest',
  text: 'SELECT recorded_at FROM audit_look ORDER BY batch_guid LIMIT 1',
};

export function registerAccessMetrics(metrics: Metrics, { database, clock }: QueueDeps): void {
  const help = 'How long the oldest access record has waited to become an audit event; 0 when none waits';
  metrics.gauge('kedja_audit_oldest_look_seconds', help, () =>
    secondsOf(clock, async () => {
      const { rows } = await database.query<{ recorded_at: Date }>(OLDEST);
      return { recordedAt: rows[0]?.recorded_at.getTime() };
    }),
  );
}

export function registerOutboxMetrics(metrics: Metrics, { database, clock }: QueueDeps): void {
  const help = 'How long the oldest audit event has waited to be sent to the engine; 0 when none waits';
  metrics.gauge('kedja_audit_outbox_oldest_seconds', help, () => secondsOf(clock, () => readOldestUnshipped(database)));
}

/** The other metrics matter even more when the database is away. */
async function secondsOf(clock: Clock, read: () => Promise<Oldest>): Promise<number> {
  const found = await read().catch(() => undefined);
  if (found === undefined) return Number.NaN;
  return found.recordedAt === undefined ? 0 : Math.max(0, clock.now() - found.recordedAt) / 1000;
}
