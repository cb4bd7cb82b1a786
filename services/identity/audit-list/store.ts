// Recorded audit events, newest first: SQL only. Each kind of filter has a statement of its own, which uses its own
// index.
import type { Queryable } from '#lib/db/database.ts';
import { readCount } from '#lib/db/rows.ts';
import type { TimePosition } from '#lib/http/response/time-position.ts';

export interface AuditRow {
  readonly event_guid: string;
  readonly recorded_at: Date;
  readonly resource: string;
  readonly actor_guid: string | null;
  readonly actor_email: string | null;
  readonly subject_guid: string | null;
  readonly subject_email: string | null;
}

export interface AuditFilter {
  /** The user who acted, or the user whose account it was. */
  readonly userGuid: string | null;
  readonly event: string | null;
  readonly outcome: string | null;
  /** Included. */
  readonly since: Date | null;
  /** Not included. */
  readonly until: Date | null;
}

export type AuditPosition = TimePosition;

const MATCHES = `($1::text IS NULL OR event = $1) AND ($2::text IS NULL OR outcome = $2)
  AND ($3::timestamptz IS NULL OR recorded_at >= $3) AND ($4::timestamptz IS NULL OR recorded_at < $4)`;
const BEFORE = '($5::timestamptz IS NULL OR (recorded_at, event_guid) < ($5, $6::uuid))';
const NEWEST_FIRST = 'ORDER BY recorded_at DESC, event_guid DESC';

const OF_ALL = `SELECT * FROM audit_event WHERE ${MATCHES} AND ${BEFORE} ${NEWEST_FIRST} LIMIT $7::bigint OFFSET $8::bigint`;

/**
 * Both sides of the UNION are read along their index to the end of the page. Events that users cause on their own
 * account are on the first side only.
 */
const OF_USER = `SELECT * FROM (
  (SELECT * FROM audit_event WHERE actor_guid = $9 AND ${MATCHES} AND ${BEFORE} ${NEWEST_FIRST} LIMIT $7::bigint + $8::bigint)
  UNION ALL
  (SELECT * FROM audit_event WHERE subject_guid = $9 AND actor_guid IS DISTINCT FROM $9 AND ${MATCHES} AND ${BEFORE}
   ${NEWEST_FIRST} LIMIT $7::bigint + $8::bigint)
) AS of_user ${NEWEST_FIRST} LIMIT $7::bigint OFFSET $8::bigint`;

function withNames(page: string): string {
  return `SELECT e.event_guid, e.recorded_at, e.resource, e.actor_guid, a.email AS actor_email,
      e.subject_guid, s.email AS subject_email
    FROM (${page}) AS e
      LEFT JOIN app_user a ON a.user_guid = e.actor_guid
      LEFT JOIN app_user s ON s.user_guid = e.subject_guid
    ORDER BY e.recorded_at DESC, e.event_guid DESC`;
}

const PAGE_OF_ALL = withNames(OF_ALL);
const PAGE_OF_USER = withNames(OF_USER);

export async function readPage(
  db: Queryable,
  filter: AuditFilter,
  page: { before: AuditPosition | null; limit: number; offset: number },
): Promise<AuditRow[]> {
  const { before, limit, offset } = page;
  const position = [before?.recordedAt ?? null, before?.eventGuid ?? null];
  const values = [...valuesOf(filter), ...position, limit, offset];
  const { rows } = await (filter.userGuid === null
    ? db.query<AuditRow>(PAGE_OF_ALL, values)
    : db.query<AuditRow>(PAGE_OF_USER, [...values, filter.userGuid]));
  return rows;
}

export async function count(db: Queryable, filter: AuditFilter): Promise<number> {
  return readCount(
    db,
    `SELECT count(*)::int AS count FROM audit_event
     WHERE ${MATCHES} AND ($5::uuid IS NULL OR actor_guid = $5 OR subject_guid = $5)`,
    [...valuesOf(filter), filter.userGuid],
  );
}

function valuesOf({ event, outcome, since, until }: AuditFilter): unknown[] {
  return [event, outcome, since, until];
}
