// Changes of a user by an SU admin: SQL only.
import type { Queryable } from '#lib/db/database.ts';

/** Those of the names that are phases; they cannot be deleted until the transaction ends. */
export async function findPhases(db: Queryable, names: readonly string[]): Promise<ReadonlySet<string>> {
  const text = `SELECT name FROM care_group WHERE group_type = 'phase' AND name = ANY($1::text[]) FOR KEY SHARE`;
  return new Set((await db.query<{ name: string }>(text, [names])).rows.map(({ name }) => name));
}

export async function readEmailKey(db: Queryable, userGuid: string): Promise<string | undefined> {
  const text = 'SELECT email_key AS key FROM app_user WHERE user_guid = $1';
  return (await db.query<{ key: string }>(text, [userGuid])).rows[0]?.key;
}

export async function setRole(db: Queryable, userGuid: string, role: string): Promise<void> {
  await db.query('UPDATE professional SET professional_role = $2 WHERE user_guid = $1', [userGuid, role]);
}

export async function setPrivacyOfficer(db: Queryable, userGuid: string, isOne: boolean): Promise<void> {
  await db.query('UPDATE professional SET is_privacy_officer = $2 WHERE user_guid = $1', [userGuid, isOne]);
}

export async function areOrganisations(db: Queryable, guids: readonly string[]): Promise<boolean> {
  const text = 'SELECT FROM organisation WHERE organisation_guid = ANY($1::uuid[]) FOR KEY SHARE';
  return (await db.query(text, [guids])).rowCount === guids.length;
}

export async function setPatientOrganisation(db: Queryable, userGuid: string, guid: string): Promise<void> {
  await db.query('UPDATE patient SET organisation_guid = $2 WHERE user_guid = $1', [userGuid, guid]);
}

export async function setOrganisations(db: Queryable, userGuid: string, guids: readonly string[]): Promise<void> {
  await db.query(
    'DELETE FROM professional_organisation WHERE user_guid = $1 AND organisation_guid <> ALL($2::uuid[])',
    [userGuid, guids],
  );
  await db.query(
    `INSERT INTO professional_organisation (user_guid, organisation_guid) SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
    [userGuid, guids],
  );
}

/** The approved phases of the user become these; admins of a phase that stays remain its admins. */
export async function setPhases(
  db: Queryable,
  userGuid: string,
  set: { memberships: readonly { name: string; guid: string }[]; decidedBy: string; at: Date },
): Promise<void> {
  const names = set.memberships.map(({ name }) => name);
  await db.query(
    `DELETE FROM membership m USING care_group g
     WHERE m.user_guid = $1 AND m.group_guid = g.group_guid AND g.group_type = 'phase' AND g.name <> ALL($2::text[])`,
    [userGuid, names],
  );
  await db.query(
    `INSERT INTO membership (membership_guid, user_guid, group_guid, status, created_at, decided_by_guid, decided_at)
     SELECT n.guid, $1, g.group_guid, 'approved', $4, $5, $4
     FROM unnest($2::text[], $3::uuid[]) AS n (name, guid) JOIN care_group g ON g.group_type = 'phase' AND g.name = n.name
     ON CONFLICT (user_guid, group_guid) DO UPDATE SET status = 'approved', decided_by_guid = $5, decided_at = $4
       WHERE membership.status <> 'approved'`,
    [userGuid, names, set.memberships.map(({ guid }) => guid), set.at, set.decidedBy],
  );
}
