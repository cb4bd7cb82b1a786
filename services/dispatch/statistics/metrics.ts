// The same numbers as metrics, of everybody's requests of the last 30 days. They are read once a minute at most.
import type { Clock } from '#lib/clock.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { EXITS, STEPS } from './schema.ts';
import type { StatisticsService } from './service.ts';
import type { Numbers } from './store.ts';

const FRESH_MS = 60_000;

export function registerStatisticsMetrics(metrics: Metrics, statistics: StatisticsService, clock: Clock): void {
  let last: { readonly at: number; readonly numbers: Promise<Numbers | undefined> } | undefined;
  const numbers = () => {
    if (last === undefined || clock.now() - last.at >= FRESH_MS) {
      // Without the database the other metrics must still be served.
      last = { at: clock.now(), numbers: statistics.readAll().catch(() => undefined) };
    }
    return last.numbers;
  };
  const gauge = (name: string, help: string, read: (found: Numbers) => number) =>
    metrics.gauge(`kedja_dispatch_month_requests_${name}`, `Requests made in the last 30 days: ${help}`, async () => {
      const found = await numbers();
      return found === undefined ? Number.NaN : read(found);
    });
  for (const step of STEPS) gauge(step, step, ({ steps }) => steps[step]);
  for (const exit of EXITS) gauge(exit, `${exit}, which nobody performs`, ({ exits }) => exits[exit]);
  gauge('waiting', 'pushes that may still be answered', ({ waiting }) => waiting.reduce((sum, each) => sum + each, 0));
}
