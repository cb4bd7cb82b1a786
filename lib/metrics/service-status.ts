// What runs of a service and how fast it responds, as JSON for operators: release, database, requests with their
// latency. The figures are those of one process, as its metrics are.
import Type, { type Static } from 'typebox';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import type { Metrics } from './metrics.ts';
import { requestSummary } from './summary.ts';

const Count = Type.Integer();

const RouteFigures = Type.Object(
  {
    method: Type.String(),
    route: Type.String(),
    count: Count,
    errors: Count,
    mean_ms: Type.Number(),
    p50_ms: Type.Number(),
    p95_ms: Type.Number(),
    p99_ms: Type.Number(),
  },
  { title: 'RouteFigures' },
);

export const RequestFigures = Type.Object(
  {
    total: Count,
    errors: Type.Integer({ description: 'Responses of 500 and above' }),
    routes: Type.Array(RouteFigures, { description: 'The most frequent first' }),
  },
  { title: 'RequestFigures' },
);
type RequestFigures = Static<typeof RequestFigures>;

/** Members of a service's status, which adds its own queues. */
export const serviceStatusFields = {
  version: Type.String(),
  started_at: Type.String({ format: 'date-time' }),
  database: Type.Object({ latency_ms: Type.Number({ description: 'Of one small question' }) }),
  requests: RequestFigures,
};

/** A queue: what waits, and what was given up. */
export const QueueFigures = Type.Object(
  {
    waiting: Count,
    dead: Type.Integer({ description: 'Given up, and kept for an operator' }),
    oldest_s: Type.Number({ description: 'How long the oldest has waited; 0 when none waits' }),
  },
  { title: 'QueueFigures' },
);
export type QueueFigures = Static<typeof QueueFigures>;

export interface ServiceStatus {
  readonly version: string;
  readonly started_at: string;
  readonly database: { readonly latency_ms: number };
  readonly requests: RequestFigures;
}

interface Watched {
  readonly database: Database;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly version: string;
}

/** Reads the status of this process, which starts now. It throws what the database throws. */
export function createServiceStatus({ database, metrics, clock, version }: Watched): () => Promise<ServiceStatus> {
  const startedAt = new Date(clock.now()).toISOString();
  return async () => ({
    version,
    started_at: startedAt,
    database: { latency_ms: await databaseLatency(database) },
    requests: await requestFigures(metrics),
  });
}

/** In milliseconds. */
export async function databaseLatency(database: Database): Promise<number> {
  const startedAt = performance.now();
  await database.query('SELECT 1');
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}

export async function requestFigures(metrics: Metrics): Promise<RequestFigures> {
  const routes = await requestSummary(metrics);
  const sum = (name: 'count' | 'errors') => routes.reduce((total, route) => total + route[name], 0);
  return { total: sum('count'), errors: sum('errors'), routes };
}
