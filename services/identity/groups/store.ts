// Groups, memberships and group leaders: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { byName, inNameOrder } from '#lib/db/name-order.ts';
import { columnsOf, readCount, rowsByGuid } from '#lib/db/rows.ts';
import type { ListRange } from '../list-page.ts';
import { decisionTable } from '../shared/decisions/decision-store.ts';

export type MembershipStatus = 'pending' | 'approved' | 'rejected';

export interface Group {
  readonly group_guid: string;
  readonly name: string;
  readonly group_type: string;
}

export interface Leader {
  readonly user_guid: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly is_su_admin: boolean;
}

export interface OwnGroup extends Group {
  readonly is_admin: boolean;
  readonly membership_status: MembershipStatus;
}

export interface PendingMembership {
  readonly membership_guid: string;
  readonly user_guid: string;
  readonly user_email: string;
  readonly group_guid: string;
  readonly group_name: string;
  readonly status: MembershipStatus;
  readonly created_at: Date;
}

export interface Membership {
  readonly membership_guid: string;
  readonly user_guid: string;
  readonly group_guid: string;
  readonly status: MembershipStatus;
}

/** Leaders and SU admins who are not blocked. Two small partial indexes find them, whatever the number of users. */
const LEADERS = `SELECT user_guid FROM app_user WHERE is_su_admin AND blocked_at IS NULL
  UNION SELECT m.user_guid FROM membership m JOIN app_user USING (user_guid) WHERE m.is_admin AND blocked_at IS NULL`;
const LEADS = `u.blocked_at IS NULL
  AND (u.is_su_admin OR EXISTS (SELECT FROM membership m WHERE m.user_guid = u.user_guid AND m.is_admin))`;

const LEADER = `u.user_guid, coalesce(u.first_name, '') AS first_name, coalesce(u.last_name, '') AS last_name, u.is_su_admin`;

/** Groups `g`. */
const GROUPS_BY_NAME = `g.group_type, ${byName('g.name', 'g.group_guid')}`;
/** Users `u`. */
const LEADERS_BY_NAME = `${inNameOrder('u.last_name')}, ${byName('u.first_name', 'u.user_guid')}`;

export async function listGroups(db: Queryable, range: ListRange): Promise<Group[]> {
  const text = `SELECT g.group_guid, g.name, g.group_type FROM care_group g ORDER BY ${GROUPS_BY_NAME} LIMIT $1 OFFSET $2`;
  return (await db.query<Group>({ name: 'identity-groups', text }, [range.limit, range.offset])).rows;
}

export async function countGroups(db: Queryable): Promise<number> {
  return readCount(db, 'SELECT count(*) AS count FROM care_group');
}

export async function listLeaders(db: Queryable, range: ListRange): Promise<Leader[]> {
  const text = `SELECT ${LEADER} FROM (${LEADERS}) leader JOIN app_user u USING (user_guid)
    ORDER BY ${LEADERS_BY_NAME} LIMIT $1 OFFSET $2`;
  return (await db.query<Leader>({ name: 'identity-leaders', text }, [range.limit, range.offset])).rows;
}

/** Leaders whose name contains the text, ignoring case; `total` counts beyond `limit`. */
export async function searchLeaders(
  db: Queryable,
  text: string,
  limit: number,
): Promise<{ found: Leader[]; total: number }> {
  const { rows } = await db.query<Leader & { total: number }>(
    `SELECT ${LEADER}, count(*) OVER () AS total FROM app_user u
     WHERE (${LEADS}) AND strpos(lower(concat_ws(' ', u.first_name, u.last_name)), lower($1)) > 0
     ORDER BY ${LEADERS_BY_NAME} LIMIT $2`,
    [text, limit],
  );
  return { found: rows, total: rows[0]?.total ?? 0 };
}

export async function readLeader(db: Queryable, userGuid: string): Promise<Leader | null> {
  const text = `SELECT ${LEADER} FROM app_user u WHERE u.user_guid = $1 AND (${LEADS})`;
  return (await db.query<Leader>(text, [userGuid])).rows[0] ?? null;
}

export async function countLeaders(db: Queryable): Promise<number> {
  const text = `SELECT count(*) AS count FROM (${LEADERS}) leader`;
  return readCount(db, text);
}

/** Within a transaction, a leader cannot be deleted until it ends. */
export async function isLeader(db: Queryable, userGuid: string): Promise<boolean> {
  const text = `SELECT FROM app_user u WHERE u.user_guid = $1 AND (${LEADS}) FOR KEY SHARE`;
  return (await db.query(text, [userGuid])).rowCount > 0;
}

/** The names of all phases, the initial ones first. */
export async function listPhases(db: Queryable): Promise<string[]> {
  const text = `SELECT name FROM care_group WHERE group_type = 'phase' ORDER BY group_guid`;
  return (await db.query<{ name: string }>(text)).rows.map((row) => row.name);
}

/** The phase groups with these names. Within a transaction they cannot be deleted until it ends. */
export async function findPhases(db: Queryable, names: readonly string[]): Promise<Group[]> {
  const { rows } = await db.query<Group>(
    `SELECT group_guid, name, group_type FROM care_group WHERE group_type = 'phase' AND name = ANY($1::text[])
     FOR KEY SHARE`,
    [names],
  );
  return rows;
}

/** Within a transaction, an existing group cannot be deleted until it ends. */
export async function groupExists(db: Queryable, groupGuid: string): Promise<boolean> {
  return (await db.query('SELECT FROM care_group WHERE group_guid = $1 FOR KEY SHARE', [groupGuid])).rowCount > 0;
}

export async function listOwnGroups(db: Queryable, userGuid: string, range: ListRange): Promise<OwnGroup[]> {
  const { rows } = await db.query<OwnGroup>(
    `SELECT g.group_guid, g.name, g.group_type, m.is_admin, m.status AS membership_status
     FROM membership m JOIN care_group g USING (group_guid)
     WHERE m.user_guid = $1 AND m.status = 'approved' ORDER BY ${GROUPS_BY_NAME} LIMIT $2 OFFSET $3`,
    [userGuid, range.limit, range.offset],
  );
  return rows;
}

export async function countOwnGroups(db: Queryable, userGuid: string): Promise<number> {
  return readCount(db, `SELECT count(*) AS count FROM membership WHERE user_guid = $1 AND status = 'approved'`, [
    userGuid,
  ]);
}

/** False when the user has a membership in that group, whatever its state. */
export async function insertMembership(
  db: Queryable,
  membership: Membership & {
    createdAt: Date;
    decidedByGuid: string | null;
    decidedAt: Date | null;
    tenant?: string | null;
  },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO membership (membership_guid, user_guid, group_guid, status, created_at, decided_by_guid, decided_at,
       tenant)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (user_guid, group_guid) DO NOTHING`,
    [
      membership.membership_guid,
      membership.user_guid,
      membership.group_guid,
      membership.status,
      membership.createdAt,
      membership.decidedByGuid,
      membership.decidedAt,
      membership.tenant ?? null,
    ],
  );
  return rowCount === 1;
}

/** Inserts approved memberships of a new group; a professional who was deleted meanwhile gets none. */
export async function insertMembers(
  db: Queryable,
  batch: {
    readonly groupGuid: string;
    readonly memberships: ReadonlyArray<{ membershipGuid: string; userGuid: string; isAdmin: boolean }>;
    readonly decidedBy: string;
    readonly at: Date;
  },
): Promise<void> {
  const { groupGuid, memberships, decidedBy, at } = batch;
  await db.query(
    `INSERT INTO membership (membership_guid, user_guid, group_guid, status, is_admin, created_at, decided_by_guid, decided_at)
     SELECT x.membership_guid, p.user_guid, $1, 'approved', x.is_admin, $5, $6, $5
     FROM unnest($2::uuid[], $3::uuid[], $4::boolean[]) AS x (membership_guid, user_guid, is_admin)
     JOIN professional p ON p.user_guid = x.user_guid`,
    [groupGuid, ...columnsOf(memberships, 'membershipGuid', 'userGuid', 'isAdmin'), at, decidedBy],
  );
}

/** Makes the user an admin of the group; a membership that is missing, pending or rejected is approved. */
export async function appointAdmin(
  db: Queryable,
  change: { membershipGuid: string; userGuid: string; groupGuid: string; decidedBy: string; at: Date },
): Promise<void> {
  await db.query(
    `INSERT INTO membership AS m (membership_guid, user_guid, group_guid, status, is_admin, created_at, decided_by_guid, decided_at)
     VALUES ($1, $2, $3, 'approved', true, $5, $4, $5)
     ON CONFLICT (user_guid, group_guid) DO UPDATE SET is_admin = true, status = 'approved',
       decided_by_guid = CASE WHEN m.status = 'approved' THEN m.decided_by_guid ELSE excluded.decided_by_guid END,
       decided_at = CASE WHEN m.status = 'approved' THEN m.decided_at ELSE excluded.decided_at END`,
    [change.membershipGuid, change.userGuid, change.groupGuid, change.decidedBy, change.at],
  );
}

export const { lock: lockMembership } = rowsByGuid<Membership>(
  'membership',
  'membership_guid',
  'membership_guid, user_guid, group_guid, status',
);

export const { saveDecision: decideMembership, readTenant } = decisionTable('membership', 'membership_guid');

export async function administers(db: Queryable, userGuid: string, groupGuid: string): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM membership WHERE user_guid = $1 AND group_guid = $2 AND is_admin', [
    userGuid,
    groupGuid,
  ]);
  return rowCount > 0;
}

export async function administersAny(db: Queryable, userGuid: string): Promise<boolean> {
  return (await db.query('SELECT FROM membership WHERE user_guid = $1 AND is_admin LIMIT 1', [userGuid])).rowCount > 0;
}

const PENDING = `FROM membership m JOIN care_group g USING (group_guid) JOIN app_user u ON u.user_guid = m.user_guid
  WHERE m.status = 'pending' AND ($1::uuid IS NULL
    OR EXISTS (SELECT FROM membership a WHERE a.user_guid = $1 AND a.group_guid = m.group_guid AND a.is_admin))`;

/** Oldest first. With `adminGuid`, only memberships in groups that this user administers. */
export async function listPending(
  db: Queryable,
  adminGuid: string | null,
  range: ListRange,
): Promise<PendingMembership[]> {
  const { rows } = await db.query<PendingMembership>(
    `SELECT m.membership_guid, m.user_guid, u.email AS user_email, m.group_guid, g.name AS group_name, m.status, m.created_at
     ${PENDING} ORDER BY m.created_at, m.membership_guid LIMIT $2 OFFSET $3`,
    [adminGuid, range.limit, range.offset],
  );
  return rows;
}

export async function countPending(db: Queryable, adminGuid: string | null): Promise<number> {
  return readCount(db, `SELECT count(*) AS count ${PENDING}`, [adminGuid]);
}

export async function isNameTaken(db: Queryable, groupType: string, name: string): Promise<boolean> {
  const text = 'SELECT FROM care_group WHERE group_type = $1 AND lower(name) = lower($2)';
  return (await db.query(text, [groupType, name])).rowCount > 0;
}

/** False when a group of that type has the name, in whatever case. */
export async function insertGroup(
  db: Queryable,
  group: { groupGuid: string; name: string; groupType: string; description: string | null; createdAt: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO care_group (group_guid, name, group_type, description, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (group_type, lower(name)) DO NOTHING`,
    [group.groupGuid, group.name, group.groupType, group.description, group.createdAt],
  );
  return rowCount === 1;
}

/** Locks the group until the transaction ends, so that nobody joins; false when there is none. */
export async function lockGroup(db: Queryable, groupGuid: string): Promise<boolean> {
  return (await db.query('SELECT FROM care_group WHERE group_guid = $1 FOR UPDATE', [groupGuid])).rowCount > 0;
}

/** All users with a membership in the group, whatever its status. */
export async function listMembers(db: Queryable, groupGuid: string): Promise<string[]> {
  const text = 'SELECT user_guid FROM membership WHERE group_guid = $1';
  return (await db.query<{ user_guid: string }>(text, [groupGuid])).rows.map((row) => row.user_guid);
}

export async function deleteGroup(db: Queryable, groupGuid: string): Promise<void> {
  await db.query('DELETE FROM care_group WHERE group_guid = $1', [groupGuid]);
}

/** False when the user is not an approved member of the group. */
export async function setAdmin(db: Queryable, userGuid: string, groupGuid: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE membership SET is_admin = true WHERE user_guid = $1 AND group_guid = $2 AND status = 'approved'`,
    [userGuid, groupGuid],
  );
  return rowCount === 1;
}
