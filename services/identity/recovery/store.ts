// Resets of passwords: SQL only. Only hashes of links and codes are stored.
import type { Queryable } from '#lib/db/database.ts';
import { readCount } from '#lib/db/rows.ts';

export interface ResetRequest {
  readonly requestGuid: string;
  readonly emailKey: string;
  readonly language: string;
  readonly address: string;
  readonly requestId: string;
  readonly createdAt: Date;
  /** The tenant at whose address it was asked for; undefined for the default one. */
  readonly tenant: string | undefined;
}

export async function insertRequest(db: Queryable, request: ResetRequest): Promise<void> {
  await db.query(
    `INSERT INTO password_reset_request (request_guid, email_key, language, address, request_id, created_at, tenant)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      request.requestGuid,
      request.emailKey,
      request.language,
      request.address,
      request.requestId,
      request.createdAt,
      request.tenant ?? null,
    ],
  );
}

/** Deletes and returns the oldest request; what another node is taking is left to it. */
export async function takeRequest(db: Queryable): Promise<ResetRequest | null> {
  const { rows } = await db.query<{
    request_guid: string;
    email_key: string;
    language: string;
    address: string;
    request_id: string;
    created_at: Date;
    tenant: string | null;
  }>(
    `DELETE FROM password_reset_request WHERE request_guid = (SELECT request_guid FROM password_reset_request
       ORDER BY request_guid LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING request_guid, email_key, language, address, request_id, created_at, tenant`,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { request_guid: requestGuid, email_key: emailKey, language, address, request_id: requestId } = row;
  const tenant = row.tenant ?? undefined;
  return { requestGuid, emailKey, language, address, requestId, createdAt: row.created_at, tenant };
}

export interface Holder {
  readonly userGuid: string;
  readonly email: string;
  readonly hasSecondFactor: boolean;
}

interface HolderRow {
  user_guid: string;
  email: string;
  has_second_factor: boolean;
}

const HOLDER = 'user_guid, email, second_factor_sealed IS NOT NULL AS has_second_factor FROM app_user';

function toHolder(row: HolderRow | undefined): Holder | null {
  if (row === undefined) return null;
  return { userGuid: row.user_guid, email: row.email, hasSecondFactor: row.has_second_factor };
}

/** The account of an address, locked until the transaction ends. */
export async function lockByEmail(db: Queryable, emailKey: string): Promise<Holder | null> {
  const text = `SELECT ${HOLDER} WHERE email_key = $1 FOR NO KEY UPDATE`;
  return toHolder((await db.query<HolderRow>(text, [emailKey])).rows[0]);
}

/** The account, locked until the transaction ends. */
export async function lockUser(db: Queryable, userGuid: string): Promise<Holder | null> {
  const text = `SELECT ${HOLDER} WHERE user_guid = $1 FOR NO KEY UPDATE`;
  return toHolder((await db.query<HolderRow>(text, [userGuid])).rows[0]);
}

export async function countLinksSince(db: Queryable, userGuid: string, since: Date): Promise<number> {
  const text = `SELECT count(*)::int AS count FROM password_reset WHERE user_guid = $1 AND kind = 'link' AND created_at > $2`;
  return readCount(db, text, [userGuid, since]);
}

export interface NewReset {
  readonly secretHash: Buffer;
  readonly userGuid: string;
  readonly kind: 'link' | 'code';
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The mail with the link. */
  readonly mailGuid?: string;
}

/** A code replaces the user's earlier one. */
export async function insertReset(db: Queryable, reset: NewReset): Promise<void> {
  await db.query(
    `INSERT INTO password_reset (secret_hash, user_guid, kind, created_at, expires_at, mail_guid)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (user_guid) WHERE kind = 'code' DO UPDATE
       SET secret_hash = excluded.secret_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`,
    [reset.secretHash, reset.userGuid, reset.kind, reset.createdAt, reset.expiresAt, reset.mailGuid ?? null],
  );
}

/** The user of a reset that has not expired. */
export async function findReset(db: Queryable, secretHash: Buffer, now: Date): Promise<string | null> {
  const text = 'SELECT user_guid FROM password_reset WHERE secret_hash = $1 AND expires_at > $2';
  return (await db.query<{ user_guid: string }>(text, [secretHash, now])).rows[0]?.user_guid ?? null;
}

/** Of a link alone, as anybody may ask for it however often. */
export async function isLinkOpen(db: Queryable, secretHash: Buffer, now: Date): Promise<boolean> {
  const text = "SELECT FROM password_reset WHERE secret_hash = $1 AND kind = 'link' AND expires_at > $2";
  return (await db.query(text, [secretHash, now])).rowCount === 1;
}

/** Deletes the reset; when several requests present it, one gets true. */
export async function takeReset(db: Queryable, reset: Pick<NewReset, 'secretHash' | 'userGuid'>): Promise<boolean> {
  const text = 'DELETE FROM password_reset WHERE secret_hash = $1 AND user_guid = $2';
  return (await db.query(text, [reset.secretHash, reset.userGuid])).rowCount === 1;
}

export async function setPassword(db: Queryable, userGuid: string, passwordHash: string): Promise<void> {
  await db.query(
    `UPDATE app_user SET password_hash = $2, must_change_password = false, password_expires_at = NULL
     WHERE user_guid = $1`,
    [userGuid, passwordHash],
  );
}

export async function sweep(db: Queryable, before: Date): Promise<void> {
  await db.query('DELETE FROM password_reset WHERE created_at <= $1', [before]);
  await db.query('DELETE FROM password_reset_request WHERE created_at <= $1', [before]);
}
