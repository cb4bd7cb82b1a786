// SQL that reads notifications and their marks (docs/adr/0070). A reader sees those of its lists that are addressed to
// it, to nobody, or shared because their addressee has not read them.
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import type { Reader } from './audience.ts';
import type { Positions } from './cursor.ts';
import type { NotificationKind } from './schema.ts';

export interface Notification {
  readonly notificationGuid: string;
  readonly kind: NotificationKind;
  /** Undefined for what is about a CarePlan or a patient alone. */
  readonly serviceRequestId: string | undefined;
  readonly careplanGuid: string | undefined;
  readonly matchGuid: string | undefined;
  readonly requestGuid: string | undefined;
  readonly providerGuid: string | undefined;
  readonly providerName: string | undefined;
  readonly patientGuid: string;
  readonly isAddressed: boolean;
  readonly createdAt: Date;
  readonly readAt: Date | undefined;
}

export interface NotificationFilter {
  readonly isUnread?: boolean | undefined;
  readonly kind?: NotificationKind | undefined;
  readonly serviceRequestId?: string | undefined;
}

/** A notification at its place in a list. */
export interface PlacedNotification extends Notification {
  readonly feedKey: string;
  readonly place: number;
}

interface Row {
  notification_guid: string;
  kind: NotificationKind;
  service_request_id: string | null;
  careplan_guid: string | null;
  match_guid: string | null;
  request_guid: string | null;
  provider_guid: string | null;
  provider_name: string | null;
  patient_guid: string;
  is_addressed: boolean;
  created_at: Date;
  read_at: Date | null;
}

const COLUMNS = `n.notification_guid, n.kind, n.service_request_id, n.careplan_guid, n.match_guid, n.request_guid, m.provider_guid,
  m.provider_name, n.patient_guid, n.addressee_id IS NOT DISTINCT FROM $1 AS is_addressed, n.created_at, r.read_at`;
const JOINS = `LEFT JOIN match m ON m.service_request_id = n.service_request_id AND m.match_guid = n.match_guid
  LEFT JOIN notification_read r ON r.reader_id = $1 AND r.notification_guid = n.notification_guid`;
/** With the reader as $1 and its lists as $2. Each part has its index: what is addressed to others is not read. */
export const VISIBLE = `((n.feed_key = ANY($2::text[]) AND n.addressee_id = $1) OR (n.feed_key = ANY($2::text[]) AND n.addressee_id IS NULL)
  OR (n.feed_key = ANY($2::text[]) AND n.shared_position IS NOT NULL))`;
const FILTER = `${VISIBLE} AND (NOT $3 OR r.read_at IS NULL) AND ($4::text IS NULL OR n.kind = $4)
  AND ($5::uuid IS NULL OR n.service_request_id = $5)`;

const LIST = {
  name: 'notification-list',
  text: `SELECT ${COLUMNS} FROM notification n ${JOINS} WHERE ${FILTER} ORDER BY n.notification_guid DESC LIMIT $6 OFFSET $7`,
};
const COUNT = {
  name: 'notification-count',
  text: `SELECT count(*) FILTER (WHERE (NOT $3 OR r.read_at IS NULL) AND ($4::text IS NULL OR n.kind = $4)
      AND ($5::uuid IS NULL OR n.service_request_id = $5)) AS total, count(*) FILTER (WHERE r.read_at IS NULL) AS unread
    FROM notification n LEFT JOIN notification_read r ON r.reader_id = $1 AND r.notification_guid = n.notification_guid WHERE ${VISIBLE}`,
};
const POSITIONS = {
  name: 'notification-positions',
  text: 'SELECT feed_key, position FROM notification_feed WHERE feed_key = ANY($1::text[])',
};
/** The notifications of one list behind a position: those of the reader or of nobody, and those shared with it. */
const AFTER = {
  name: 'notification-after',
  text: `SELECT ${COLUMNS}, n.feed_key, n.place FROM (
      (SELECT *, position AS place FROM notification
       WHERE feed_key = $2 AND position > $3 AND (addressee_id IS NULL OR addressee_id = $1) ORDER BY position LIMIT $4)
      UNION ALL
      (SELECT *, shared_position AS place FROM notification
       WHERE feed_key = $2 AND shared_position > $3 AND addressee_id <> $1 ORDER BY shared_position LIMIT $4)
    ) n ${JOINS} ORDER BY n.place LIMIT $4`,
};

/** The marks of the reader; what is addressed to it is no longer open then. */
const MARK = `WITH seen AS (
    SELECT n.notification_guid FROM notification n WHERE ${VISIBLE} AND ($4::uuid IS NULL OR n.notification_guid = $4)
      AND NOT EXISTS (SELECT FROM notification_read r WHERE r.reader_id = $1 AND r.notification_guid = n.notification_guid)
  ), closed AS (
    UPDATE notification n SET is_open = false FROM seen s
    WHERE n.notification_guid = s.notification_guid AND n.addressee_id = $1 AND n.is_open
  )
  INSERT INTO notification_read (reader_id, notification_guid, read_at) SELECT $1, notification_guid, $3 FROM seen
  ON CONFLICT (reader_id, notification_guid) DO NOTHING`;
const MARK_READ = { name: 'notification-mark', text: MARK };
const FIND_MARK = {
  name: 'notification-find-mark',
  text: `SELECT r.read_at FROM notification n
    JOIN notification_read r ON r.reader_id = $1 AND r.notification_guid = n.notification_guid
    WHERE n.notification_guid = $3 AND ${VISIBLE}`,
};

/** Newest first. */
export async function listNotifications(
  db: Queryable,
  { id, feedKeys }: Reader,
  filter: NotificationFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ notifications: Notification[]; total: number; unread: number }> {
  const given = [id, feedKeys, filter.isUnread === true, filter.kind ?? null, filter.serviceRequestId ?? null] as const;
  const { rows } = await db.query<Row>(LIST, [...given, page.limit, page.offset]);
  const { rows: counted } = await db.query<{ total: number; unread: number }>(COUNT, given);
  const [count] = counted;
  return {
    notifications: rows.map((row) => fromRow(row)),
    total: Number(count?.total ?? 0),
    unread: Number(count?.unread ?? 0),
  };
}

/** The last position of each list; 0 for one without notifications. */
export async function readPositions(db: Queryable, feedKeys: readonly string[]): Promise<Positions> {
  const { rows } = await db.query<{ feed_key: string; position: number }>(POSITIONS, [feedKeys]);
  const found = new Map(rows.map((row) => [row.feed_key, Number(row.position)]));
  return new Map(feedKeys.map((key) => [key, found.get(key) ?? 0]));
}

/** The next notifications of one list, in the order of their places. */
export async function listAfter(
  db: Queryable,
  readerId: string,
  { feedKey, after, limit }: { readonly feedKey: string; readonly after: number; readonly limit: number },
): Promise<PlacedNotification[]> {
  const { rows } = await db.query<Row & { feed_key: string; place: number }>(AFTER, [readerId, feedKey, after, limit]);
  return rows.map((row) => ({ ...fromRow(row), place: Number(row.place) }));
}

/** Marks one, or all that the reader sees; returns how many were unread. */
export async function markRead(
  db: Queryable,
  { id, feedKeys }: Reader,
  { guid, now }: { readonly guid: string | undefined; readonly now: Date },
): Promise<number> {
  return (await db.query(MARK_READ, [id, feedKeys, now, guid ?? null])).rowCount;
}

/** When the reader read it; undefined when the reader has not, or does not see it. */
export async function findMark(db: Queryable, { id, feedKeys }: Reader, guid: string): Promise<Date | undefined> {
  const { rows } = await db.query<{ read_at: Date }>(FIND_MARK, [id, feedKeys, guid]);
  return rows[0]?.read_at;
}
