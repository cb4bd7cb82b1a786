// What operators see of dispatch: what runs, and what waits in its queues. The figures of queues are those of all
// nodes, as they come from the database.
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { readMailQueue } from '#lib/mail/metrics.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { createServiceStatus, type QueueFigures } from '#lib/metrics/service-status.ts';
import type { DispatchStatus } from './schema.ts';

export interface MonitoringDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly version: string;
  readonly readDeliveries: (database: Database, clock: Clock) => Promise<QueueFigures>;
  readonly readResults: (database: Database, clock: Clock) => Promise<QueueFigures>;
}

export type ReadDispatchStatus = () => Promise<DispatchStatus>;

export function createDispatchStatus(deps: MonitoringDependencies): ReadDispatchStatus {
  const { database, clock } = deps;
  const readStatus = createServiceStatus(deps);
  return async () => {
    const [status, deliveries, results, mails] = [
      await readStatus(),
      await deps.readDeliveries(database, clock),
      await deps.readResults(database, clock),
      await readMailQueue(database, clock),
    ];
    return { ...status, deliveries, results, mails };
  };
}
