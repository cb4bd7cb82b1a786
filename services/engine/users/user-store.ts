// SQL statements for the engine's users.
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import { rowsByGuid } from '#lib/db/rows.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, containing, instant, LIKE, selectPage } from '../shared/sql.ts';
import type { User, UserInput, UserQuery } from './schema.ts';

const COLUMNS = `user_guid, email, name, role, status, provider_guid, ${instant('last_login_at')},
  ${instant('created_at')}, ${instant('updated_at')}`;

export function listUsers(db: Database, query: UserQuery & PageRequest): Promise<Page<User>> {
  const conditions = new Conditions()
    .add(containing(query.search), (pattern) => `(name || ' ' || email) ${LIKE} ${pattern}`)
    .add(query.role, (role) => `role = ${role}`)
    .add(query.status, (status) => `status = ${status}`)
    .add(query.provider_guid, (guid) => `provider_guid = ${guid}`);
  return selectPage<User>(
    db,
    { columns: COLUMNS, from: 'engine_user', orderBy: byName('name', 'user_guid') },
    conditions,
    query,
  );
}

export const { find: findUser } = rowsByGuid<User>('engine_user', 'user_guid', COLUMNS);

/**
 * Locks the user together with every active administrator, so that two requests cannot remove the last two
 * administrators.
 */
export async function lockUser(
  tx: Transaction,
  guid: string,
): Promise<{ user: User; isLastAdmin: boolean } | undefined> {
  const { rows } = await tx.query<User>(
    `SELECT ${COLUMNS} FROM engine_user WHERE user_guid = $1 OR (role = 'admin' AND status = 'active')
     ORDER BY engine_user.user_guid FOR UPDATE`,
    [guid],
  );
  const user = rows.find((row) => row.user_guid === guid);
  if (user === undefined) return undefined;
  const admins = rows.filter(({ role, status }) => role === 'admin' && status === 'active');
  return { user, isLastAdmin: admins.length === 1 && admins[0] === user };
}

export interface NewUser {
  readonly guid: string;
  readonly email: string;
  readonly emailKey: string;
  readonly passwordHash: string;
  readonly at: Date;
}

export async function insertUser(
  db: Queryable,
  user: NewUser,
  { name, role, status }: Pick<User, 'name' | 'role' | 'status'>,
): Promise<void> {
  await db.query(
    `INSERT INTO engine_user (user_guid, email, email_key, name, role, status, password_hash, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
    [user.guid, user.email, user.emailKey, name, role, status, user.passwordHash, user.at],
  );
}

export async function hasAdmin(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query(`SELECT FROM engine_user WHERE role = 'admin' LIMIT 1`);
  return rowCount === 1;
}

/**
 * Inserts an administrator, unless there is one or the address is taken. Of several nodes that start at once one
 * inserts it.
 */
export async function insertFirstAdmin(db: Queryable, user: NewUser): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO engine_user (user_guid, email, email_key, name, role, status, password_hash, created_at, updated_at)
     SELECT $1, $2, $3, 'Administrator', 'admin', 'active', $4, $5, $5
     WHERE NOT EXISTS (SELECT FROM engine_user WHERE role = 'admin') ON CONFLICT (email_key) DO NOTHING`,
    [user.guid, user.email, user.emailKey, user.passwordHash, user.at],
  );
  return rowCount === 1;
}

export async function updateUser(
  tx: Transaction,
  guid: string,
  input: UserInput & { readonly emailKey: string },
  at: Date,
): Promise<void> {
  const { email, emailKey, name, role, status, provider_guid: provider = null } = input;
  await tx.query(
    `UPDATE engine_user SET email = $2, email_key = $3, name = $4, role = $5, status = $6, provider_guid = $7,
       updated_at = $8 WHERE user_guid = $1`,
    [guid, email, emailKey, name, role, status, provider, at],
  );
}

/** Disables a user; false when the user is deleted or disabled already. */
export async function disableUser(tx: Transaction, guid: string, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE engine_user SET status = 'disabled', updated_at = $2 WHERE user_guid = $1 AND status <> 'disabled'`,
    [guid, at],
  );
  return rowCount === 1;
}

/** Returns users who are active or pending, in the order of their guids. */
export async function listUndisabled(
  db: Queryable,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Array<{ user_guid: string; email: string }>> {
  const { rows } = await db.query<{ user_guid: string; email: string }>(
    `SELECT user_guid, email FROM engine_user
     WHERE status <> 'disabled' AND ($1::uuid IS NULL OR user_guid > $1) ORDER BY user_guid LIMIT $2`,
    [after ?? null, limit],
  );
  return rows;
}

export async function deleteUser(tx: Transaction, guid: string): Promise<void> {
  await tx.query('DELETE FROM engine_user WHERE user_guid = $1', [guid]);
}

/** Replaces the password by a one-time code, which is valid until `until`. */
export async function startReset(
  tx: Transaction,
  guid: string,
  code: { readonly hash: Buffer; readonly until: Date },
  at: Date,
): Promise<void> {
  await tx.query(
    `UPDATE engine_user SET password_hash = NULL, reset_hash = $2, reset_until = $3, updated_at = $4 WHERE user_guid = $1`,
    [guid, code.hash, code.until, at],
  );
}
