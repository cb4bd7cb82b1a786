// Metrics of results on their way to the engine (docs/adr/0078): those that wait, how long, and those that the engine
// has refused for good. Every node reports the same figures, because they come from the database.
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import type { QueueFigures } from '#lib/metrics/service-status.ts';
import { countReports, type ReportCounts } from './results-store.ts';

export function registerResultMetrics(metrics: Metrics, database: Database, clock: Clock): void {
  // Without the database the other metrics must still be served.
  const read = () => countReports(database).catch(() => undefined);
  metrics.gauges(
    'kedja_dispatch_results',
    'Reports with results that the engine has not stored: those that wait, and those it refused',
    ['state'],
    async () => {
      const counts = await read();
      if (counts === undefined) return [];
      return (['waiting', 'refused'] as const).map((state) => ({ labels: { state }, value: counts[state] }));
    },
  );
  metrics.gauges(
    'kedja_dispatch_result_oldest_seconds',
    'How long the oldest report with results has waited for the engine; 0 when none waits',
    [],
    async () => {
      const counts = await read();
      return counts === undefined ? [] : [{ labels: {}, value: ageOf(counts, clock) }];
    },
  );
}

/** Reports that wait for the engine, and those that it has refused. */
export async function readResultQueue(database: Database, clock: Clock): Promise<QueueFigures> {
  const counts = await countReports(database);
  return { waiting: counts.waiting, dead: counts.refused, oldest_s: ageOf(counts, clock) };
}

/** How long the oldest has waited, in seconds. */
function ageOf({ since }: ReportCounts, clock: Clock): number {
  return since === undefined ? 0 : Math.max(0, clock.now() - since.getTime()) / 1000;
}
