// The metric of the audit record's lag (docs/adr/0011).
import type { Clock } from '../clock.ts';
import type { Database, PreparedStatement } from '../db/database.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** Reads the key, which is ordered by time. Counting the waiting rows would read all of them. */
const OLDEST: PreparedStatement = {
  name: 'audit-look-oldest',
  text: 'SELECT recorded_at FROM audit_look ORDER BY batch_guid LIMIT 1',
};

export function registerAccessMetrics(
  metrics: Metrics,
  { database, clock }: { database: Database; clock: Clock },
): void {
  const help = 'How long the oldest access record has waited to become an audit event; 0 when none waits';
  metrics.gauge('kedja_audit_oldest_look_seconds', help, async () => {
    // The other metrics matter even more when the database is away.
    const found = await database.query<{ recorded_at: Date }>(OLDEST).catch(() => undefined);
    if (found === undefined) return Number.NaN;
    const [oldest] = found.rows;
    return oldest === undefined ? 0 : Math.max(0, clock.now() - oldest.recorded_at.getTime()) / 1000;
  });
}
