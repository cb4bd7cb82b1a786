// The name and the e-mail address of an account: SQL only.
import type { Queryable } from '#lib/db/database.ts';

/** Undefined leaves a name as it is. */
export async function setNames(
  db: Queryable,
  userGuid: string,
  names: { readonly first?: string | undefined; readonly last?: string | undefined },
): Promise<void> {
  await db.query(
    'UPDATE app_user SET first_name = coalesce($2, first_name), last_name = coalesce($3, last_name) WHERE user_guid = $1',
    [userGuid, names.first ?? null, names.last ?? null],
  );
}

/** Links and codes that were sent to the former address end. @throws `pg`'s DatabaseError when an account has it */
export async function setEmail(
  db: Queryable,
  userGuid: string,
  { email, emailKey }: { readonly email: string; readonly emailKey: string },
): Promise<void> {
  await db.query('UPDATE app_user SET email = $2, email_key = $3 WHERE user_guid = $1', [userGuid, email, emailKey]);
  await db.query('DELETE FROM password_reset WHERE user_guid = $1', [userGuid]);
}
