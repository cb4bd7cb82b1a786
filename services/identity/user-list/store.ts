// All users with their roles, organisations and memberships: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { byName, inNameOrder } from '#lib/db/name-order.ts';
import { readCount } from '#lib/db/rows.ts';
import type { ProfessionalRole } from '../professional-role.ts';
import { hiddenFrom } from '../shared/protected-patients.ts';

export interface ListedUser {
  user_guid: string;
  /** Null of a child without an account of its own (docs/adr/0157). */
  email: string | null;
  user_type: 'professional' | 'patient';
  is_su_admin: boolean;
  first_name: string | null;
  last_name: string | null;
  created_at: Date;
  last_login_at: Date | null;
  blocked_at: Date | null;
  merged_into: string | null;
  professional_guid: string | null;
  professional_role: ProfessionalRole | null;
  is_privacy_officer: boolean | null;
  memberships: Array<{
    membership_guid: string;
    group_guid: string;
    group_name: string;
    group_type: string;
    status: 'pending' | 'approved' | 'rejected';
    is_admin: boolean;
  }>;
  patient_guid: string | null;
  organisation_guid: string | null;
  registries: string[] | null;
  organisations: Array<{ organisation_guid: string; name: string }>;
}

/**
 * All columns of these users. A separate statement selects the page: the planner could only guess its length, and would
 * join the whole tables.
 */
const DETAILS = {
  name: 'identity-user-details',
  text: `SELECT u.user_guid, u.email, u.user_type, u.is_su_admin, u.first_name, u.last_name, u.created_at, u.last_login_at, u.blocked_at, u.merged_into,
      p.professional_guid, p.professional_role, p.is_privacy_officer, t.patient_guid, h.organisation_guid, t.registries,
      (SELECT coalesce(json_agg(json_build_object('membership_guid', m.membership_guid, 'group_guid', g.group_guid,
          'group_name', g.name, 'group_type', g.group_type, 'status', m.status, 'is_admin', m.is_admin)
          ORDER BY g.group_type, ${byName('g.name', 'g.group_guid')}), '[]')
         FROM membership m JOIN care_group g USING (group_guid) WHERE m.user_guid = u.user_guid) AS memberships,
      (SELECT coalesce(json_agg(json_build_object('organisation_guid', o.organisation_guid, 'name', o.name)
          ORDER BY ${byName('o.name', 'o.organisation_guid')}), '[]')
         FROM (SELECT h.organisation_guid UNION ALL
               SELECT w.organisation_guid FROM professional_organisation w WHERE w.user_guid = u.user_guid) own
           JOIN organisation o USING (organisation_guid)) AS organisations
    FROM unnest($1::uuid[]) AS chosen (user_guid) JOIN app_user u USING (user_guid)
      LEFT JOIN professional p USING (user_guid) LEFT JOIN patient t USING (user_guid)
      LEFT JOIN LATERAL (SELECT CASE WHEN NOT ${hiddenFrom('t', '$2')} THEN t.organisation_guid END AS organisation_guid
        WHERE t.user_guid IS NOT NULL) h ON true
    ORDER BY u.user_guid`,
};

const AFTER = {
  name: 'identity-users-after',
  text: `SELECT user_guid FROM app_user
    WHERE user_guid > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY user_guid LIMIT $2`,
};

/** An index scan reaches the page from the nearer end; the branch with the limit 0 does nothing. */
const PAGE = {
  name: 'identity-users-page',
  text: `WITH total AS MATERIALIZED (SELECT sum(users)::bigint AS users FROM user_count),
    place AS MATERIALIZED (
      SELECT users, least($1::bigint, greatest(users - $2::bigint, 0)) AS size, $2::bigint > users / 2 AS is_late FROM total
    )
    (SELECT user_guid FROM app_user ORDER BY user_guid
       LIMIT (SELECT CASE WHEN is_late THEN 0 ELSE size END FROM place) OFFSET $2::bigint)
    UNION ALL
    (SELECT user_guid FROM app_user ORDER BY user_guid DESC
       LIMIT (SELECT CASE WHEN is_late THEN size ELSE 0 END FROM place)
       OFFSET (SELECT greatest(users - $2::bigint - size, 0) FROM place))`,
};

/**
 * Users in the order of their creation, after the given one (null: from the first). `next` is where to continue, null
 * at the end. A user who is deleted meanwhile is left out and does not end the list.
 */
export async function listUsersAfter(
  db: Queryable,
  { after, limit }: { readonly after: string | null; readonly limit: number },
  reader: readonly string[],
): Promise<{ users: ListedUser[]; next: string | null }> {
  const chosen = (await db.query<Chosen>(AFTER, [after, limit])).rows;
  const next = chosen.length < limit ? null : (chosen.at(-1)?.user_guid ?? null);
  return { users: await readDetails(db, chosen, reader), next };
}

/** A page of users in the order of their creation. */
export async function listUsers(
  db: Queryable,
  range: { limit: number; offset: number },
  reader: readonly string[],
): Promise<ListedUser[]> {
  return readDetails(db, (await db.query<Chosen>(PAGE, [range.limit, range.offset])).rows, reader);
}

interface Chosen {
  user_guid: string;
}

/** `reader`: the guids by which the label of a protected patient may name the caller (docs/adr/0090). */
async function readDetails(db: Queryable, chosen: readonly Chosen[], reader: readonly string[]): Promise<ListedUser[]> {
  const guids = chosen.map((row) => row.user_guid);
  return (await db.query<ListedUser>(DETAILS, [guids, reader])).rows;
}

export async function countUsers(db: Queryable): Promise<number> {
  const statement = { name: 'identity-user-count', text: 'SELECT sum(users)::bigint AS users FROM user_count' };
  return (await db.query<{ users: number }>(statement)).rows[0]?.users ?? 0;
}

export interface UserFilter {
  readonly text: string | null;
  /** Where the text is one. */
  readonly guid: string | null;
  readonly userType: string | null;
  readonly state: string | null;
  readonly organisation: string | null;
  readonly group: string | null;
}

/** $1 to $6: the filter. Where a protected patient is registered finds no one. */
const FOUND = `FROM app_user u LEFT JOIN patient t USING (user_guid)
  WHERE ($1::text IS NULL OR strpos(lower(concat_ws(' ', u.first_name, u.last_name, u.email)), lower($1)) > 0
      OR u.user_guid = $2::uuid OR t.patient_guid = $2::uuid)
    AND ($3::text IS NULL OR u.user_type = $3)
    AND CASE $4::text WHEN 'blocked' THEN u.blocked_at IS NOT NULL AND u.merged_into IS NULL
      WHEN 'merged' THEN u.merged_into IS NOT NULL WHEN 'active' THEN u.blocked_at IS NULL
      WHEN 'su_admin' THEN u.is_su_admin AND u.blocked_at IS NULL ELSE true END
    AND ($5::uuid IS NULL OR (t.organisation_guid = $5 AND NOT ${hiddenFrom('t', '$7')})
      OR EXISTS (SELECT FROM professional_organisation w WHERE w.user_guid = u.user_guid AND w.organisation_guid = $5))
    AND ($6::uuid IS NULL OR EXISTS (SELECT FROM membership m
      WHERE m.user_guid = u.user_guid AND m.group_guid = $6 AND m.status = 'approved'))`;

const BY_NAME = `${inNameOrder('u.last_name')} NULLS LAST, ${inNameOrder('u.first_name')} NULLS LAST, u.email_key`;

/** `total` counts beyond the page. */
export async function searchUsers(
  db: Queryable,
  { text, guid, userType, state, organisation, group }: UserFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  reader: readonly string[],
): Promise<{ found: ListedUser[]; total: number }> {
  const values = [text, guid, userType, state, organisation, group, reader];
  const page = `SELECT u.user_guid ${FOUND} ORDER BY ${BY_NAME} LIMIT $8 OFFSET $9`;
  const chosen = (await db.query<Chosen>(page, [...values, limit, offset])).rows;
  const total = await readCount(db, `SELECT count(*) AS count ${FOUND}`, values);
  const details = await readDetails(db, chosen, reader);
  const places = new Map(chosen.map(({ user_guid }, index) => [user_guid, index]));
  const placeOf = ({ user_guid }: ListedUser) => places.get(user_guid) ?? 0;
  return { found: details.toSorted((a, b) => placeOf(a) - placeOf(b)), total };
}

export interface UserDetails extends ListedUser {
  readonly second_factor_since: Date | null;
  readonly must_change_password: boolean;
  /** Those that were merged into the user's, the oldest first. */
  readonly merged_accounts: { user_guid: string; email: string | null }[];
}

/** Undefined when there is none. */
export async function readUser(
  db: Queryable,
  userGuid: string,
  reader: readonly string[],
): Promise<UserDetails | undefined> {
  const [user] = await readDetails(db, [{ user_guid: userGuid }], reader);
  const text = `SELECT second_factor_since, must_change_password,
      (SELECT coalesce(json_agg(json_build_object('user_guid', m.user_guid, 'email', m.email) ORDER BY m.user_guid), '[]')
         FROM app_user m WHERE m.merged_into = u.user_guid) AS merged_accounts
    FROM app_user u WHERE user_guid = $1`;
  const [more] = (await db.query<Omit<UserDetails, keyof ListedUser>>(text, [userGuid])).rows;
  return user === undefined || more === undefined ? undefined : { ...user, ...more };
}

export interface Deletion {
  readonly user_guid: string;
  readonly email: string | null;
  readonly memberships: number;
  readonly led_groups: string[];
  readonly open_requests: number;
  readonly sessions: number;
  readonly merged_accounts: number;
  readonly proxies: number;
  readonly linked_records: number;
  readonly decisions: number;
}

const DELETION = `SELECT u.user_guid, u.email,
    (SELECT count(*)::int FROM membership WHERE user_guid = u.user_guid) AS memberships,
    ARRAY(SELECT g.name FROM membership m JOIN care_group g USING (group_guid)
      WHERE m.user_guid = u.user_guid AND m.is_admin ORDER BY ${byName('g.name', 'g.group_guid')}) AS led_groups,
    ((SELECT count(*) FROM leader_request WHERE user_guid = u.user_guid AND status = 'pending')
      + (SELECT count(*) FROM group_proposal WHERE user_guid = u.user_guid AND status = 'pending'))::int AS open_requests,
    (SELECT count(*)::int FROM app_user WHERE merged_into = u.user_guid) AS merged_accounts,
    (SELECT count(*)::int FROM patient_proxy p
      WHERE p.status <> 'ended' AND t.patient_guid IN (p.patient_guid, p.delegate_guid)) AS proxies,
    (SELECT count(*)::int FROM patient_link l WHERE l.patient_guid = t.patient_guid AND l.undone_at IS NULL) AS linked_records,
    ((SELECT count(*) FROM membership WHERE decided_by_guid = u.user_guid)
      + (SELECT count(*) FROM leader_request WHERE decided_by_guid = u.user_guid)
      + (SELECT count(*) FROM group_proposal WHERE decided_by_guid = u.user_guid)
      + (SELECT count(*) FROM access_request WHERE u.user_guid IN (decided_by_guid, endorsed_by_guid)))::int AS decisions
  FROM app_user u LEFT JOIN patient t USING (user_guid) WHERE u.user_guid = $1`;

/** What goes with the user, without the sessions; undefined when there is no such user. */
export async function readDeletion(db: Queryable, userGuid: string): Promise<Omit<Deletion, 'sessions'> | undefined> {
  return (await db.query<Omit<Deletion, 'sessions'>>(DELETION, [userGuid])).rows[0];
}
