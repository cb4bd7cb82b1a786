// Metrics of the outbox: how many deliveries wait, how long the oldest has been due, dead letters, attempts, latency.
import type { Counter, Histogram } from 'prom-client';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { gaugeReader, readQueueFigures } from '#lib/metrics/queue-figures.ts';
import type { QueueFigures } from '#lib/metrics/service-status.ts';

const WAITING = {
  name: 'delivery-metric-waiting',
  text: `SELECT count(*) AS value FROM delivery WHERE status IN ('queued', 'waiting')`,
};
const DEAD = { name: 'delivery-metric-dead', text: `SELECT count(*) AS value FROM delivery WHERE status = 'dead'` };
const OLDEST_DUE = {
  name: 'delivery-metric-oldest',
  text: `SELECT greatest(0, extract(epoch FROM $1::timestamptz - min(next_at)))::float8 AS value
    FROM delivery WHERE status IN ('queued', 'waiting')`,
};

const QUEUE = {
  name: 'delivery-queue',
  text: `SELECT count(*) FILTER (WHERE status <> 'dead') AS waiting, count(*) FILTER (WHERE status = 'dead') AS dead,
      coalesce(greatest(0, extract(epoch FROM $1::timestamptz - min(next_at) FILTER (WHERE status <> 'dead'))), 0)::float8 AS oldest_s
    FROM delivery WHERE status IN ('queued', 'waiting', 'dead')`,
};

/** Webhooks that wait, dead letters, and how long the one that has been due for longest has waited. */
export function readDeliveryQueue(database: Database, clock: Clock): Promise<QueueFigures> {
  return readQueueFigures(database, clock, QUEUE);
}

/** Seconds, without webhooks that waited for their endpoint to be enabled. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export interface AttemptMetrics {
  /** Attempts by outcome. */
  readonly attempts: Counter<'outcome'>;
  /** Seconds from the change to the start of the first attempt that notifies of it. */
  readonly latency: Histogram<never>;
}

export function createAttemptMetrics(metrics: Metrics): AttemptMetrics {
  return {
    attempts: metrics.counter('kedja_dispatch_delivery_attempts_total', 'Attempts at webhooks by what came of them', [
      'outcome',
    ]),
    latency: metrics.histogram(
      'kedja_dispatch_delivery_latency_seconds',
      'Time from the change to the sending of its webhook for the first time',
      { labelNames: [], buckets: LATENCY_BUCKETS },
    ),
  };
}

export function registerDeliveryMetrics(metrics: Metrics, database: Database, clock: Clock): void {
  const read = gaugeReader(database);
  metrics.gauge('kedja_dispatch_deliveries_waiting', 'Webhooks that are queued or wait for another attempt', () =>
    read(WAITING),
  );
  metrics.gauge('kedja_dispatch_dead_letters', 'Webhooks that were given up', () => read(DEAD));
  metrics.gauge(
    'kedja_dispatch_oldest_due_seconds',
    'How long the webhook that has been due for longest has waited',
    () => read(OLDEST_DUE, [new Date(clock.now())]),
  );
}
