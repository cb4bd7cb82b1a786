// Queries of the user CSV on many users at once, and inserts of organisations and groups: SQL only. The statements have
// no names, so that each is planned for the tables as they are: an import begins with empty ones.
import type { Queryable } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';
import type { ProfessionalRole } from '../professional-role.ts';
import { hiddenFrom } from '../shared/protected-patients.ts';

/** A guid as users may write it. */
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface ExportedUser {
  user_guid: string;
  email: string | null;
  user_type: 'professional' | 'patient';
  first_name: string | null;
  last_name: string | null;
  is_su_admin: boolean;
  professional_role: ProfessionalRole | null;
  patient_guid: string | null;
  personnummer_sealed: Buffer | null;
  organisations: string[];
  groups: Array<{ group_guid: string; group_type: string; name: string; is_admin: boolean }>;
}

/**
 * Users in the order of their creation, after `after` (null: from the first). `reader`: the guids by which the label of
 * a protected patient may name the caller (docs/adr/0090).
 */
export async function readUsers(
  db: Queryable,
  { after, limit }: { readonly after: string | null; readonly limit: number },
  reader: readonly string[],
): Promise<ExportedUser[]> {
  // Names are joined for all users at once: for one user at a time the planner scans all organisations each time.
  const text = `WITH page AS (
        SELECT * FROM app_user WHERE user_guid > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
        ORDER BY user_guid LIMIT $2
      ), organisations AS (
        SELECT x.user_guid, array_agg(o.name ORDER BY o.name COLLATE "C") AS names
        FROM (SELECT w.user_guid, w.organisation_guid FROM page JOIN professional_organisation w USING (user_guid)
              UNION ALL SELECT t.user_guid, t.organisation_guid FROM page JOIN patient t USING (user_guid)
              WHERE NOT ${hiddenFrom('t', '$3')}) x
          JOIN organisation o USING (organisation_guid)
        GROUP BY x.user_guid
      ), groups AS (
        SELECT m.user_guid, json_agg(json_build_object('group_guid', g.group_guid, 'group_type', g.group_type, 'name', g.name,
          'is_admin', m.is_admin) ORDER BY g.group_type COLLATE "C", g.name COLLATE "C") AS items
        FROM page JOIN membership m USING (user_guid) JOIN care_group g USING (group_guid)
        WHERE m.status = 'approved' GROUP BY m.user_guid
      )
      SELECT u.user_guid, u.email, u.user_type, u.first_name, u.last_name, u.is_su_admin,
        p.professional_role, t.patient_guid, t.personnummer_sealed,
        coalesce(o.names, '{}') AS organisations, coalesce(g.items, '[]') AS groups
      FROM page u LEFT JOIN professional p USING (user_guid) LEFT JOIN patient t USING (user_guid)
        LEFT JOIN organisations o USING (user_guid) LEFT JOIN groups g USING (user_guid)
      ORDER BY u.user_guid`;
  return (await db.query<ExportedUser>(text, [after, limit, reader])).rows;
}

/** Phases whose name a group of another type has too. */
export async function readSharedPhases(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ group_guid: string }>(
    `SELECT g.group_guid FROM care_group g WHERE g.group_type = 'phase' AND EXISTS
       (SELECT FROM care_group o WHERE o.group_type <> 'phase' AND lower(o.name) = lower(g.name))`,
  );
  return rows.map((row) => row.group_guid);
}

/** Locks imports until the transaction ends: one writes at a time. */
export async function lockImports(db: Queryable): Promise<void> {
  await db.query(`SELECT pg_advisory_xact_lock(hashtext(current_schema() || '.user-import'))`);
}

/** Those of the keys that belong to an account. */
export async function findEmailKeys(db: Queryable, keys: readonly string[]): Promise<string[]> {
  const text = 'SELECT email_key FROM app_user WHERE email_key = ANY($1::text[])';
  return (await db.query<{ email_key: string }>(text, [keys])).rows.map((row) => row.email_key);
}

export interface Found {
  readonly text: string;
  readonly guid: string;
  readonly isByGuid: boolean;
  /** The name of an organisation. */
  readonly name?: string;
}

/** The organisations with these names (without case) or guids. */
export async function findOrganisations(db: Queryable, texts: readonly string[]): Promise<Found[]> {
  const text = `SELECT x.text, o.organisation_guid AS guid, o.name, false AS "isByGuid"
        FROM unnest($1::text[]) AS x(text) JOIN organisation o ON lower(o.name) = lower(x.text)
      UNION ALL SELECT x.text, o.organisation_guid, o.name, true
        FROM unnest($2::text[]) AS x(text) JOIN organisation o ON o.organisation_guid = x.text::uuid`;
  return (await db.query<Found>(text, [texts, texts.filter((text) => GUID.test(text))])).rows;
}

export interface GroupReference {
  readonly text: string;
  /** Undefined: of any type, or the name is the guid. */
  readonly groupType: string | undefined;
  readonly name: string;
}

/**
 * The groups that the items name; several for a bare name that several types have. They cannot be deleted until the
 * transaction ends.
 */
export async function findGroups(db: Queryable, wanted: readonly GroupReference[]): Promise<Found[]> {
  const text = `SELECT f.text, f.guid, f."isByGuid" FROM (
        SELECT x.text, g.group_guid AS guid, false AS "isByGuid"
          FROM unnest($1::text[], $2::text[], $3::text[]) AS x(text, type, name)
            JOIN care_group g ON lower(g.name) = lower(x.name) AND g.group_type = coalesce(x.type, g.group_type)
        UNION ALL SELECT x.text, g.group_guid, true
          FROM unnest($4::text[], $5::text[]) AS x(text, name) JOIN care_group g ON g.group_guid = x.name::uuid) f
      JOIN care_group g ON g.group_guid = f.guid FOR KEY SHARE OF g`;
  const guids = wanted.filter((group) => group.groupType === undefined && GUID.test(group.name));
  const { rows } = await db.query<Found>(text, [
    ...columnsOf(wanted, 'text', 'groupType', 'name'),
    guids.map((group) => group.text),
    guids.map((group) => group.name),
  ]);
  return rows;
}

/** Returns the guids of the inserted ones; a taken name, in whatever case, inserts nothing. */
export async function insertOrganisations(
  db: Queryable,
  made: { guids: readonly string[]; names: readonly string[]; createdAt: Date },
): Promise<string[]> {
  const { rows } = await db.query<{ guid: string }>(
    `INSERT INTO organisation (organisation_guid, name, created_at)
     SELECT guid, name, $3 FROM unnest($1::uuid[], $2::text[]) AS x(guid, name)
     ON CONFLICT (lower(name)) DO NOTHING RETURNING organisation_guid AS guid`,
    [made.guids, made.names, made.createdAt],
  );
  return rows.map((row) => row.guid);
}

export async function insertGroups(
  db: Queryable,
  made: { guids: readonly string[]; names: readonly string[]; types: readonly string[]; createdAt: Date },
): Promise<string[]> {
  const { rows } = await db.query<{ guid: string }>(
    `INSERT INTO care_group (group_guid, name, group_type, created_at)
     SELECT guid, name, type, $4 FROM unnest($1::uuid[], $2::text[], $3::text[]) AS x(guid, name, type)
     ON CONFLICT (group_type, lower(name)) DO NOTHING RETURNING group_guid AS guid`,
    [made.guids, made.names, made.types, made.createdAt],
  );
  return rows.map((row) => row.guid);
}
