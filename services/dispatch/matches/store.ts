// SQL that reads the matches of a request with the deliveries of their dispatches, and the attempts (decision L6). A
// pushed match has one dispatch, whose delivery is found by `delivery_request`.
import type { Queryable } from '#lib/db/database.ts';
import { type FromRow, fromRow } from '#lib/db/from-row.ts';
import type { DeliveryStatus } from '../deliveries/lifecycle.ts';
import type { AttemptRow } from '../deliveries/schema.ts';
import { LINK_MAIL_COLUMNS, LINK_MAIL_JOIN, type LinkMail, type LinkMailRow, linkMailOf } from '../shared/link-mail.ts';
import { type Match, type MatchRow, toMatch } from '../shared/match-store.ts';
import type { DeliveryColumns } from './delivery-state.ts';

interface Row extends MatchRow, LinkMailRow {
  delivery_status: DeliveryStatus | null;
  delivery_attempts: number | null;
  delivery_last_error: string | null;
  delivery_cancelled_reason: string | null;
  delivery_next_at: Date | null;
  delivered_at: Date | null;
}

/** One attempt, without the text of the provider's response. */
export type MatchAttempt = FromRow<AttemptRow>;

const DISPATCH = `LEFT JOIN delivery d ON d.request_guid = m.request_guid AND d.type = 'request.dispatched'`;

export const LIST_WITH_DELIVERIES = {
  name: 'match-list-deliveries',
  text: `SELECT m.*, d.status AS delivery_status, d.attempt AS delivery_attempts, d.last_error AS delivery_last_error,
      d.cancelled_reason AS delivery_cancelled_reason, d.next_at AS delivery_next_at, d.delivered_at, ${LINK_MAIL_COLUMNS}
    FROM match m ${DISPATCH}
      LEFT JOIN receipt_link l ON l.request_guid = m.request_guid AND l.ended_at IS NULL ${LINK_MAIL_JOIN}
    WHERE m.service_request_id = $1 ORDER BY m.created_at, m.match_guid`,
};
export const LIST_ATTEMPTS = {
  name: 'match-list-attempts',
  text: `SELECT a.attempt, a.started_at, a.duration_ms, a.http_status, a.outcome
    FROM match m ${DISPATCH} LEFT JOIN every_attempt a ON a.delivery_guid = d.delivery_guid AND a.attempt IS NOT NULL
    WHERE m.service_request_id = $1 AND m.match_guid = $2 ORDER BY a.attempt`,
};

/** All matches of a request with their deliveries and the mails of the links that work, oldest first. */
export async function listMatchesWithDeliveries(
  db: Queryable,
  serviceRequestId: string,
): Promise<(Match & DeliveryColumns & { readonly linkMail: LinkMail | undefined })[]> {
  const { rows } = await db.query<Row>(LIST_WITH_DELIVERIES, [serviceRequestId]);
  return rows.map((row) => ({ ...toMatch(row), linkMail: linkMailOf(row) }));
}

/** The attempts to send the dispatch of a match, in order; undefined when the request has no such match. */
export async function listMatchAttempts(
  db: Queryable,
  serviceRequestId: string,
  matchGuid: string,
): Promise<MatchAttempt[] | undefined> {
  const { rows } = await db.query<AttemptRow | { attempt: null }>(LIST_ATTEMPTS, [serviceRequestId, matchGuid]);
  if (rows.length === 0) return undefined;
  return rows.flatMap((row) => (row.attempt === null ? [] : [fromRow(row)]));
}
