// Schemas of health, metrics and status (contract: engine, "Monitoring and metadata"; decision E12).
import Type, { type Static } from 'typebox';
import { RequestFigures } from '#lib/metrics/service-status.ts';
import { ServerStatus } from '../servers/schema.ts';
import { Instant, nullable } from '../shared/fields.ts';

const Count = Type.Integer();
const NumberOrNull = nullable<number>(Type.Number());
const Verdict = Type.Enum(['ok', 'degraded', 'down'], {
  description: 'degraded: requests are served, and something needs attention; down: requests are not served',
});

export const Health = Type.Object(
  {
    status: Verdict,
    version: Type.String(),
    checks: Type.Object({
      database: Type.Object({ status: Verdict, latency_ms: NumberOrNull }),
      servers: Type.Object({ status: Verdict, total: Count, down: Count, unknown: Count }),
      queue: Type.Object({ status: Verdict, waiting: nullable<number>(Count), oldest_s: NumberOrNull }),
      disk: Type.Object({ status: Verdict, free_bytes: NumberOrNull, total_bytes: NumberOrNull }),
    }),
    uptime_s: Type.Number(),
  },
  { title: 'Health' },
);
export type Health = Static<typeof Health>;

const JobCount = Type.Object({ kind: Type.String(), state: Type.String(), count: Count }, { title: 'JobCount' });
const Jobs = Type.Array(JobCount);
export type Jobs = Static<typeof Jobs>;
const Resources = Type.Record(Type.String(), Count, { description: 'How many there are of each type' });

export const MetricsView = Type.Object(
  {
    requests: RequestFigures,
    resources: Resources,
    jobs: Jobs,
    caches: Type.Array(Type.Object({ cache: Type.String(), hits: Count, misses: Count, hit_rate: NumberOrNull })),
    process: Type.Object({ memory_bytes: Count, cpu_s: Type.Number(), uptime_s: Type.Number() }),
  },
  { title: 'ServiceMetrics' },
);
export type MetricsView = Static<typeof MetricsView>;

export const SystemStatus = Type.Object(
  {
    version: Type.String(),
    started_at: Instant,
    node: Type.Object({ host: Type.String(), pid: Count, runtime: Type.String(), platform: Type.String() }),
    counts: Resources,
    jobs: Jobs,
    servers: Type.Array(ServerStatus),
  },
  { title: 'SystemStatus' },
);
export type SystemStatus = Static<typeof SystemStatus>;
