// SQL of the statistics: one statement for all numbers, so that they are of the same moment and agree.
import type { DataScope } from '#lib/auth/data-scope.ts';
import type { Queryable } from '#lib/db/database.ts';
import { organisationsIn } from '../shared/access.ts';
import { EXITS, type Exit, STEPS, type Step, WAITING_HOURS } from './schema.ts';

export interface StatisticsFilter {
  readonly scope: DataScope;
  /** Requests that were made from then on, and before `end`. */
  readonly start: Date;
  readonly end: Date;
  readonly now: Date;
  /** In which the weekday of a push is. */
  readonly timeZone: string;
}

export interface Numbers {
  readonly steps: Readonly<Record<Step, number>>;
  readonly exits: Readonly<Record<Exit, number>>;
  /** One for each class of `WAITING_HOURS`, and the last for what has waited longer. */
  readonly waiting: readonly number[];
  readonly attempts: readonly {
    readonly outcome: string;
    readonly count: number;
    readonly p50_ms: number | null;
    readonly p95_ms: number | null;
  }[];
  readonly answers: readonly {
    readonly provider_guid: string;
    readonly provider_name: string;
    readonly weekday: number;
    readonly count: number;
    readonly median_hours: number;
  }[];
}

const MOST_PROVIDERS = 20;

const COUNTS: Readonly<Record<Step | Exit, string>> = {
  made: 'true',
  finalized: 'finalized_at IS NOT NULL',
  matched: 'matches > 0',
  pushed: 'pushed > 0',
  answered: 'answered > 0',
  accepted: 'accepted > 0',
  completed: `accepted > 0 AND status = 'completed'`,
  revoked: `status = 'revoked'`,
  rejected: `status <> 'revoked' AND accepted = 0 AND waiting = 0 AND rejected > 0`,
  expired: `status <> 'revoked' AND accepted = 0 AND waiting = 0 AND rejected = 0 AND expired > 0`,
};

/** `[0, 4)`, `[4, 24)` …, in hours. */
const CLASSES = [...WAITING_HOURS, undefined].map((hours, index) => {
  const least = WAITING_HOURS[index - 1] ?? 0;
  const isBelow = hours === undefined ? '' : ` AND waited < ${hours}`;
  return `count(*) FILTER (WHERE waited >= ${least}${isBelow})`;
});

/** $1: the organisations, null for all; $2 and $3: when the requests were made; $4: now; $5: the time zone. */
export function statisticsStatement(isOfAll: boolean) {
  const count = (name: Step | Exit) => `'${name}', count(*) FILTER (WHERE ${COUNTS[name]})`;
  const text = `WITH own AS MATERIALIZED (
      SELECT s.id, s.status, s.finalized_at FROM service_request s
      WHERE s.created_at >= $2 AND s.created_at < $3
        AND ${isOfAll ? '$1::text[] IS NULL' : 's.organisation_guid = ANY($1::text[])'}
    ), asked AS MATERIALIZED (
      SELECT m.service_request_id, m.request_guid, m.provider_guid, m.provider_name, m.pushed_at, m.responded_at,
        CASE WHEN m.status = 'pushed' AND m.respond_by <= $4 THEN 'expired' ELSE m.status END AS status
      FROM own JOIN match m ON m.service_request_id = own.id
    ), work AS (
      SELECT own.status, own.finalized_at, count(a.service_request_id) AS matches,
        count(a.pushed_at) AS pushed, count(*) FILTER (WHERE a.status IN ('accepted', 'rejected')) AS answered,
        count(*) FILTER (WHERE a.status = 'accepted') AS accepted, count(*) FILTER (WHERE a.status = 'pushed') AS waiting,
        count(*) FILTER (WHERE a.status = 'rejected') AS rejected, count(*) FILTER (WHERE a.status = 'expired') AS expired
      FROM own LEFT JOIN asked a ON a.service_request_id = own.id GROUP BY own.id, own.status, own.finalized_at
    ), attempt AS (
      SELECT a.outcome, count(*) AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY a.duration_ms) AS p50_ms,
        percentile_disc(0.95) WITHIN GROUP (ORDER BY a.duration_ms) AS p95_ms
      FROM asked JOIN delivery d ON d.request_guid = asked.request_guid AND d.type = 'request.dispatched'
        JOIN every_attempt a ON a.delivery_guid = d.delivery_guid
      WHERE asked.request_guid IS NOT NULL AND a.outcome IS NOT NULL GROUP BY a.outcome
    ), provider AS (
      SELECT provider_guid, max(provider_name) AS provider_name FROM asked
      WHERE status IN ('accepted', 'rejected') AND responded_at IS NOT NULL
      GROUP BY provider_guid ORDER BY count(*) DESC, provider_guid LIMIT ${MOST_PROVIDERS}
    ), answer AS (
      SELECT p.provider_guid, p.provider_name, extract(isodow FROM a.pushed_at AT TIME ZONE $5)::int AS weekday,
        count(*) AS count, round((percentile_cont(0.5) WITHIN GROUP (
          ORDER BY extract(epoch FROM a.responded_at - a.pushed_at) / 3600))::numeric, 2)::float8 AS median_hours
      FROM asked a JOIN provider p ON p.provider_guid = a.provider_guid
      WHERE a.status IN ('accepted', 'rejected') AND a.responded_at IS NOT NULL
      GROUP BY p.provider_guid, p.provider_name, 3
    )
    SELECT
      (SELECT json_build_object(${STEPS.map(count).join(', ')}) FROM work) AS steps,
      (SELECT json_build_object(${EXITS.map(count).join(', ')}) FROM work) AS exits,
      (SELECT json_build_array(${CLASSES.join(', ')}) FROM (
        SELECT extract(epoch FROM $4::timestamptz - pushed_at) / 3600 AS waited FROM asked WHERE status = 'pushed') w) AS waiting,
      (SELECT coalesce(json_agg(attempt ORDER BY count DESC, outcome), '[]') FROM attempt) AS attempts,
      (SELECT coalesce(json_agg(answer ORDER BY provider_name, provider_guid, weekday), '[]') FROM answer) AS answers`;
  return { name: `statistics-${isOfAll ? 'all' : 'own'}`, text };
}

export async function readStatistics(db: Queryable, filter: StatisticsFilter): Promise<Numbers> {
  const { scope, start, end, now, timeZone } = filter;
  const { rows } = await db.query<Numbers>(statisticsStatement(scope.kind === 'all'), [
    organisationsIn(scope),
    start,
    end,
    now,
    timeZone,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('The statement of the statistics has one row');
  return row;
}
