// The Prometheus registry of one service: request latencies by route, the process's own figures, and what features add.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { boundedRead } from './bounded-read.ts';
import { Durations } from './durations.ts';

export interface Metrics {
  readonly registry: Registry;
  /** Observes the durations, in seconds, of requests with the same labels. */
  requestDurations(labels: { method: string; route: string; status: number }): (seconds: number) => void;
  counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L>;
  /** A gauge whose value is read when it is scraped; NaN when it cannot be read, or not within five seconds. */
  gauge(name: string, help: string, read: () => number | Promise<number>): Gauge;
  /**
   * A gauge with labels. All its values are read when it is scraped; values that are absent then are removed. It has
   * none when they cannot be read, or not within five seconds.
   */
  gauges<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    read: () => Promise<readonly { readonly labels: Readonly<Record<L, string>>; readonly value: number }[]>,
  ): Gauge<L>;
  histogram<L extends string>(
    name: string,
    help: string,
    options: { labelNames: readonly L[]; buckets: number[] },
  ): Histogram<L>;
  /** Prometheus text exposition format 0.0.4. */
  text(): Promise<string>;
}

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Every metric's name begins with `kedja_`; durations are in seconds. With `isExposed: false` nobody reads them, and
 * the process's own figures are left out: the registry of a tenant's service.
 */
export function createMetrics(service: string, { isExposed = true }: { readonly isExposed?: boolean } = {}): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (isExposed) collectDefaultMetrics({ register: registry });
  const requests = new Durations({
    name: 'kedja_http_request_duration_seconds',
    help: 'Time from the request’s arrival to the last byte of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: LATENCY_BUCKETS,
    registry,
  });
  return {
    registry,
    requestDurations: ({ method, route, status }) => requests.observerFor({ method, route, status: String(status) }),
    counter: (name, help, labelNames) => new Counter({ name, help, labelNames, registers: [registry] }),
    gauge: (name, help, read) => {
      const readInTime = boundedRead(read);
      return new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set((await readInTime()) ?? Number.NaN);
        },
      });
    },
    gauges: (name, help, labelNames, read) => {
      const readInTime = boundedRead(read);
      return new Gauge({
        name,
        help,
        labelNames,
        registers: [registry],
        async collect() {
          const values = await readInTime();
          this.reset();
          for (const { labels, value } of values ?? []) this.set(labels, value);
        },
      });
    },
    histogram: (name, help, { labelNames, buckets }) =>
      new Histogram({ name, help, labelNames, buckets, registers: [registry] }),
    text: () => registry.metrics(),
  };
}
