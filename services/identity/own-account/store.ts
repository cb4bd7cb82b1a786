// The user's own account: name, and a new e-mail address that waits for its code. SQL only; codes are stored as hashes.
import type { Queryable } from '#lib/db/database.ts';

export interface AccountRow {
  readonly user_guid: string;
  readonly email: string;
  readonly user_type: 'professional' | 'patient';
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly has_second_factor: boolean;
  /** The address that waits for its code. */
  readonly pending_email: string | null;
  /** Until when the code is valid; null without such an address. */
  readonly pending_until: Date | null;
}

export async function readAccount(db: Queryable, userGuid: string, now: Date): Promise<AccountRow | undefined> {
  const text = `SELECT u.user_guid, u.email, u.user_type, u.first_name, u.last_name,
      u.second_factor_sealed IS NOT NULL AS has_second_factor, c.email AS pending_email, c.expires_at AS pending_until
    FROM app_user u LEFT JOIN email_change c ON c.user_guid = u.user_guid AND c.expires_at > $2 WHERE u.user_guid = $1`;
  return (await db.query<AccountRow>(text, [userGuid, now])).rows[0];
}

/** The address of the account, locked until the transaction ends. */
export async function lockUser(db: Queryable, userGuid: string): Promise<string | undefined> {
  const text = 'SELECT email FROM app_user WHERE user_guid = $1 FOR NO KEY UPDATE';
  return (await db.query<{ email: string }>(text, [userGuid])).rows[0]?.email;
}

/** The times of the requests since then. */
export async function requestsSince(db: Queryable, userGuid: string, since: Date): Promise<readonly Date[]> {
  const text = `SELECT at FROM email_change, unnest(requested_at) AS at WHERE user_guid = $1 AND at > $2 ORDER BY at`;
  return (await db.query<{ at: Date }>(text, [userGuid, since])).rows.map(({ at }) => at);
}

/** The mail with the code of the change before, if there is one. */
export async function mailOfChange(db: Queryable, userGuid: string): Promise<string | undefined> {
  const text = 'SELECT mail_guid FROM email_change WHERE user_guid = $1';
  return (await db.query<{ mail_guid: string | null }>(text, [userGuid])).rows[0]?.mail_guid ?? undefined;
}

export interface EmailChange {
  readonly userGuid: string;
  readonly codeHash: Buffer;
  readonly email: string;
  readonly emailKey: string;
  readonly requestedAt: readonly Date[];
  readonly expiresAt: Date;
  /** With the code. */
  readonly mailGuid: string;
}

/** Replaces the one before. */
export async function putChange(db: Queryable, change: EmailChange): Promise<void> {
  const { userGuid, codeHash, email, emailKey, requestedAt, expiresAt, mailGuid } = change;
  await db.query(
    `INSERT INTO email_change (user_guid, code_hash, email, email_key, requested_at, expires_at, mail_guid)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (user_guid) DO UPDATE SET code_hash = excluded.code_hash, email = excluded.email,
       email_key = excluded.email_key, requested_at = excluded.requested_at, expires_at = excluded.expires_at,
       mail_guid = excluded.mail_guid, wrong_codes = 0`,
    [userGuid, codeHash, email, emailKey, requestedAt, expiresAt, mailGuid],
  );
}

/** The change that waits, locked until the transaction ends. */
export async function lockChange(
  db: Queryable,
  userGuid: string,
  now: Date,
): Promise<{ email: string; emailKey: string; codeHash: Buffer } | undefined> {
  const { rows } = await db.query<{ email: string; email_key: string; code_hash: Buffer }>(
    `SELECT email, email_key, code_hash FROM email_change WHERE user_guid = $1 AND expires_at > $2 FOR UPDATE`,
    [userGuid, now],
  );
  const [row] = rows;
  return row && { email: row.email, emailKey: row.email_key, codeHash: row.code_hash };
}

/** The last permitted wrong code ends the change; the times of the requests stay. */
export async function countWrongCode(db: Queryable, userGuid: string, allowed: number): Promise<void> {
  await db.query(
    `UPDATE email_change SET wrong_codes = wrong_codes + 1,
       expires_at = CASE WHEN wrong_codes + 1 >= $2 THEN '-infinity' ELSE expires_at END WHERE user_guid = $1`,
    [userGuid, allowed],
  );
}

export async function deleteChange(db: Queryable, userGuid: string): Promise<void> {
  await db.query('DELETE FROM email_change WHERE user_guid = $1', [userGuid]);
}

export async function sweep(db: Queryable, before: Date): Promise<void> {
  await db.query(
    'DELETE FROM email_change WHERE expires_at <= $1 AND NOT EXISTS (SELECT FROM unnest(requested_at) AS at WHERE at > $1)',
    [before],
  );
}
