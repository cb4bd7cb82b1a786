// The metrics of reads from standbys.
import type { Metrics } from '../metrics/metrics.ts';

/** Why a read runs on the primary: no standby may be used, or none has the caller's own writes yet. */
export type PrimaryReason = 'none' | 'behind';

/** Why a read is repeated: the standby failed, what was asked for is not there, or the caller's own write is not. */
export type RepeatReason = 'failed' | 'missing' | 'stale';

export interface ReplicaMetrics {
  /** Returns undefined, which stands for the primary. */
  onPrimary(reason: PrimaryReason): undefined;
  onStandby(name: string): void;
  waited(seconds: number): void;
  repeated(why: RepeatReason): void;
}

interface Shown {
  readonly name: string;
  readonly isUsed: boolean;
  readonly lagMs: number;
}

const WAIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];

export function createReplicaMetrics(metrics: Metrics, shown: () => readonly Shown[]): ReplicaMetrics {
  const used = 'Whether reads may go to a standby: 1 or 0';
  metrics.gauges('kedja_standby_used', used, ['standby'], async () =>
    shown().map(({ name, isUsed }) => ({ labels: { standby: name }, value: isUsed ? 1 : 0 })),
  );
  const lag = 'How long ago everything was committed that a standby has, in seconds; NaN when that is not known';
  metrics.gauges('kedja_standby_lag_seconds', lag, ['standby'], async () =>
    shown().map(({ name, lagMs }) => ({
      labels: { standby: name },
      value: Number.isFinite(lagMs) ? lagMs / 1000 : Number.NaN,
    })),
  );
  const reads = metrics.counter('kedja_reads_total', 'Reads outside of transactions, by the server that was chosen', [
    'server',
  ]);
  const fallbacks = metrics.counter(
    'kedja_reads_from_primary_total',
    'Reads that no standby served: `none` could be used, it was too far `behind`, or the read was repeated since it `failed`, what it asked for was `missing`, or it lacked the caller’s own writes (`stale`)',
    ['reason'],
  );
  for (const reason of ['none', 'behind', 'failed', 'missing', 'stale']) fallbacks.labels(reason).inc(0);
  for (const { name } of shown()) reads.labels(name).inc(0);
  reads.labels('primary').inc(0);
  const waits = metrics.histogram('kedja_own_writes_wait_seconds', 'How long reads waited for their own writes', {
    labelNames: [],
    buckets: WAIT_BUCKETS,
  });
  return {
    onPrimary(reason) {
      reads.labels('primary').inc();
      fallbacks.labels(reason).inc();
      return undefined;
    },
    onStandby: (name) => reads.labels(name).inc(),
    waited: (seconds) => waits.observe(seconds),
    repeated: (why) => fallbacks.labels(why).inc(),
  };
}
