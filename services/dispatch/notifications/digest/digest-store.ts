// SQL of the digests of notifications: who wants one, which is due, and what it counts.
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';
import type { Language } from '#lib/html/html.ts';
import type { Reader } from '../audience.ts';
import type { Positions } from '../cursor.ts';
import type { NotificationKind } from '../schema.ts';
import { VISIBLE } from '../store.ts';
import type { Frequency } from './digest-time.ts';

export interface DigestWish {
  readonly userId: string;
  readonly frequency: Frequency;
  readonly language: Language;
  /** A cursor: what is behind it is new. */
  readonly covered: string;
  /** Distinguishes the holder of a lease from one whose lease has run out. */
  readonly attempt: number;
}

interface Row {
  user_id: string;
  frequency: Frequency;
  language: Language;
  covered: string;
  attempt: number;
}

const COLUMNS = 'user_id, frequency, language, covered, attempt';
const FIND = { name: 'digest-find', text: `SELECT ${COLUMNS} FROM notification_digest WHERE user_id = $1` };
/** A digest that is switched on begins now; one that is changed goes on where it was. */
const PUT = {
  name: 'digest-put',
  text: `INSERT INTO notification_digest (user_id, frequency, language, covered, next_at, updated_at)
    VALUES ($1, $2, $3, $6, $4, $5)
    ON CONFLICT (user_id) DO UPDATE SET frequency = $2, language = $3, next_at = $4, updated_at = $5`,
};
const DELETE = { name: 'digest-delete', text: 'DELETE FROM notification_digest WHERE user_id = $1' };
const CLAIM = {
  name: 'digest-claim',
  text: `UPDATE notification_digest SET attempt = attempt + 1, lease_until = $2 WHERE user_id = (
      SELECT user_id FROM notification_digest WHERE next_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)
      ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING ${COLUMNS}`,
};
const FINISH = {
  name: 'digest-finish',
  text: `UPDATE notification_digest SET covered = $3, next_at = $4, lease_until = NULL WHERE user_id = $1 AND attempt = $2`,
};
/** What is shared is at another place for its further readers. */
const COUNT = {
  name: 'digest-count',
  text: `SELECT n.kind, count(*) AS unread,
      count(*) FILTER (WHERE CASE WHEN n.addressee_id <> $1 THEN n.shared_position ELSE n.position END > coalesce(c.position, 0)) AS fresh
    FROM notification n LEFT JOIN unnest($3::text[], $4::bigint[]) AS c (feed_key, position) ON c.feed_key = n.feed_key
    WHERE ${VISIBLE}
      AND NOT EXISTS (SELECT FROM notification_read r WHERE r.reader_id = $1 AND r.notification_guid = n.notification_guid)
    GROUP BY n.kind ORDER BY n.kind`,
};

export async function findDigest(db: Queryable, userId: string): Promise<DigestWish | undefined> {
  return findRow(db, FIND, [userId], (row: Row) => fromRow(row));
}

export async function putDigest(
  db: Queryable,
  wish: Pick<DigestWish, 'userId' | 'frequency' | 'language' | 'covered'> & { readonly nextAt: Date },
  now: Date,
): Promise<void> {
  await db.query(PUT, [wish.userId, wish.frequency, wish.language, wish.nextAt, now, wish.covered]);
}

export async function deleteDigest(db: Queryable, userId: string): Promise<void> {
  await db.query(DELETE, [userId]);
}

/** Leases the digest that has been due for longest. */
export async function claimDigest(
  db: Queryable,
  { now, leaseUntil }: { readonly now: Date; readonly leaseUntil: Date },
): Promise<DigestWish | undefined> {
  return findRow(db, CLAIM, [now, leaseUntil], (row: Row) => fromRow(row));
}

/** Ends the lease; false when it was lost, or the digest was switched off. */
export async function finishDigest(
  db: Queryable,
  { userId, attempt }: DigestWish,
  { covered, nextAt }: { readonly covered: string; readonly nextAt: Date },
): Promise<boolean> {
  return (await db.query(FINISH, [userId, attempt, covered, nextAt])).rowCount === 1;
}

export interface UnreadKind {
  readonly kind: NotificationKind;
  readonly unread: number;
  /** Of these, how many have come since the digest before. */
  readonly fresh: number;
}

export async function countUnread(db: Queryable, { id, feedKeys }: Reader, covered: Positions): Promise<UnreadKind[]> {
  const { rows } = await db.query<{ kind: NotificationKind; unread: number; fresh: number }>(COUNT, [
    id,
    feedKeys,
    [...covered.keys()],
    [...covered.values()],
  ]);
  return rows.map(({ kind, unread, fresh }) => ({ kind, unread: Number(unread), fresh: Number(fresh) }));
}
