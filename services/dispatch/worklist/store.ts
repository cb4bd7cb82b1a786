// SQL of the worklist: requests with the states of their matches, and the stage that follows from both. List and counts
// share one definition, so that they agree.
import type { DataScope } from '#lib/auth/data-scope.ts';
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import { organisationsIn } from '../shared/access.ts';
import type { Stage } from './stage.ts';

export interface WorklistEntry {
  readonly id: string;
  readonly title: string | undefined;
  readonly patientGuid: string;
  readonly careplanGuid: string;
  readonly stage: Stage;
  readonly isMine: boolean;
  readonly isArchived: boolean;
  readonly pending: number;
  readonly unanswered: number;
  readonly accepted: number;
  readonly refused: number;
  readonly undelivered: number;
  readonly askedAt: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Which requests are looked at; `stage` and `isUndelivered` narrow the list and not the counts. */
export interface WorklistFilter {
  readonly scope: DataScope;
  readonly readerId: string;
  readonly isMine: boolean;
  readonly isArchived: boolean;
  readonly patientGuid: string | undefined;
  /** The provider to whom they were sent. */
  readonly providerGuid: string | undefined;
  readonly stage: Stage | undefined;
  readonly isUndelivered: boolean;
  readonly order: 'newest' | 'oldest';
}

/** How many requests are in a stage, and how many of them have an unanswered push that was given up. */
export interface StageCount {
  readonly stage: Stage;
  readonly requests: number;
  readonly undelivered: number;
}

interface PageRow {
  id: string;
  title: string | null;
  patient_guid: string;
  careplan_guid: string;
  stage: Stage;
  is_mine: boolean;
  is_archived: boolean;
  pending: number;
  unanswered: number;
  accepted: number;
  refused: number;
  undelivered: number;
  asked_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The only row of an empty page has the counts alone. */
type Row = { counts: StageCount[] } & (PageRow | { id: null });

/** Open is what may still be answered: a push past its deadline is expired, whether or not the row says so yet. */
const OPEN = `m.status = 'pushed' AND (m.respond_by IS NULL OR m.respond_by > $2)`;
/** Texts of their own for each kind, so that the planner sees which of the partial indexes serves it. */
interface WorkKind {
  readonly isOfAll: boolean;
  readonly isArchived: boolean;
}

/**
 * $1: the organisations, null for all; $2: now; $3: the reader; $4: mine alone. $5: the patient, null for all; $10: the
 * provider, null for all. Matches are counted for all requests at once.
 */
function workOf({ isOfAll, isArchived }: WorkKind): string {
  return `own AS MATERIALIZED (
    SELECT s.id, s.status, s.patient_guid, s.careplan_guid, s.created_at, s.updated_at,
      s.requester_id IS NOT DISTINCT FROM $3 AS is_mine, s.archived_at IS NOT NULL AS is_archived
    FROM service_request s
    WHERE ${isOfAll ? '$1::text[] IS NULL' : 's.organisation_guid = ANY($1::text[])'} AND (NOT $4 OR s.requester_id = $3)
      AND s.archived_at IS ${isArchived ? 'NOT NULL' : 'NULL'} AND ($5::text IS NULL OR s.patient_guid = $5)
      AND ($10::text IS NULL OR EXISTS (SELECT FROM match sent
        WHERE sent.service_request_id = s.id AND sent.provider_guid = $10 AND sent.pushed_at IS NOT NULL))
  ), matched AS (
    SELECT m.service_request_id, count(*) FILTER (WHERE m.status = 'pending')::int AS pending,
      count(*) FILTER (WHERE ${OPEN})::int AS unanswered,
      count(*) FILTER (WHERE m.status = 'accepted')::int AS accepted,
      count(*) FILTER (WHERE m.status IN ('rejected', 'expired') OR m.status = 'pushed' AND m.respond_by <= $2)::int AS refused,
      count(*) FILTER (WHERE ${OPEN} AND (d.request_guid IS NOT NULL OR l.request_guid IS NOT NULL))::int AS undelivered,
      min(m.pushed_at) FILTER (WHERE ${OPEN}) AS asked_at
    FROM own JOIN match m ON m.service_request_id = own.id
      LEFT JOIN delivery d ON d.request_guid = m.request_guid AND d.type = 'request.dispatched'
        AND (d.status = 'dead' OR d.cancelled_reason = 'discarded')
      LEFT JOIN receipt_link l ON l.request_guid = m.request_guid AND l.mail_dead_at IS NOT NULL AND l.ended_at IS NULL
    GROUP BY m.service_request_id
  ), work AS MATERIALIZED (
    SELECT own.*, coalesce(pending, 0) AS pending, coalesce(unanswered, 0) AS unanswered, coalesce(accepted, 0) AS accepted,
      coalesce(refused, 0) AS refused, coalesce(undelivered, 0) AS undelivered, asked_at,
      CASE WHEN own.status = 'on-hold' THEN 'on_hold' WHEN own.status <> 'active' THEN own.status
        WHEN accepted > 0 THEN 'in_work' WHEN unanswered > 0 THEN 'unanswered' WHEN refused > 0 THEN 'refused'
        ELSE 'to_send' END AS stage
    FROM own LEFT JOIN matched ON matched.service_request_id = own.id
  )`;
}

const ORDERS = { newest: 'p.updated_at DESC, p.id', oldest: 'p.asked_at NULLS LAST, p.updated_at, p.id' } as const;

/** A page with the counts of all stages. A title is read for the requests of the page alone: a snapshot may be long. */
export function worklistStatement(kind: WorkKind, order: keyof typeof ORDERS) {
  const text = `WITH ${workOf(kind)}, counts AS (
      SELECT coalesce(json_agg(json_build_object('stage', stage, 'requests', requests, 'undelivered', undelivered)), '[]') AS counts
      FROM (SELECT stage, count(*) AS requests, count(*) FILTER (WHERE undelivered > 0) AS undelivered FROM work GROUP BY stage) c
    ), page AS (
      SELECT * FROM work p WHERE ($6::text IS NULL OR stage = $6) AND (NOT $7 OR undelivered > 0)
      ORDER BY ${ORDERS[order]} LIMIT $8 OFFSET $9
    )
    SELECT counts.counts, p.*, s.snapshot::json #>> '{plan_definition,title}' AS title
    FROM counts LEFT JOIN page p ON true LEFT JOIN service_request s ON s.id = p.id ORDER BY ${ORDERS[order]}`;
  return { name: `worklist-${order}-${kind.isOfAll ? 'all' : 'own'}-${kind.isArchived ? 'archived' : 'open'}`, text };
}

function kindOf({ scope, isArchived }: WorklistFilter): WorkKind {
  return { isOfAll: scope.kind === 'all', isArchived };
}

export async function readWorklist(
  db: Queryable,
  filter: WorklistFilter,
  { now, limit, offset }: { readonly now: Date; readonly limit: number; readonly offset: number },
): Promise<{ readonly entries: WorklistEntry[]; readonly stages: readonly StageCount[] }> {
  const { stage, isUndelivered, providerGuid, order } = filter;
  const values = [...workValues(filter, now), stage ?? null, isUndelivered, limit, offset, providerGuid ?? null];
  const { rows } = await db.query<Row>(worklistStatement(kindOf(filter), order), values);
  const entries = rows.flatMap((row) => (row.id === null ? [] : [fromRow(row)]));
  return { entries, stages: rows[0]?.counts ?? [] };
}

function workValues({ scope, readerId, isMine, patientGuid }: WorklistFilter, now: Date): unknown[] {
  return [organisationsIn(scope), now, readerId, isMine, patientGuid ?? null];
}
