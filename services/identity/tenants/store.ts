// SQL of the tenants that users may sign in to.
import type { Queryable } from '#lib/db/database.ts';

/** Of who may use no tenant any more. */
export const NOWHERE = '-';

/** Of who was never admitted, none. */
export async function readTenants(db: Queryable, userGuid: string): Promise<readonly string[]> {
  const text = 'SELECT tenant FROM tenant_member WHERE user_guid = $1 ORDER BY tenant';
  const { rows } = await db.query<{ tenant: string }>({ name: 'tenants-of-user', text }, [userGuid]);
  return rows.map(({ tenant }) => tenant);
}

/** Returns whether it is new. */
export async function insertMember(
  db: Queryable,
  { userGuid, tenant, now }: { readonly userGuid: string; readonly tenant: string; readonly now: Date },
): Promise<boolean> {
  const text = `INSERT INTO tenant_member (user_guid, tenant, added_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;
  return (await db.query(text, [userGuid, tenant, now])).rowCount > 0;
}

/** Returns whether there was one. */
export async function deleteMember(db: Queryable, userGuid: string, tenant: string): Promise<boolean> {
  const text = 'DELETE FROM tenant_member WHERE user_guid = $1 AND tenant = $2';
  return (await db.query(text, [userGuid, tenant])).rowCount > 0;
}

/** Leaves a row for each of the users who has none, so that nobody gets the default tenant by the end of another. */
export async function keepOut(db: Queryable, userGuids: readonly string[], now: Date): Promise<void> {
  const text = `INSERT INTO tenant_member (user_guid, tenant, added_at)
    SELECT u.guid, '${NOWHERE}', $2 FROM unnest($1::uuid[]) AS u (guid)
    WHERE NOT EXISTS (SELECT FROM tenant_member m WHERE m.user_guid = u.guid)`;
  await db.query(text, [userGuids, now]);
}

/** Returns whose membership ended. */
export async function deleteMembersOf(db: Queryable, tenant: string): Promise<readonly string[]> {
  const text = 'DELETE FROM tenant_member WHERE tenant = $1 RETURNING user_guid';
  const { rows } = await db.query<{ user_guid: string }>(text, [tenant]);
  return rows.map(({ user_guid }) => user_guid);
}

export async function countMembers(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const text = 'SELECT tenant, count(*)::int AS members FROM tenant_member GROUP BY tenant';
  const { rows } = await db.query<{ tenant: string; members: number }>(text);
  return new Map(rows.map(({ tenant, members }) => [tenant, members]));
}

/** The user with the address, locked; undefined where there is none. */
export async function lockUser(db: Queryable, email: string): Promise<string | undefined> {
  const text = 'SELECT user_guid FROM app_user WHERE email_key = $1 FOR NO KEY UPDATE';
  const { rows } = await db.query<{ user_guid: string }>(text, [email]);
  return rows[0]?.user_guid;
}
