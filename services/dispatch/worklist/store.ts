// SQL of the worklist: requests with the states of their matches, and the stage that follows from both. List and counts
// share one definition, so that they agree.
import type { DataScope } from '#lib/auth/data-scope.ts';
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import type { Stage } from './schema.ts';

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
  readonly stage: Stage | undefined;
  readonly isUndelivered: boolean;
  readonly order: 'newest' | 'oldest';
}

interface Row extends Record<CountColumn, number | string> {
  id: string;
  title: string | null;
  patient_guid: string;
  careplan_guid: string;
  stage: Stage;
  is_mine: boolean;
  is_archived: boolean;
  asked_at: Date | null;
  created_at: Date;
  updated_at: Date;
}
type CountColumn = 'pending' | 'unanswered' | 'accepted' | 'refused' | 'undelivered';

/** Open is what may still be answered: a push past its deadline is expired, whether or not the row says so yet. */
const OPEN = `m.status = 'pushed' AND (m.respond_by IS NULL OR m.respond_by > $2)`;
/**
 * $1: the organisations, null for all; $2: now; $3: the reader; $4: mine alone; $5: archived; $6: the patient, null for
 * all.
 */
const WORK = `SELECT s.id, s.patient_guid, s.careplan_guid, s.created_at, s.updated_at,
    s.requester_id IS NOT DISTINCT FROM $3 AS is_mine, s.archived_at IS NOT NULL AS is_archived, c.*,
    CASE WHEN s.status = 'on-hold' THEN 'on_hold' WHEN s.status <> 'active' THEN s.status
      WHEN c.accepted > 0 THEN 'in_work' WHEN c.unanswered > 0 THEN 'unanswered' WHEN c.refused > 0 THEN 'refused'
      ELSE 'to_send' END AS stage
  FROM service_request s CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE m.status = 'pending') AS pending, count(*) FILTER (WHERE ${OPEN}) AS unanswered,
      count(*) FILTER (WHERE m.status = 'accepted') AS accepted,
      count(*) FILTER (WHERE m.status IN ('rejected', 'expired') OR m.status = 'pushed' AND m.respond_by <= $2) AS refused,
      count(*) FILTER (WHERE ${OPEN} AND d.status = 'dead') AS undelivered,
      min(m.pushed_at) FILTER (WHERE ${OPEN}) AS asked_at
    FROM match m LEFT JOIN delivery d ON d.request_guid = m.request_guid AND d.type = 'request.dispatched'
    WHERE m.service_request_id = s.id
  ) c
  WHERE ($1::text[] IS NULL OR s.organisation_guid = ANY($1)) AND (NOT $4 OR s.requester_id = $3)
    AND CASE WHEN $5 THEN s.archived_at IS NOT NULL ELSE s.archived_at IS NULL END AND ($6::text IS NULL OR s.patient_guid = $6)`;

const FILTERED = `($7::text IS NULL OR w.stage = $7) AND (NOT $8 OR w.undelivered > 0)`;
/** The title is read for the requests of the page alone: a snapshot may be long. */
const listIn = (order: string) => `SELECT p.*, s.snapshot::json #>> '{plan_definition,title}' AS title
  FROM (SELECT * FROM (${WORK}) w WHERE ${FILTERED} ORDER BY ${order} LIMIT $9 OFFSET $10) p
  JOIN service_request s ON s.id = p.id ORDER BY ${order}`;
const LIST = {
  newest: { name: 'worklist-newest', text: listIn('updated_at DESC, id') },
  oldest: { name: 'worklist-oldest', text: listIn('asked_at NULLS LAST, updated_at, id') },
};
const COUNT = {
  name: 'worklist-count',
  text: `SELECT stage, count(*) AS requests, count(*) FILTER (WHERE undelivered > 0) AS undelivered FROM (${WORK}) w GROUP BY stage`,
};

export interface StageCount {
  readonly stage: Stage;
  readonly requests: number;
  readonly undelivered: number;
}

export async function listWork(
  db: Queryable,
  filter: WorklistFilter,
  { now, limit, offset }: { readonly now: Date; readonly limit: number; readonly offset: number },
): Promise<WorklistEntry[]> {
  const { stage, isUndelivered, order } = filter;
  const values = [...workValues(filter, now), stage ?? null, isUndelivered, limit, offset];
  const { rows } = await db.query<Row>(LIST[order], values);
  return rows.map((row) => ({ ...fromRow(row), ...countsIn(row) }));
}

/** Counts are 64 bits wide in the database. */
function countsIn({ pending, unanswered, accepted, refused, undelivered }: Row): Pick<WorklistEntry, CountColumn> {
  return {
    pending: Number(pending),
    unanswered: Number(unanswered),
    accepted: Number(accepted),
    refused: Number(refused),
    undelivered: Number(undelivered),
  };
}

/** The stages that have requests. */
export async function countWork(db: Queryable, filter: WorklistFilter, now: Date): Promise<StageCount[]> {
  const { rows } = await db.query<{ stage: Stage; requests: unknown; undelivered: unknown }>(
    COUNT,
    workValues(filter, now),
  );
  return rows.map(({ stage, requests, undelivered }) => ({
    stage,
    requests: Number(requests),
    undelivered: Number(undelivered),
  }));
}

function workValues({ scope, readerId, isMine, isArchived, patientGuid }: WorklistFilter, now: Date): unknown[] {
  return [organisationsIn(scope), now, readerId, isMine, isArchived, patientGuid ?? null];
}

/** Null for all. Patients have no worklist. */
function organisationsIn(scope: DataScope): readonly string[] | null {
  if (scope.kind === 'all') return null;
  return scope.kind === 'organisations' ? scope.guids : [];
}
