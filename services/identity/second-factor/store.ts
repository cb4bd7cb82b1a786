// The user whose second factor is changed: SQL only.
import type { Queryable } from '#lib/db/database.ts';

/**
 * Locks the user's row until the transaction ends. Returns whether the user is an SU admin, null when there is no such
 * user.
 */
export async function lockUser(db: Queryable, userGuid: string): Promise<{ isSuAdmin: boolean } | null> {
  const { rows } = await db.query<{ is_su_admin: boolean }>(
    'SELECT is_su_admin FROM app_user WHERE user_guid = $1 FOR UPDATE',
    [userGuid],
  );
  const [row] = rows;
  return row === undefined ? null : { isSuAdmin: row.is_su_admin };
}

/** The address of the account; undefined when there is no such user. */
export async function readAddress(db: Queryable, userGuid: string): Promise<string | undefined> {
  const { rows } = await db.query<{ email: string }>('SELECT email FROM app_user WHERE user_guid = $1', [userGuid]);
  return rows[0]?.email;
}
