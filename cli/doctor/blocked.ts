// `kedja doctor` on transactions that others wait for, such as one that somebody forgot in psql.
import type { Database } from '#lib/db/database.ts';
import { type Finding, warn } from './findings.ts';

/** Kedja's own transactions end within their time limit. */
const SECONDS = 10;

/** The transactions at the head of each queue. Of other roles the server shows no start; these count, too. */
const BLOCKERS = `SELECT b.pid, coalesce(b.application_name, '') AS name, coalesce(b.state, '') AS state,
    coalesce(extract(epoch FROM now() - b.xact_start)::int, ${SECONDS}) AS seconds, count(DISTINCT w.pid)::int AS waiting
  FROM pg_stat_activity w CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocker (pid)
  JOIN pg_stat_activity b ON b.pid = blocker.pid AND b.wait_event_type IS DISTINCT FROM 'Lock'
  WHERE w.datname = current_database() AND w.wait_event_type = 'Lock'
    AND coalesce(b.xact_start < now() - interval '${SECONDS} seconds', true)
  GROUP BY b.pid, b.application_name, b.state, b.xact_start ORDER BY b.xact_start LIMIT 5`;

interface Blocker {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly seconds: number;
  readonly waiting: number;
}

/** A warning for each transaction that has been open for long while others wait for it. */
export async function blockedFindings(database: Database): Promise<Finding[]> {
  const { rows } = await database.query<Blocker>(BLOCKERS);
  return rows.map(({ pid, name, state, seconds, waiting }) => {
    const who = `The connection ${pid}${name === '' ? '' : ` of ${name}`}${state === '' ? '' : ` (${state})`}`;
    const message = `${who} has had a transaction open for ${seconds} s, and ${waiting} others wait for it`;
    const advice = `End that program, or run SELECT pg_terminate_backend(${pid}); see docs/operations/runbooks/queue-stuck.md`;
    return warn('database.blocked', message, advice);
  });
}
