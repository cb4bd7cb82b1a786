// SQL statements of monitoring: jobs by kind and state, and calls that wait for dispatch.
import type { Queryable } from '#lib/db/database.ts';
import type { Jobs } from './schema.ts';

export async function countJobs(db: Queryable): Promise<Jobs> {
  const { rows } = await db.query<{ kind: string; state: string; count: number }>(
    `SELECT kind, state, count(*) AS count FROM bulk_job GROUP BY kind, state
     UNION ALL SELECT 'synchronize', state, count(*) FROM sync_job GROUP BY state
     UNION ALL SELECT 'search-parameter', 'running', count(*) FROM fhir_search_parameter WHERE state <> 'searchable' HAVING count(*) > 0
     ORDER BY 1, 2`,
  );
  return rows.map(({ kind, state, count }) => ({ kind, state, count: Number(count) }));
}

/** Returns when the oldest running job of each kind was created. */
export async function oldestRunning(db: Queryable): Promise<ReadonlyMap<string, Date>> {
  const { rows } = await db.query<{ kind: string; since: Date }>(
    `SELECT kind, min(created_at) AS since FROM bulk_job WHERE state = 'running' GROUP BY kind
     UNION ALL SELECT 'synchronize', min(created_at) FROM sync_job WHERE state = 'running' HAVING count(*) > 0
     UNION ALL SELECT 'search-parameter', min(starts_at) FROM fhir_search_parameter WHERE state <> 'searchable' HAVING count(*) > 0`,
  );
  return new Map(rows.map(({ kind, since }) => [kind, since]));
}

export interface Queue {
  readonly waiting: number;
  /** Calls that dispatch has refused permanently. They are kept for an operator. */
  readonly refused: number;
  /** When the oldest call was created. */
  readonly since: Date | null;
}

export async function readQueue(db: Queryable): Promise<Queue> {
  const { rows } = await db.query<{ waiting: number; refused: number; since: Date | null }>(
    `SELECT count(*) FILTER (WHERE refused_at IS NULL) AS waiting, count(refused_at) AS refused,
       min(created_at) FILTER (WHERE refused_at IS NULL) AS since
     FROM (SELECT refused_at, created_at FROM dispatch_call UNION ALL SELECT NULL, created_at FROM report_notice
       UNION ALL SELECT NULL, created_at FROM patient_report_notice) each`,
  );
  const [row] = rows;
  return { waiting: Number(row?.waiting ?? 0), refused: Number(row?.refused ?? 0), since: row?.since ?? null };
}
