// The SQL of idempotency keys. The primary key decides which attempt may begin, the guid of the attempt which may
// finish.
import type { Queryable } from '../db/database.ts';

/** One attempt at a request: the key's record, and the guid of this attempt. */
export interface Attempt {
  readonly record: Buffer;
  readonly guid: string;
}

export interface Claim extends Attempt {
  readonly fingerprint: Buffer;
  readonly now: Date;
  readonly leaseUntil: Date;
  readonly expiresAt: Date;
}

export interface KeyRow {
  readonly fingerprint: Buffer;
  readonly lease_until: Date;
  readonly has_effect: boolean;
  readonly answer: Buffer | null;
}

const CLAIM = {
  name: 'idempotency-claim',
  text: `INSERT INTO idempotency_key AS held (record, attempt_guid, fingerprint, lease_until, expires_at)
    VALUES ($1, $2, $3, $5, $6)
    ON CONFLICT (record) DO UPDATE SET attempt_guid = excluded.attempt_guid, fingerprint = excluded.fingerprint,
      lease_until = excluded.lease_until, expires_at = excluded.expires_at, has_effect = false, answer = NULL
    WHERE held.expires_at <= $4
      OR (held.lease_until <= $4 AND NOT held.has_effect AND held.answer IS NULL AND held.fingerprint = excluded.fingerprint)
    RETURNING 1`,
};

// A transaction that has written nothing so far has no number yet, and is no effect.
const MARK = {
  name: 'idempotency-mark',
  text: `UPDATE idempotency_key SET has_effect = has_effect OR pg_current_xact_id_if_assigned() IS NOT NULL
    WHERE record = $1 AND attempt_guid = $2`,
};

/**
 * Whether the attempt may begin: the key is new, has expired, or was left by an attempt that ended without an effect.
 */
export async function claim(on: Queryable, { record, guid, fingerprint, now, leaseUntil, expiresAt }: Claim) {
  const { rowCount } = await on.query(CLAIM, [record, guid, fingerprint, now, leaseUntil, expiresAt]);
  return rowCount === 1;
}

export async function read(on: Queryable, record: Buffer): Promise<KeyRow | undefined> {
  const { rows } = await on.query<KeyRow>(
    'SELECT fingerprint, lease_until, has_effect, answer FROM idempotency_key WHERE record = $1',
    [record],
  );
  return rows[0];
}

/** Records an effect in the effect's own transaction. False when another attempt has the key by now. */
export async function mark(on: Queryable, { record, guid }: Attempt): Promise<boolean> {
  return (await on.query(MARK, [record, guid])).rowCount === 1;
}

export async function storeResponse(on: Queryable, { record, guid }: Attempt, answer: Buffer): Promise<void> {
  await on.query('UPDATE idempotency_key SET answer = $3 WHERE record = $1 AND attempt_guid = $2', [
    record,
    guid,
    answer,
  ]);
}

/** Forgets an attempt that had no effect; false when it had one. */
export async function release(on: Queryable, { record, guid }: Attempt): Promise<boolean> {
  const { rowCount } = await on.query(
    'DELETE FROM idempotency_key WHERE record = $1 AND attempt_guid = $2 AND NOT has_effect',
    [record, guid],
  );
  return rowCount === 1;
}

export async function sweep(on: Queryable, now: Date): Promise<void> {
  await on.query('DELETE FROM idempotency_key WHERE expires_at <= $1', [now]);
}
