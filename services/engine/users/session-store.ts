// SQL statements for sign-ins: credentials, sessions, and failures by address.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { rowsByGuid } from '#lib/db/rows.ts';
import type { UserRole, UserStatus } from './schema.ts';

export interface Credentials {
  readonly user_guid: string;
  readonly email: string;
  readonly role: UserRole;
  readonly status: UserStatus;
  readonly password_hash: string | null;
  readonly reset_hash: Buffer | null;
  readonly reset_until: Date | null;
  readonly has_second_factor: boolean;
}

const CREDENTIALS = `user_guid, email, role, status, password_hash, reset_hash, reset_until,
  second_factor_sealed IS NOT NULL AS has_second_factor`;

export async function findByEmail(db: Queryable, emailKey: string): Promise<Credentials | undefined> {
  const { rows } = await db.query<Credentials>(`SELECT ${CREDENTIALS} FROM engine_user WHERE email_key = $1`, [
    emailKey,
  ]);
  return rows[0];
}

/** Returns the user's data that a new password must not contain. */
export async function findPasswordUser(
  db: Queryable,
  guid: string,
): Promise<{ email: string; name: string; hasSecondFactor: boolean } | undefined> {
  const { rows } = await db.query<{ email: string; name: string; hasSecondFactor: boolean }>(
    `SELECT email, name, second_factor_sealed IS NOT NULL AS "hasSecondFactor" FROM engine_user WHERE user_guid = $1`,
    [guid],
  );
  return rows[0];
}

export const { find: findByGuid, lock: lockCredentials } = rowsByGuid<Credentials>(
  'engine_user',
  'user_guid',
  CREDENTIALS,
);

/** Stores a sign-in. A one-time code that was used for it becomes invalid. */
export async function recordSignIn(
  tx: Transaction,
  guid: string,
  { isByCode, newHash, at }: { isByCode: boolean; newHash: string | undefined; at: Date },
): Promise<void> {
  await tx.query(
    `UPDATE engine_user SET last_login_at = $2, password_hash = coalesce($3, password_hash),
       reset_hash = CASE WHEN $4 THEN NULL ELSE reset_hash END, reset_until = CASE WHEN $4 THEN NULL ELSE reset_until END
     WHERE user_guid = $1`,
    [guid, at, newHash ?? null, isByCode],
  );
}

export async function replacePassword(tx: Transaction, guid: string, hash: string, at: Date): Promise<void> {
  await tx.query(
    `UPDATE engine_user SET password_hash = $2, reset_hash = NULL, reset_until = NULL, updated_at = $3 WHERE user_guid = $1`,
    [guid, hash, at],
  );
}

export interface SessionRow {
  readonly sessionGuid: string;
  readonly userGuid: string;
  readonly mustChangePassword: boolean;
  /** The hash of the one-time code that opened the session, if one did. */
  readonly codeHash: Buffer | undefined;
  readonly at: Date;
  readonly expiresAt: Date;
}

export async function insertSession(tx: Transaction, session: SessionRow): Promise<void> {
  const { sessionGuid, userGuid, mustChangePassword, codeHash, at, expiresAt } = session;
  await tx.query(
    `INSERT INTO engine_session (session_guid, user_guid, must_change_password, code_hash, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [sessionGuid, userGuid, mustChangePassword, codeHash ?? null, at, expiresAt],
  );
}

/** Extends an existing session, and returns its new end. */
export async function prolongSession(
  db: Queryable,
  guid: string,
  { now, until, longestMs }: { now: Date; until: Date; longestMs: number },
): Promise<Date | undefined> {
  const { rows } = await db.query<{ expires_at: Date }>(
    `UPDATE engine_session s SET expires_at = prolonged.expires_at
     FROM (SELECT session_guid,
         greatest(expires_at, least($3::timestamptz, created_at + $4::float8 * interval '1 millisecond')) AS expires_at
       FROM engine_session WHERE session_guid = $1 AND expires_at > $2 FOR UPDATE) prolonged
     WHERE s.session_guid = prolonged.session_guid RETURNING s.expires_at`,
    [guid, now, until, longestMs],
  );
  return rows[0]?.expires_at;
}

/** Deletes a session, and returns whether it existed. */
export async function deleteSession(tx: Transaction, guid: string): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM engine_session WHERE session_guid = $1', [guid]);
  return rowCount === 1;
}

/** Deletes every session of the user but one. */
export async function deleteSessionsOf(tx: Transaction, userGuid: string, keep?: string): Promise<void> {
  await tx.query('DELETE FROM engine_session WHERE user_guid = $1 AND ($2::uuid IS NULL OR session_guid <> $2::uuid)', [
    userGuid,
    keep ?? null,
  ]);
}

/** Turns a session that was opened by a code into an ordinary one, when its user has chosen a password. */
export async function completeSession(tx: Transaction, guid: string): Promise<void> {
  await tx.query('UPDATE engine_session SET must_change_password = false, code_hash = NULL WHERE session_guid = $1', [
    guid,
  ]);
}

/**
 * Returns the hash of the code that opened the session; undefined for a session that has ended or was opened by a
 * password.
 */
export async function findSessionCode(db: Queryable, guid: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ code_hash: Buffer | null }>(
    'SELECT code_hash FROM engine_session WHERE session_guid = $1',
    [guid],
  );
  return rows[0]?.code_hash ?? undefined;
}

export interface LiveSession {
  readonly user_guid: string;
  readonly email: string;
  readonly role: UserRole;
  readonly provider_guid: string | null;
  readonly must_change_password: boolean;
}

/** Returns the session of an active user. A provider of the user must be active, too. */
export async function findLiveSession(db: Queryable, guid: string, at: Date): Promise<LiveSession | undefined> {
  const { rows } = await db.query<LiveSession>(
    {
      name: 'engine-session-live',
      text: `SELECT u.user_guid, u.email, u.role, u.provider_guid, s.must_change_password
        FROM engine_session s JOIN engine_user u USING (user_guid)
        WHERE s.session_guid = $1 AND s.expires_at > $2 AND u.status = 'active'
          AND (u.provider_guid IS NULL OR EXISTS (SELECT FROM provider p
            WHERE p.provider_guid = u.provider_guid AND p.status = 'active'))`,
    },
    [guid, at],
  );
  return rows[0];
}

export async function readLock(db: Queryable, account: Buffer): Promise<Date | null> {
  const { rows } = await db.query<{ locked_until: Date | null }>(
    'SELECT locked_until FROM login_failure WHERE account = $1',
    [account],
  );
  return rows[0]?.locked_until ?? null;
}

/**
 * Deletes an address's failures, and returns until when it was locked. Sign-ins lock rows in this order: failures,
 * user.
 */
export async function clearFailures(tx: Transaction, account: Buffer): Promise<Date | null> {
  const { rows } = await tx.query<{ locked_until: Date | null }>(
    'DELETE FROM login_failure WHERE account = $1 RETURNING locked_until',
    [account],
  );
  return rows[0]?.locked_until ?? null;
}

export async function sweepSignIns(db: Queryable, now: Date, failedBefore: Date): Promise<void> {
  await db.query('DELETE FROM engine_session WHERE expires_at <= $1', [now]);
  await db.query(
    'DELETE FROM login_failure WHERE last_failed_at < $1 AND (locked_until IS NULL OR locked_until < $1)',
    [failedBefore],
  );
}
