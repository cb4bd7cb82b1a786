// Groups as who administers them sees them, and their members: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { byName, inNameOrder } from '#lib/db/name-order.ts';
import { readCount } from '#lib/db/rows.ts';

export interface AdministeredGroup {
  readonly group_guid: string;
  readonly name: string;
  readonly group_type: string;
  readonly description: string | null;
  readonly members: number;
  readonly admins: number;
  readonly pending: number;
  readonly invites: number;
}

export interface GroupFilter {
  /** Whose groups; null for all of an SU admin. */
  readonly leader: string | null;
  readonly search: string | null;
  readonly groupType: string | null;
  /** One group alone. */
  readonly group: string | null;
}

interface Range {
  readonly limit: number;
  readonly offset: number;
}

const FOUND = `FROM care_group g
  WHERE ($1::uuid IS NULL OR EXISTS (
      SELECT FROM membership a WHERE a.user_guid = $1 AND a.group_guid = g.group_guid AND a.is_admin))
    AND ($2::text IS NULL OR strpos(lower(g.name), lower($2)) > 0)
    AND ($3::text IS NULL OR g.group_type = $3) AND ($4::uuid IS NULL OR g.group_guid = $4)`;

export async function listGroups(
  db: Queryable,
  { leader, search, groupType, group }: GroupFilter,
  { limit, offset, now }: Range & { readonly now: Date },
): Promise<{ found: AdministeredGroup[]; total: number }> {
  const values = [leader, search, groupType, group];
  const { rows } = await db.query<AdministeredGroup>(
    `SELECT g.group_guid, g.name, g.group_type, g.description,
       (SELECT count(*)::int FROM membership m WHERE m.group_guid = g.group_guid AND m.status = 'approved') AS members,
       (SELECT count(*)::int FROM membership m WHERE m.group_guid = g.group_guid AND m.is_admin) AS admins,
       (SELECT count(*)::int FROM membership m WHERE m.group_guid = g.group_guid AND m.status = 'pending') AS pending,
       (SELECT count(*)::int FROM group_invite i WHERE i.group_guid = g.group_guid AND i.expires_at > $7) AS invites
     FROM (SELECT * ${FOUND} ORDER BY g.group_type, ${byName('g.name', 'g.group_guid')} LIMIT $5 OFFSET $6) g
     ORDER BY g.group_type, ${byName('g.name', 'g.group_guid')}`,
    [...values, limit, offset, now],
  );
  return { found: rows, total: await readCount(db, `SELECT count(*) AS count ${FOUND}`, values) };
}

export interface Member {
  readonly membership_guid: string;
  readonly user_guid: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly status: 'pending' | 'approved' | 'rejected';
  readonly is_admin: boolean;
  readonly created_at: Date;
}

const MEMBERS = `FROM membership m JOIN app_user u USING (user_guid)
  WHERE m.group_guid = $1 AND m.status = $2
    AND ($3::text IS NULL OR strpos(lower(concat_ws(' ', u.first_name, u.last_name, u.email)), lower($3)) > 0)`;

/** Admins first, then by name. */
export async function listMembers(
  db: Queryable,
  { group, status, search }: { readonly group: string; readonly status: string; readonly search: string | null },
  { limit, offset }: Range,
): Promise<{ found: Member[]; total: number }> {
  const { rows } = await db.query<Member>(
    `SELECT m.membership_guid, m.user_guid, u.email, u.first_name, u.last_name, m.status, m.is_admin, m.created_at
     ${MEMBERS} ORDER BY m.is_admin DESC, ${inNameOrder('u.last_name')}, ${byName('u.first_name', 'm.membership_guid')}
     LIMIT $4 OFFSET $5`,
    [group, status, search, limit, offset],
  );
  return { found: rows, total: await readCount(db, `SELECT count(*) AS count ${MEMBERS}`, [group, status, search]) };
}

/** The membership, locked; undefined when there is none. */
export async function lockMember(
  db: Queryable,
  group: string,
  user: string,
): Promise<{ readonly is_admin: boolean } | undefined> {
  const text = 'SELECT is_admin FROM membership WHERE group_guid = $1 AND user_guid = $2 FOR UPDATE';
  return (await db.query<{ is_admin: boolean }>(text, [group, user])).rows[0];
}

export async function deleteMember(db: Queryable, group: string, user: string): Promise<void> {
  await db.query('DELETE FROM membership WHERE group_guid = $1 AND user_guid = $2', [group, user]);
}
