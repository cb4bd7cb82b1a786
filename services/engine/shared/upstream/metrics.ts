// Counts calls to external servers by outcome.
import type { Metrics } from '#lib/metrics/metrics.ts';
import type { UpstreamReason } from './upstream-error.ts';

export interface UpstreamMetrics {
  called(server: string, outcome: UpstreamReason | 'success' | 'refused'): void;
}

export function createUpstreamMetrics(metrics: Metrics): UpstreamMetrics {
  const calls = metrics.counter('kedja_engine_server_calls_total', 'Calls to external servers by what came of them', [
    'server',
    'outcome',
  ]);
  return { called: (server, outcome) => calls.inc({ server, outcome }) };
}
