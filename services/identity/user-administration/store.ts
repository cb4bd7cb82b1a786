// Deleting and promoting users: SQL only.
import type { Queryable } from '#lib/db/database.ts';

export interface Target {
  readonly userType: 'professional' | 'patient';
  readonly isSuAdmin: boolean;
  readonly patientGuid: string | null;
  readonly isBlocked: boolean;
  /** Whether the account is merged into another (docs/adr/0076). */
  readonly isMerged: boolean;
}

/**
 * All SU admins who are not blocked, locked. Every change of SU admins calls this first, so that changes run one at a
 * time.
 */
export async function lockSuAdmins(db: Queryable): Promise<string[]> {
  // The lock comes first, so that the query sees the changes of the previous holder.
  await db.query(`SELECT pg_advisory_xact_lock(hashtext(current_schema() || '.su-admins'))`);
  const { rows } = await db.query<{ user_guid: string }>(
    'SELECT user_guid FROM app_user WHERE is_su_admin AND blocked_at IS NULL',
  );
  return rows.map((row) => row.user_guid);
}

/** The user, locked until the transaction ends: a sign-in in progress finishes first, and a later one finds no user. */
export async function lockUser(db: Queryable, userGuid: string): Promise<Target | null> {
  const { rows } = await db.query<{
    user_type: 'professional' | 'patient';
    is_su_admin: boolean;
    patient_guid: string | null;
    is_blocked: boolean;
    is_merged: boolean;
  }>(
    `SELECT u.user_type, u.is_su_admin, t.patient_guid, u.blocked_at IS NOT NULL AS is_blocked, u.merged_into IS NOT NULL AS is_merged
     FROM app_user u LEFT JOIN patient t USING (user_guid) WHERE u.user_guid = $1 FOR UPDATE OF u`,
    [userGuid],
  );
  const [row] = rows;
  return row === undefined
    ? null
    : {
        userType: row.user_type,
        isSuAdmin: row.is_su_admin,
        patientGuid: row.patient_guid,
        isBlocked: row.is_blocked,
        isMerged: row.is_merged,
      };
}

/**
 * Deletes the user with their memberships, requests and codes. Where the user decided, `decided_by_guid` becomes null.
 */
export async function deleteUser(db: Queryable, userGuid: string): Promise<void> {
  await db.query('DELETE FROM app_user WHERE user_guid = $1', [userGuid]);
}

/** Blocks the user from then on; null unblocks. */
export async function setBlocked(db: Queryable, userGuid: string, since: Date | null): Promise<void> {
  await db.query('UPDATE app_user SET blocked_at = $2 WHERE user_guid = $1', [userGuid, since]);
}

export async function promote(db: Queryable, userGuid: string): Promise<void> {
  await db.query('UPDATE app_user SET is_su_admin = true WHERE user_guid = $1', [userGuid]);
}
