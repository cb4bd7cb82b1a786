// The name and the e-mail address of an account, and to whom a mail about a group goes: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { isUniqueViolation } from '#lib/db/failure.ts';
import { conflict, type ServiceError } from '#lib/errors.ts';

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

/** The address of the user and the name of the group; undefined when one of them is gone. */
export async function readAddressAndGroup(
  db: Queryable,
  userGuid: string,
  groupGuid: string,
): Promise<{ readonly email: string; readonly name: string } | undefined> {
  const { rows } = await db.query<{ email: string; name: string }>(
    'SELECT u.email, g.name FROM app_user u, care_group g WHERE u.user_guid = $1 AND g.group_guid = $2',
    [userGuid, groupGuid],
  );
  return rows[0];
}

/** Undefined when the user is gone, or has no address. */
export async function readAddress(db: Queryable, userGuid: string): Promise<string | undefined> {
  const text = 'SELECT email FROM app_user WHERE user_guid = $1';
  return (await db.query<{ email: string | null }>(text, [userGuid])).rows[0]?.email ?? undefined;
}

/** @param field in which the address was given */
export function addressTaken(field: 'email' | 'new_email'): ServiceError {
  return conflict('The e-mail address is already registered', field);
}

/**
 * Links and codes that were sent to the former address end.
 * @throws ServiceError `conflict` at the field when another account has got the address meanwhile
 */
export async function setEmail(
  db: Queryable,
  userGuid: string,
  { email, emailKey }: { readonly email: string; readonly emailKey: string },
  field: 'email' | 'new_email',
): Promise<void> {
  const text = 'UPDATE app_user SET email = $2, email_key = $3 WHERE user_guid = $1';
  await db.query(text, [userGuid, email, emailKey]).catch((error: unknown) => {
    throw isUniqueViolation(error, 'app_user_email_key') ? addressTaken(field) : error;
  });
  await endResets(db, userGuid);
}

/** Ends the user's links and codes that would reset the password, and takes back the mails with links that wait. */
export async function endResets(db: Queryable, userGuid: string): Promise<void> {
  await db.query(
    `WITH ended AS (DELETE FROM password_reset WHERE user_guid = $1 RETURNING mail_guid)
     DELETE FROM mail_outbox WHERE mail_guid IN (SELECT mail_guid FROM ended) AND dead_at IS NULL`,
    [userGuid],
  );
}
