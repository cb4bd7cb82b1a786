// Queries of the FHIR endpoints on the directory: SQL only.

import { reusable, SqlValues } from '#fhir/store/search/sql/sql-values.ts';
import type { Queryable } from '#lib/db/database.ts';
import { readCount } from '#lib/db/rows.ts';
import type { GroupRow, MemberRow, OrganisationRow, PractitionerRow } from './resources.ts';

interface Selection {
  readonly from: string;
  readonly where: readonly string[];
  readonly values: SqlValues;
}

export async function selectRows<Row>(
  db: Queryable,
  { columns, from, where, key, values }: Selection & { readonly columns: string; readonly key: string },
  limit: number,
): Promise<Row[]> {
  const text = `SELECT ${columns} FROM ${from} WHERE ${whole(where)} ORDER BY ${key} LIMIT ${values.bind(limit, 'bigint')}`;
  return (await db.query<Row & object>(reusable(text), values.list)).rows;
}

/** `limit` null: counts all. */
export async function countRows(
  db: Queryable,
  { from, where, values }: Selection,
  limit: number | null,
): Promise<number> {
  const cut = limit === null ? '' : ` LIMIT ${values.bind(limit, 'bigint')}`;
  const text = `SELECT count(*) AS count FROM (SELECT FROM ${from} WHERE ${whole(where)}${cut}) c`;
  return readCount(db, reusable(text), values.list);
}

export async function listNames(
  db: Queryable,
  table: { from: string; key: string; name: string },
): Promise<{ id: string; name: string }[]> {
  const text = `SELECT ${table.key} AS id, ${table.name} AS name FROM ${table.from}`;
  return (await db.query<{ id: string; name: string }>(reusable(text))).rows;
}

function whole(where: readonly string[]): string {
  return where.length === 0 ? 'TRUE' : where.join(' AND ');
}

export async function readOrganisation(db: Queryable, guid: string): Promise<OrganisationRow | null> {
  const text = 'SELECT organisation_guid AS id, name, created_at FROM organisation WHERE organisation_guid = $1';
  return (await db.query<OrganisationRow>({ name: 'identity-fhir-organisation', text }, [guid])).rows[0] ?? null;
}

export interface VisibleGroupRow extends GroupRow {
  /** Whether the caller may see the members. */
  readonly sees_members: boolean;
  readonly member_count: number;
}

/** SQL for whether the user may see the members of the group `r`; null: an SU admin, who may. */
export function seesMembers(userGuid: string | null, values: SqlValues): string {
  if (userGuid === null) return 'TRUE';
  return `EXISTS (SELECT FROM membership own WHERE own.group_guid = r.group_guid AND own.status = 'approved'
    AND own.user_guid = ${values.bind(userGuid, 'uuid')})`;
}

/** Columns of {@link VisibleGroupRow} for the group `r`. */
export function groupColumns(sees: string): string {
  return `r.group_guid AS id, r.name, r.group_type, r.description, ${sees} AS sees_members,
    (SELECT count(*) FROM membership m WHERE m.group_guid = r.group_guid AND m.status = 'approved') AS member_count`;
}

/** The group as this user sees it; null: as an SU admin sees it. */
export async function readGroup(
  db: Queryable,
  groupGuid: string,
  userGuid: string | null,
): Promise<VisibleGroupRow | null> {
  const values = new SqlValues();
  const columns = groupColumns(seesMembers(userGuid, values));
  const text = `SELECT ${columns} FROM care_group r WHERE r.group_guid = ${values.bind(groupGuid, 'uuid')}`;
  return (await db.query<VisibleGroupRow>(reusable(text), values.list)).rows[0] ?? null;
}

/** SQL for whether one of the professionals is a member of the group `r`; without guids: whether anybody is. */
export function hasMember(professionalGuids: readonly string[] | null, values: SqlValues): string {
  const one =
    professionalGuids === null ? '' : ` AND p.professional_guid = ANY(${values.bind(professionalGuids, 'uuid[]')})`;
  return `EXISTS (SELECT FROM membership m JOIN professional p USING (user_guid)
    WHERE m.group_guid = r.group_guid AND m.status = 'approved'${one})`;
}

/** The approved members of each group. */
export async function listMembers(db: Queryable, groupGuids: readonly string[]): Promise<Map<string, MemberRow[]>> {
  const text = `SELECT m.group_guid, p.professional_guid, u.first_name, u.last_name, m.is_admin
    FROM membership m JOIN professional p USING (user_guid) JOIN app_user u USING (user_guid)
    WHERE m.group_guid = ANY($1::uuid[]) AND m.status = 'approved' ORDER BY m.created_at, p.professional_guid`;
  const statement = { name: 'identity-fhir-members', text };
  const { rows } = await db.query<MemberRow & { group_guid: string }>(statement, [groupGuids]);
  const byGroup = new Map<string, MemberRow[]>(groupGuids.map((guid) => [guid, []]));
  for (const row of rows) byGroup.get(row.group_guid)?.push(row);
  return byGroup;
}

export interface VisiblePractitionerRow extends PractitionerRow {
  readonly user_guid: string;
  /** Whether everybody may know that the professional exists. */
  readonly is_public: boolean;
  /** Whether the caller shares a group with the professional. */
  readonly is_colleague: boolean;
}

export async function readPractitioner(
  db: Queryable,
  professionalGuid: string,
  callerGuid: string,
): Promise<VisiblePractitionerRow | null> {
  const text = `SELECT p.user_guid, p.professional_guid, p.professional_role, u.email, u.first_name, u.last_name,
      ARRAY(SELECT w.organisation_guid::text FROM professional_organisation w WHERE w.user_guid = p.user_guid
            ORDER BY w.organisation_guid) AS organisation_guids,
      u.is_su_admin OR EXISTS (SELECT FROM membership m WHERE m.user_guid = p.user_guid AND m.is_admin) AS is_public,
      EXISTS (SELECT FROM membership m JOIN membership own USING (group_guid) WHERE m.user_guid = p.user_guid
        AND own.user_guid = $2 AND m.status = 'approved' AND own.status = 'approved') AS is_colleague
    FROM professional p JOIN app_user u USING (user_guid) WHERE p.professional_guid = $1`;
  const statement = { name: 'identity-fhir-practitioner', text };
  return (await db.query<VisiblePractitionerRow>(statement, [professionalGuid, callerGuid])).rows[0] ?? null;
}

/** The users of those professionals that exist. */
export async function findUsers(db: Queryable, professionalGuids: readonly string[]): Promise<Map<string, string>> {
  if (professionalGuids.length === 0) return new Map();
  const text = 'SELECT professional_guid, user_guid FROM professional WHERE professional_guid = ANY($1::uuid[])';
  const { rows } = await db.query<{ professional_guid: string; user_guid: string }>(text, [professionalGuids]);
  return new Map(rows.map((row) => [row.professional_guid, row.user_guid]));
}
