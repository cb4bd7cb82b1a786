// How long the oldest entries of the two queues of the audit record have waited. They are access records that are to
// become events, and events that are to be shipped (docs/adr/0011, docs/adr/0113).
import type { PreparedStatement, Queryable } from '../db/database.ts';

/** Those of jobs, and those that could not be done and wait for another attempt, are not what people wait for. */
const OLDEST_ASKED: PreparedStatement = {
  name: 'audit-look-oldest-asked',
  text: "SELECT recorded_at FROM audit_look WHERE next_at = '-infinity' ORDER BY batch_guid LIMIT 1",
};

const OLDEST_DUE: PreparedStatement = {
  name: 'audit-look-oldest-due',
  text: `SELECT min(recorded_at) AS recorded_at FROM (
    (SELECT recorded_at FROM audit_look WHERE next_at = '-infinity' ORDER BY batch_guid LIMIT 1)
    UNION ALL (SELECT recorded_at FROM audit_look WHERE next_at = 'epoch' ORDER BY batch_guid LIMIT 1)) o`,
};

/** The key, a UUIDv7, is in the order of time. Counting what waits would read all of it. */
const OLDEST_EVENT: PreparedStatement = {
  name: 'audit-outbox-oldest',
  text: `SELECT e.recorded_at FROM (SELECT event_guid FROM audit_outbox ORDER BY event_guid LIMIT 1) o
    JOIN audit_event e USING (event_guid)`,
};

export interface Oldest {
  /** Milliseconds since 1970; undefined when nothing waits. */
  readonly recordedAt: number | undefined;
}

/** The oldest access record of a request. */
export function readOldestAsked(db: Queryable): Promise<Oldest> {
  return read(db, OLDEST_ASKED);
}

/** The oldest access record, those of jobs included, that was not postponed. */
export function readOldestDue(db: Queryable): Promise<Oldest> {
  return read(db, OLDEST_DUE);
}

/** The oldest event that is not shipped yet, refused ones included. */
export function readOldestUnshipped(db: Queryable): Promise<Oldest> {
  return read(db, OLDEST_EVENT);
}

async function read(db: Queryable, statement: PreparedStatement): Promise<Oldest> {
  const { rows } = await db.query<{ recorded_at: Date | null }>(statement);
  return { recordedAt: rows[0]?.recorded_at?.getTime() };
}
