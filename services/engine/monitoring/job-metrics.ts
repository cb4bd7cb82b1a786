// Metrics of background work for operators: jobs of each kind, and calls that wait for dispatch (decision E12). Every
// node reports the same figures, because they come from the database.
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { countJobs, oldestRunning, readQueue } from './store.ts';

/** Each state has a value from the start, so that the first failure is an increase. */
const KINDS = ['export', 'import', 'file-import', 'synchronize', 'search-parameter'] as const;
const STATES = ['running', 'failed'] as const;

export function registerJobMetrics(metrics: Metrics, { database, clock }: { database: Database; clock: Clock }): void {
  const ageOf = (since: Date | null) => (since === null ? 0 : Math.max(0, clock.now() - since.getTime()) / 1000);
  metrics.gauges(
    'kedja_engine_jobs',
    'Jobs that are kept, by kind and state',
    ['kind', 'state'],
    ifAvailable(async () => {
      const none = KINDS.flatMap((kind) => STATES.map((state) => ({ kind, state, count: 0 })));
      // Of two values with the same labels the later one counts.
      return [...none, ...(await countJobs(database))].map(({ count, ...labels }) => ({ labels, value: count }));
    }),
  );
  metrics.gauges(
    'kedja_engine_job_oldest_seconds',
    'Age of the oldest job that is running, by kind; 0 when none is',
    ['kind'],
    ifAvailable(async () => {
      const running = await oldestRunning(database);
      return KINDS.map((kind) => ({ labels: { kind }, value: ageOf(running.get(kind) ?? null) }));
    }),
  );
  metrics.gauges(
    'kedja_engine_dispatch_calls',
    'Decisions and reports of providers that dispatch has not taken: those that wait, and those it refused',
    ['state'],
    ifAvailable(async () => {
      const { waiting, refused } = await readQueue(database);
      return [
        { labels: { state: 'waiting' }, value: waiting },
        { labels: { state: 'refused' }, value: refused },
      ];
    }),
  );
  metrics.gauges(
    'kedja_engine_dispatch_call_oldest_seconds',
    'How long the oldest decision or report has waited for dispatch; 0 when none waits',
    [],
    ifAvailable(async () => [{ labels: {}, value: ageOf((await readQueue(database)).since) }]),
  );
}

/** The other metrics must be served also when the database is away. */
function ifAvailable<T>(read: () => Promise<T[]>): () => Promise<T[]> {
  return () => read().catch(() => []);
}
