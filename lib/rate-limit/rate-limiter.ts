// Fixed-window rate limits counted in PostgreSQL, so that all nodes count together (contract: identity, Limits).
// Requests that arrive while a statement runs are counted by the next one, so that a flood costs one statement at a
// time.
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { isDivided } from '../db/failure.ts';

export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  readonly isAllowed: boolean;
}

export interface RateLimiter {
  /** Counts one request of the client. @throws ServiceError `unavailable` */
  take(client: string): Promise<RateLimitState>;
}

export interface RateLimitRule {
  /** Names the limit; clients are counted apart per scope. */
  readonly scope: string;
  /** Requests per window. */
  readonly limit: number;
  readonly windowSeconds: number;
}

interface Waiting {
  readonly resolve: (state: RateLimitState) => void;
  readonly reject: (error: unknown) => void;
}

interface CounterRow {
  client: string;
  hits: number;
  window_ends: Date;
}

/**
 * Counts are committed asynchronously: a crash of the database's machine may lose the last moments.
 */
const COUNT = countText('rate-limit-count', {
  before: "WITH unhurried AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))",
  from: 'unhurried, unnest($2::text[], $3::integer[]) AS batch (client, hits)',
});
/**
 * On Citus, which sends the statement as it is to the node that has the table only if it reads the table and calls no
 * volatile function (docs/operations/citus.md). The condition is always true.
 */
const COUNT_AT_NODE = countText('rate-limit-count-at-node', {
  before: '',
  from: `unnest($2::text[], $3::integer[]) AS batch (client, hits)
    WHERE batch.client IS NOT NULL OR EXISTS (SELECT FROM rate_limit)`,
});

function countText(name: string, { before, from }: { readonly before: string; readonly from: string }) {
  const text = `${before}
    INSERT INTO rate_limit AS counter (scope, client, hits, window_ends)
    SELECT $1::text, batch.client, batch.hits, $5::timestamptz FROM ${from}
    ORDER BY batch.client
    ON CONFLICT (scope, client) DO UPDATE SET
      hits = CASE WHEN counter.window_ends <= $4 THEN excluded.hits ELSE counter.hits + excluded.hits END,
      window_ends = CASE WHEN counter.window_ends <= $4 THEN excluded.window_ends ELSE counter.window_ends END
    RETURNING client, hits, window_ends`;
  return { name, text };
}

/** One limit. Its table comes with the migrations beside this file. */
export function createRateLimiter(
  rule: RateLimitRule,
  { database, clock }: { database: Database; clock: Clock },
): RateLimiter {
  let waiting = new Map<string, Waiting[]>();
  let isCounting = false;
  let statement = COUNT;

  async function store(values: readonly unknown[]): Promise<readonly CounterRow[]> {
    try {
      return (await database.query<CounterRow>(statement, values)).rows;
    } catch (error) {
      if (statement === COUNT_AT_NODE || !isDivided(error)) throw error;
      statement = COUNT_AT_NODE;
      return store(values);
    }
  }

  async function count(batch: Map<string, Waiting[]>): Promise<void> {
    const now = clock.now();
    const clients = [...batch.keys()];
    const hits = [...batch.values()].map((requests) => requests.length);
    const ends = new Date(now + rule.windowSeconds * 1000);
    const rows = await store([rule.scope, clients, hits, new Date(now), ends]);
    for (const row of rows) answer(rule, row, { requests: batch.get(row.client) ?? [], now });
  }

  async function run(): Promise<void> {
    isCounting = true;
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      try {
        await count(batch);
      } catch (error) {
        for (const request of [...batch.values()].flat()) request.reject(error);
      }
    }
    isCounting = false;
  }

  return {
    take: (client) =>
      new Promise((resolve, reject) => {
        const requests = waiting.get(client) ?? [];
        requests.push({ resolve, reject });
        waiting.set(client, requests);
        if (!isCounting) void run();
      }),
  };
}

/** Deletes counters whose window has ended; run it about once a minute. */
export async function sweepRateLimits(database: Database, clock: Clock): Promise<void> {
  await database.query('DELETE FROM rate_limit WHERE window_ends <= $1', [new Date(clock.now())]);
}

function answer(rule: RateLimitRule, row: CounterRow, batch: { requests: readonly Waiting[]; now: number }): void {
  const resetSeconds = Math.max(1, Math.ceil((row.window_ends.getTime() - batch.now) / 1000));
  const before = row.hits - batch.requests.length;
  for (const [index, request] of batch.requests.entries()) {
    const hits = before + index + 1;
    const remaining = Math.max(0, rule.limit - hits);
    request.resolve({ limit: rule.limit, remaining, resetSeconds, isAllowed: hits <= rule.limit });
  }
}
