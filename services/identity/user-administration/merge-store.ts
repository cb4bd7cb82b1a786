// Merging two accounts of one person: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { readCount } from '#lib/db/rows.ts';

export interface AccountRow {
  user_guid: string;
  user_type: 'professional' | 'patient';
  email: string | null;
  is_su_admin: boolean;
  is_privacy_officer: boolean;
  is_blocked: boolean;
  merged_into: string | null;
  /** Whether another account leads to it. */
  has_merged: boolean;
  patient_guid: string | null;
  registries: string[];
}

/** The accounts, locked in one order until the transaction ends; without a lock for a preview. */
export async function readAccounts(
  db: Queryable,
  guids: readonly string[],
  lock: 'none' | 'update',
): Promise<ReadonlyMap<string, AccountRow>> {
  const { rows } = await db.query<AccountRow>(
    `SELECT u.user_guid, u.user_type, u.email, u.is_su_admin, coalesce(p.is_privacy_officer, false) AS is_privacy_officer,
       u.blocked_at IS NOT NULL AS is_blocked, u.merged_into,
       EXISTS (SELECT FROM app_user m WHERE m.merged_into = u.user_guid) AS has_merged,
       t.patient_guid, coalesce(t.registries, '{}') AS registries
     FROM app_user u LEFT JOIN professional p USING (user_guid) LEFT JOIN patient t USING (user_guid)
     WHERE u.user_guid = ANY($1::uuid[]) ORDER BY u.user_guid ${lock === 'update' ? 'FOR UPDATE OF u' : ''}`,
    [guids],
  );
  return new Map(rows.map((row) => [row.user_guid, row]));
}

export interface OrganisationRow {
  organisation_guid: string;
  name: string;
}

/** The organisations of the first account in which the other does not work. */
export async function findOrganisations(db: Queryable, from: string, into: string): Promise<OrganisationRow[]> {
  const { rows } = await db.query<OrganisationRow>(
    `SELECT o.organisation_guid, o.name FROM professional_organisation w JOIN organisation o USING (organisation_guid)
     WHERE w.user_guid = $1 AND NOT EXISTS (SELECT FROM professional_organisation i
       WHERE i.user_guid = $2 AND i.organisation_guid = w.organisation_guid) ORDER BY o.organisation_guid`,
    [from, into],
  );
  return rows;
}

export interface GroupRow {
  group_guid: string;
  name: string;
  group_type: string;
  is_admin: boolean;
  /** That of the other account in this group; null where it has none. */
  into_status: 'pending' | 'approved' | 'rejected' | null;
}

/** The approved memberships of the first account that give the other more than it has. */
export async function findGroups(db: Queryable, from: string, into: string): Promise<GroupRow[]> {
  const { rows } = await db.query<GroupRow>(
    `SELECT g.group_guid, g.name, g.group_type, m.is_admin, i.status AS into_status
     FROM membership m JOIN care_group g USING (group_guid)
       LEFT JOIN membership i ON i.user_guid = $2 AND i.group_guid = m.group_guid
     WHERE m.user_guid = $1 AND m.status = 'approved'
       AND (i.status IS DISTINCT FROM 'approved' OR (m.is_admin AND NOT i.is_admin)) ORDER BY g.group_guid`,
    [from, into],
  );
  return rows;
}

export async function countSessions(db: Queryable, userGuid: string, now: Date): Promise<number> {
  return readCount(
    db,
    `SELECT count(*)::int AS count FROM issued_token i WHERE user_guid = $1 AND expires_at > $2
       AND NOT EXISTS (SELECT FROM revoked_token r WHERE r.token_id = i.token_id)`,
    [userGuid, now],
  );
}

export interface Merge {
  readonly from: string;
  readonly into: string;
  readonly by: string;
  readonly at: Date;
  readonly wasBlocked: boolean;
  readonly organisations: readonly string[];
  /** With the guid of each new membership. */
  readonly added: readonly { readonly group: string; readonly membership: string }[];
  readonly approved: readonly string[];
  readonly administered: readonly string[];
  readonly registries: readonly string[];
}

/** Gives the other account what the merge adds, leads the first one to it, and notes what was added. */
export async function applyMerge(db: Queryable, merge: Merge): Promise<void> {
  const { from, into, by, at, organisations, added, approved, administered, registries } = merge;
  await db.query(
    `INSERT INTO professional_organisation (user_guid, organisation_guid) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
    [into, organisations],
  );
  await db.query(
    `INSERT INTO membership (membership_guid, user_guid, group_guid, status, created_at, decided_by_guid, decided_at)
     SELECT membership, $1, group_guid, 'approved', $4, $5, $4 FROM unnest($2::uuid[], $3::uuid[]) AS n (membership, group_guid)
     ON CONFLICT (user_guid, group_guid) DO NOTHING`,
    [into, added.map(({ membership }) => membership), added.map(({ group }) => group), at, by],
  );
  await db.query(
    `UPDATE membership SET status = 'approved', decided_by_guid = $3, decided_at = $4
     WHERE user_guid = $1 AND group_guid = ANY($2::uuid[])`,
    [into, approved, by, at],
  );
  await db.query('UPDATE membership SET is_admin = true WHERE user_guid = $1 AND group_guid = ANY($2::uuid[])', [
    into,
    administered,
  ]);
  await db.query('UPDATE patient SET registries = registries || $2::text[] WHERE user_guid = $1', [into, registries]);
  await db.query('UPDATE app_user SET merged_into = $2, blocked_at = coalesce(blocked_at, $3) WHERE user_guid = $1', [
    from,
    into,
    at,
  ]);
  await db.query(
    `INSERT INTO account_merge (user_guid, into_guid, merged_at, merged_by_guid, was_blocked, organisations, groups_added,
       groups_approved, groups_administered, registries)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[from, into, at, by, merge.wasBlocked, organisations],
      ...[added.map(({ group }) => group), approved, administered, registries],
    ],
  );
}

/** Takes back what the merge of the account added. */
export async function undoMerge(db: Queryable, from: string): Promise<void> {
  const of = 'FROM account_merge a WHERE a.user_guid = $1';
  await db.query(
    `DELETE FROM professional_organisation w USING account_merge a
     WHERE a.user_guid = $1 AND w.user_guid = a.into_guid AND w.organisation_guid = ANY(a.organisations)`,
    [from],
  );
  await db.query(
    `DELETE FROM membership m USING account_merge a
     WHERE a.user_guid = $1 AND m.user_guid = a.into_guid AND m.group_guid = ANY(a.groups_added)`,
    [from],
  );
  await db.query(
    `UPDATE membership m SET is_admin = false ${of} AND m.user_guid = a.into_guid AND m.group_guid = ANY(a.groups_administered)`,
    [from],
  );
  await db.query(
    `UPDATE membership m SET status = 'pending', is_admin = false, decided_by_guid = NULL, decided_at = NULL
     ${of} AND m.user_guid = a.into_guid AND m.group_guid = ANY(a.groups_approved)`,
    [from],
  );
  await db.query(
    `UPDATE patient t SET registries = ARRAY(SELECT r FROM unnest(t.registries) AS r WHERE r <> ALL(a.registries))
     ${of} AND t.user_guid = a.into_guid`,
    [from],
  );
  await db.query(
    `UPDATE app_user u SET merged_into = NULL, blocked_at = CASE WHEN a.was_blocked THEN u.blocked_at END
     ${of} AND u.user_guid = a.user_guid`,
    [from],
  );
  await db.query('DELETE FROM account_merge WHERE user_guid = $1', [from]);
}
