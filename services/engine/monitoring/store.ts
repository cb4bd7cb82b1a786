// SQL of what monitoring counts: jobs by kind and state, and what waits to be carried to dispatch.
import type { Queryable } from '#lib/db/database.ts';
import type { Jobs } from './schema.ts';

export async function countJobs(db: Queryable): Promise<Jobs> {
  const { rows } = await db.query<{ kind: string; state: string; count: number }>(
    `SELECT kind, state, count(*) AS count FROM bulk_job GROUP BY kind, state
     UNION ALL SELECT 'synchronize', state, count(*) FROM sync_job GROUP BY state ORDER BY 1, 2`,
  );
  return rows.map(({ kind, state, count }) => ({ kind, state, count: Number(count) }));
}

export interface Queue {
  readonly waiting: number;
  /** When the oldest began to wait. */
  readonly since: Date | null;
}

export async function readQueue(db: Queryable): Promise<Queue> {
  const { rows } = await db.query<{ waiting: number; since: Date | null }>(
    'SELECT count(*) AS waiting, min(created_at) AS since FROM dispatch_call WHERE refused_at IS NULL',
  );
  return { waiting: Number(rows[0]?.waiting ?? 0), since: rows[0]?.since ?? null };
}
