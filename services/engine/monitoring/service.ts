// The engine's health, metrics and status (decision E12). Figures that are expensive to count are cached for a short
// time.
import { hostname } from 'node:os';
import { countByType } from '#fhir/store/read/type-counts.ts';
import { createExpiringCache } from '#lib/auth/expiring-cache.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { boundedRead } from '#lib/metrics/bounded-read.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { databaseLatency, requestFigures } from '#lib/metrics/service-status.ts';
import { cacheSummary } from '#lib/metrics/summary.ts';
import type { ServerStatus } from '../servers/schema.ts';
import { checkDisk, UNKNOWN_DISK, type WatchedDisk } from './disk.ts';
import type { Health, MetricsView, SystemStatus } from './schema.ts';
import { countJobs, type Queue, readQueue } from './store.ts';

export interface MonitoringService {
  health(): Promise<Health>;
  metrics(): Promise<MetricsView>;
  /** Metrics as Prometheus text, with its content type. */
  text(): Promise<{ readonly type: string; readonly text: string }>;
  status(): Promise<SystemStatus>;
}

export interface MonitoringDependencies extends WatchedDisk {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly version: string;
  readonly resourceTypes: ReadonlySet<string>;
  /** Where the resources of these types are counted. */
  readonly resources: Queryable;
  /** The state of external servers, from the calls to them. */
  readonly servers: () => Promise<ServerStatus[]>;
}

type Verdict = Health['status'];

/** How long a health response is cached, because anybody may request it. */
const HEALTH_MS = 1_000;
const COUNTS_MS = 10_000;
/** A call that has waited longer for dispatch makes the health degraded. */
const OLD_QUEUE_S = 300;

export function createMonitoringService(deps: MonitoringDependencies): MonitoringService {
  const { database, clock, metrics, version, resourceTypes, resources } = deps;
  const startedAt = clock.now();
  const uptime = () => (clock.now() - startedAt) / 1000;
  const healths = createExpiringCache<Health>({ ttlMs: HEALTH_MS, maxEntries: 1, clock });
  const counts = createExpiringCache<Record<string, number>>({ ttlMs: COUNTS_MS, maxEntries: 1, clock });
  const examine = createExamination(deps);
  const countResources = () => counts.get('all', () => countByType(resources, resourceTypes));

  return {
    health: async () => {
      const health = await healths.get('all', examine);
      return { ...health, uptime_s: uptime() };
    },
    async metrics() {
      const [resources, jobs, caches] = [
        await countResources(),
        await countJobs(database),
        await cacheSummary(metrics),
      ];
      const { user, system } = process.cpuUsage();
      return {
        requests: await requestFigures(metrics),
        resources,
        jobs,
        caches,
        process: { memory_bytes: process.memoryUsage.rss(), cpu_s: (user + system) / 1e6, uptime_s: uptime() },
      };
    },
    text: async () => ({ type: metrics.registry.contentType, text: await metrics.text() }),
    async status() {
      const [resources, jobs, servers] = [await countResources(), await countJobs(database), await deps.servers()];
      return {
        version,
        started_at: new Date(startedAt).toISOString(),
        node: { host: hostname(), pid: process.pid, runtime: `Node.js ${process.version}`, platform: process.platform },
        counts: resources,
        jobs,
        servers,
      };
    },
  };
}

/** What cannot be read in time counts as what cannot be read. Nothing is asked again before it has answered. */
function createExamination(deps: MonitoringDependencies): () => Promise<Health> {
  const readLatency = boundedRead(() => databaseLatency(deps.database));
  const readServers = boundedRead(() => deps.servers());
  const readCalls = boundedRead(() => readQueue(deps.database));
  const readDisk = boundedRead(() => checkDisk(deps));
  return async () => {
    const [latency, servers, calls, disk] = await Promise.all([readLatency(), readServers(), readCalls(), readDisk()]);
    const checks = {
      database: databaseCheck(latency),
      servers: serversCheck(servers ?? []),
      queue: queueCheck(calls, deps.clock.now()),
      disk: disk ?? UNKNOWN_DISK,
    };
    const isWell = Object.values(checks).every(({ status }) => status === 'ok');
    const status: Verdict = checks.database.status === 'down' ? 'down' : isWell ? 'ok' : 'degraded';
    return { status, version: deps.version, checks, uptime_s: 0 };
  };
}

function databaseCheck(latency: number | undefined): Health['checks']['database'] {
  return latency === undefined ? { status: 'down', latency_ms: null } : { status: 'ok', latency_ms: latency };
}

function serversCheck(known: readonly ServerStatus[]): Health['checks']['servers'] {
  const of = (status: ServerStatus['status']) => known.filter((each) => each.status === status).length;
  const down = of('down');
  return { status: down > 0 ? 'degraded' : 'ok', total: known.length, down, unknown: of('unknown') };
}

function queueCheck(calls: Queue | undefined, now: number): Health['checks']['queue'] {
  if (calls === undefined) return { status: 'down', waiting: null, oldest_s: null };
  const { waiting, since } = calls;
  const oldest = since === null ? 0 : Math.max(0, now - since.getTime()) / 1000;
  return { status: oldest > OLD_QUEUE_S ? 'degraded' : 'ok', waiting, oldest_s: oldest };
}
