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
