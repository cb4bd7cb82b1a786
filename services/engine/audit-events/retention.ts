// How long audit events are kept (docs/adr/0127): months whose time is over are dropped whole. It takes a moment,
// whatever they hold, and nobody waits longer for it than a lock may.
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { readCount } from '#lib/db/rows.ts';
import { ServiceError } from '#lib/errors.ts';
import { monthsBefore } from '#lib/retention/rule.ts';
import { monthOfName, partitionOf } from './month.ts';

/** A month of audit events. */
export interface EventMonth {
  /** `2026-03`. */
  readonly month: string;
  /** When it ends, in milliseconds. */
  readonly until: number;
  /** An estimate by the statistics of the table; undefined where there are none yet. */
  readonly events: number | undefined;
  readonly bytes: number;
}

export interface RetentionDeps {
  readonly database: Database;
  readonly audit: Audit;
}

/** As whom it is recorded. */
export type RetentionActor = Pick<AuditEntry, 'principal'>;

/** So long a drop waits for its lock, and others behind it. */
const LOCK_TIMEOUT_MS = 50;
const LOCK_NOT_AVAILABLE = '55P03';
const UNDEFINED_TABLE = '42P01';
/** From so many events on a month is not counted one by one. */
const MANY = 100_000;
const NAME = /^access_event_(\d{4})_(\d{2})$/;

/** The months that there are, oldest first. */
export async function readMonths(db: Queryable): Promise<EventMonth[]> {
  const { rows } = await db.query<{ name: string; events: number | null; bytes: number }>(
    `SELECT c.relname::text AS name, CASE WHEN c.reltuples >= 0 THEN c.reltuples::float8 END AS events,
       (pg_total_relation_size(c.oid) + coalesce(pg_total_relation_size(to_regclass(quote_ident(current_schema()) || '.' ||
         quote_ident(replace(c.relname, 'access_event_', 'access_event_value_')))), 0))::float8 AS bytes
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'access_event'::regclass ORDER BY 1`,
  );
  return rows.flatMap(({ name, events, bytes }) => {
    const [, year, number] = NAME.exec(name) ?? [];
    const month = monthOfName(`${year}-${number}`);
    return month === undefined ? [] : [{ month: month.name, until: month.until, events: events ?? undefined, bytes }];
  });
}

/** Those of which every event is older than so many months. */
export function monthsOver(months: readonly EventMonth[], keptMonths: number, now: number): EventMonth[] {
  const oldest = monthsBefore(now, keptMonths).getTime();
  return months.filter(({ until }) => until <= oldest);
}

/**
 * Drops a month, if it is there. It records that with the number of its events, which it returns; 0 when another run
 * has done so. Undefined when others held on to the table: nothing is done then, and nobody has waited longer than
 * {@link LOCK_TIMEOUT_MS}.
 */
export async function dropMonth(
  { database, audit }: RetentionDeps,
  name: string,
  actor: RetentionActor,
): Promise<number | undefined> {
  const month = monthOfName(name);
  if (month === undefined) throw new ServiceError('invalid_request', `${name} is no month`);
  const table = partitionOf('access_event', month);
  try {
    // One table in a transaction, as each is a wait of its own.
    await database.transaction(async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
      await tx.query(`DROP TABLE IF EXISTS ${partitionOf('access_event_value', month)}`);
    });
    const isThere = 'SELECT to_regclass($1) IS NOT NULL AS is_there';
    const { rows } = await database.query<{ is_there: boolean }>(isThere, [table]);
    if (rows[0]?.is_there !== true) return 0;
    const { count, text } = await countEvents(database, table);
    await database.transaction(async (tx) => {
      await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT_MS}ms'`);
      // Fails when another run was faster, which has recorded it.
      await tx.query(`DROP TABLE ${table}`);
      await tx.query('DELETE FROM access_event_month WHERE month = $1', [month.from]);
      const detail = `${text} audit events of ${month.name} removed, as their time of retention was over`;
      await audit.record(tx, { ...actor, action: 'D', event: 'retention.drop', entities: ['AuditEvent'], detail });
    });
    return count;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === LOCK_NOT_AVAILABLE) return undefined;
    if (code === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

/**
 * Counted before the drop, without a lock: nothing is added to a month of years ago. To count ten million takes longer
 * than to drop them. So the statistics say how many those are; they are as good as exact where nothing changes.
 */
async function countEvents(
  database: Database,
  table: string,
): Promise<{ readonly count: number; readonly text: string }> {
  const estimate = await readCount(
    database,
    'SELECT reltuples::bigint AS count FROM pg_class WHERE oid = to_regclass($1)',
    [table],
  );
  if (estimate >= MANY) return { count: estimate, text: `About ${estimate}` };
  const count = await readCount(database, `SELECT count(*) AS count FROM ${table}`, []);
  return { count, text: String(count) };
}
