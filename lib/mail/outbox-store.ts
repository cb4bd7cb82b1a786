// The mail outbox: SQL only. A claim is a lease: it puts `next_at` off, and grows the attempt number by one.
import type { Queryable } from '../db/database.ts';

export interface NewMail {
  readonly mailGuid: string;
  readonly kind: string;
  readonly sealed: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function insertMail(db: Queryable, mail: NewMail): Promise<void> {
  await db.query(
    `INSERT INTO mail_outbox (mail_guid, kind, message_sealed, created_at, expires_at, next_at)
     VALUES ($1, $2, $3, $4, $5, $4)`,
    [mail.mailGuid, mail.kind, mail.sealed, mail.createdAt, mail.expiresAt],
  );
}

export interface ClaimedMail {
  readonly mail_guid: string;
  readonly kind: string;
  readonly message_sealed: Buffer;
  readonly attempt: number;
  readonly expires_at: Date;
}

/** Mails that are due, the longest waiting first; what another worker is claiming is left to it. */
export async function claimDue(
  db: Queryable,
  { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number },
): Promise<ClaimedMail[]> {
  const statement = {
    name: 'mail-claim',
    text: `UPDATE mail_outbox SET attempt = attempt + 1, next_at = $2, is_sending = true
      WHERE mail_guid IN (SELECT mail_guid FROM mail_outbox WHERE dead_at IS NULL AND next_at <= $1
        ORDER BY next_at LIMIT $3 FOR UPDATE SKIP LOCKED)
      RETURNING mail_guid, kind, message_sealed, attempt, expires_at`,
  };
  return (await db.query<ClaimedMail>(statement, [now, leaseUntil, limit])).rows;
}

/** Whichever attempt it was: the server has the mail, so nobody sends it again. */
export async function deleteSent(db: Queryable, mailGuid: string): Promise<void> {
  await db.query('DELETE FROM mail_outbox WHERE mail_guid = $1', [mailGuid]);
}

export interface FailedAttempt {
  readonly mailGuid: string;
  readonly attempt: number;
  readonly error: string;
}

/** Puts the mail off; nothing changes when another worker has claimed it meanwhile. */
export async function putOff(db: Queryable, failed: FailedAttempt, nextAt: Date): Promise<void> {
  await db.query(
    `UPDATE mail_outbox SET next_at = $3, last_error = $4, is_sending = false WHERE mail_guid = $1 AND attempt = $2`,
    [failed.mailGuid, failed.attempt, nextAt, failed.error],
  );
}

/** Gives the mail up and deletes its message; false when another worker has claimed it meanwhile. */
export async function giveUp(db: Queryable, failed: FailedAttempt, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE mail_outbox SET dead_at = $3, last_error = $4, message_sealed = NULL
     WHERE mail_guid = $1 AND attempt = $2 AND dead_at IS NULL`,
    [failed.mailGuid, failed.attempt, at, failed.error],
  );
  return rowCount > 0;
}

/** Deletes a mail that waits; true when no attempt was under way. */
export async function cancelWaiting(db: Queryable, mailGuid: string | undefined): Promise<boolean> {
  const text = 'DELETE FROM mail_outbox WHERE mail_guid = $1 AND dead_at IS NULL RETURNING is_sending';
  const { rows } = await db.query<{ is_sending: boolean }>(text, [mailGuid ?? null]);
  return rows[0]?.is_sending === false;
}

export async function sweepDead(db: Queryable, before: Date): Promise<void> {
  await db.query('DELETE FROM mail_outbox WHERE dead_at <= $1', [before]);
}
