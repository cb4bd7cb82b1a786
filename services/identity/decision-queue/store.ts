// What waits for a decision, of every kind in one list: SQL only. List and counts share one definition, so that they
// agree.
import type { Queryable } from '#lib/db/database.ts';
import type { QueueKind } from './schema.ts';

export interface QueueEntry {
  readonly kind: QueueKind;
  readonly guid: string;
  readonly status: 'pending' | 'endorsed';
  readonly created_at: Date;
  /** Of who asks; an access request has no user yet. */
  readonly user_guid: string | null;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  /** Null for an access request, and a proposed group has no guid. */
  readonly group_guid: string | null;
  readonly group_name: string | null;
  readonly group_type: string | null;
  readonly description: string | null;
  readonly organisation_name: string | null;
  readonly professional_role: string | null;
  readonly requested_phases: string[] | null;
  readonly chosen_leader_name: string | null;
}

export interface QueueFilter {
  /** Whose queue; null for all of an SU admin. */
  readonly leader: string | null;
  /** A part of a name, an address or a group's name. */
  readonly search: string | null;
  /** Only what has waited since before then. */
  readonly before: Date | null;
  /** Narrows the list and not the counts. */
  readonly kind: QueueKind | null;
  readonly order: 'oldest' | 'newest';
}

export type QueueCounts = Partial<Record<QueueKind, number>>;

/** The only row of an empty page has the counts alone. */
type Row = { counts: QueueCounts } & (QueueEntry | { guid: null });

const PERSON = 'u.user_guid, u.email, u.first_name, u.last_name';
const NO_ACCESS =
  'NULL::text AS organisation_name, NULL::text AS professional_role, NULL::text[] AS requested_phases, NULL::text AS leader';

/** $1: the leader, null for an SU admin. */
const QUEUE = `SELECT 'membership' AS kind, m.membership_guid AS guid, m.status, m.created_at, ${PERSON},
    g.group_guid, g.name AS group_name, g.group_type, NULL::text AS description, ${NO_ACCESS}
  FROM membership m JOIN app_user u USING (user_guid) JOIN care_group g USING (group_guid)
  WHERE m.status = 'pending' AND ($1::uuid IS NULL OR EXISTS (
    SELECT FROM membership a WHERE a.user_guid = $1::uuid AND a.group_guid = m.group_guid AND a.is_admin))
  UNION ALL
  SELECT 'access_request', r.access_request_guid, r.status, r.created_at, NULL, r.email, r.first_name, r.last_name,
    NULL, NULL, NULL, NULL, o.name, r.professional_role, r.requested_phases, concat_ws(' ', l.first_name, l.last_name)
  FROM access_request r JOIN organisation o USING (organisation_guid)
    LEFT JOIN app_user l ON l.user_guid = r.chosen_leader_guid
  WHERE r.status IN ('pending', 'endorsed') AND ($1::uuid IS NULL OR r.chosen_leader_guid = $1::uuid)
  UNION ALL
  SELECT 'leader_request', r.leader_request_guid, r.status, r.created_at, ${PERSON},
    g.group_guid, g.name, g.group_type, NULL, NULL, NULL, NULL, NULL
  FROM leader_request r JOIN app_user u USING (user_guid) JOIN care_group g USING (group_guid)
  WHERE r.status = 'pending' AND $1::uuid IS NULL
  UNION ALL
  SELECT 'group_proposal', p.proposal_guid, p.status, p.created_at, ${PERSON},
    NULL, p.name, p.group_type, p.description, NULL, NULL, NULL, NULL
  FROM group_proposal p JOIN app_user u USING (user_guid)
  WHERE p.status = 'pending' AND $1::uuid IS NULL`;

const ORDERS = { oldest: 'created_at, guid', newest: 'created_at DESC, guid DESC' } as const;

function statementOf(order: QueueFilter['order']) {
  const text = `WITH queue AS MATERIALIZED (
      SELECT q.*, leader AS chosen_leader_name FROM (${QUEUE}) q
      WHERE ($2::text IS NULL
          OR strpos(lower(concat_ws(' ', first_name, last_name, email, group_name, organisation_name)), lower($2)) > 0)
        AND ($3::timestamptz IS NULL OR created_at <= $3)
    ), counted AS (
      SELECT coalesce(json_object_agg(kind, entries), '{}') AS counts
      FROM (SELECT kind, count(*) AS entries FROM queue GROUP BY kind) c
    ), page AS (
      SELECT * FROM queue WHERE $4::text IS NULL OR kind = $4 ORDER BY ${ORDERS[order]} LIMIT $5 OFFSET $6
    )
    SELECT counted.counts, page.* FROM counted LEFT JOIN page ON true ORDER BY ${ORDERS[order]}`;
  return { name: `identity-decision-queue-${order}`, text };
}

/** A page, with the number of entries of each kind that the filter finds. */
export async function readQueue(
  db: Queryable,
  { leader, search, before, kind, order }: QueueFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly entries: QueueEntry[]; readonly counts: QueueCounts }> {
  const { rows } = await db.query<Row>(statementOf(order), [leader, search, before, kind, limit, offset]);
  return { entries: rows.flatMap((row) => (row.guid === null ? [] : [row])), counts: rows[0]?.counts ?? {} };
}
