// Summaries of a registry's metrics: requests by route, their durations, cache hit rates.
import type { Metrics } from './metrics.ts';

export interface RouteSummary {
  readonly method: string;
  readonly route: string;
  readonly count: number;
  /** Responses of 500 and above. */
  readonly errors: number;
  readonly mean_ms: number;
  /** Estimated within the histogram's buckets; the highest bucket's bound for what took longer. */
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
}

interface Sums {
  count: number;
  errors: number;
  seconds: number;
  /** Cumulative counts by upper bound, in seconds. */
  readonly buckets: Map<number, number>;
}

/** The requests by route, the most frequent first. */
export async function requestSummary({ registry }: Metrics): Promise<RouteSummary[]> {
  const metric = await registry.getSingleMetric('kedja_http_request_duration_seconds')?.get();
  const routes = new Map<string, Sums>();
  for (const { labels, value, ...rest } of metric?.values ?? []) {
    const { method = '', route = '', status, le } = labels as Record<string, string | number | undefined>;
    const key = `${method} ${route}`;
    const sums = routes.get(key) ?? { count: 0, errors: 0, seconds: 0, buckets: new Map<number, number>() };
    routes.set(key, sums);
    const name = 'metricName' in rest ? String(rest.metricName) : '';
    if (name.endsWith('_sum')) sums.seconds += value;
    else if (name.endsWith('_count')) {
      sums.count += value;
      if (Number(status) >= 500) sums.errors += value;
    } else if (le !== undefined) {
      const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
      sums.buckets.set(bound, (sums.buckets.get(bound) ?? 0) + value);
    }
  }
  return [...routes].map(([key, sums]) => toSummary(key, sums)).sort((one, other) => other.count - one.count);
}

function toSummary(key: string, { count, errors, seconds, buckets }: Sums): RouteSummary {
  const [method = '', route = ''] = key.split(' ', 2);
  const bounds = [...buckets].sort(([one], [other]) => one - other);
  const at = (share: number) => round(quantile(bounds, count * share) * 1000);
  const mean = count === 0 ? 0 : (seconds / count) * 1000;
  return { method, route, count, errors, mean_ms: round(mean), p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99) };
}

/** As Prometheus' histogram_quantile: evenly spread within a bucket. */
function quantile(bounds: readonly (readonly [bound: number, cumulative: number])[], rank: number): number {
  let [lower, below] = [0, 0];
  for (const [bound, cumulative] of bounds) {
    if (cumulative >= rank && cumulative > below) {
      if (bound === Number.POSITIVE_INFINITY) return lower;
      return lower + ((bound - lower) * (rank - below)) / (cumulative - below);
    }
    [lower, below] = [bound === Number.POSITIVE_INFINITY ? lower : bound, cumulative];
  }
  return lower;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

export interface CacheSummary {
  readonly cache: string;
  readonly hits: number;
  readonly misses: number;
  /** 0 to 1; null without lookups. */
  readonly hit_rate: number | null;
}

/** Hits and misses of the caches of {@link createCacheMetrics}. */
export async function cacheSummary({ registry }: Metrics): Promise<CacheSummary[]> {
  const metric = await registry.getSingleMetric(CACHE_LOOKUPS)?.get();
  const caches = new Map<string, { hits: number; misses: number }>();
  for (const { labels, value } of metric?.values ?? []) {
    const { cache = '', result } = labels as { cache?: string; result?: string };
    const sums = caches.get(cache) ?? { hits: 0, misses: 0 };
    caches.set(cache, sums);
    if (result === 'hit') sums.hits += value;
    else sums.misses += value;
  }
  return [...caches].map(([cache, { hits, misses }]) => {
    const lookups = hits + misses;
    return { cache, hits, misses, hit_rate: lookups === 0 ? null : round(hits / lookups) };
  });
}

const CACHE_LOOKUPS = 'kedja_cache_looks_total';

/** Returns a function that counts the lookups of a cache as hits and misses. */
export function createCacheMetrics(metrics: Metrics): (cache: string) => (isHit: boolean) => void {
  const lookups = metrics.counter('kedja_cache_looks_total', 'Lookups in caches, by whether the cache had the value', [
    'cache',
    'result',
  ]);
  return (cache) => {
    const [hit, miss] = [lookups.labels(cache, 'hit'), lookups.labels(cache, 'miss')];
    // A cache without lookups is exposed too, with zeros.
    hit.inc(0);
    miss.inc(0);
    return (isHit) => (isHit ? hit : miss).inc();
  };
}
