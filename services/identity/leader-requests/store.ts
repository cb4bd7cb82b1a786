// Leader requests: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { rowsByGuid } from '#lib/db/rows.ts';
import type { ListRange } from '../list-page.ts';
import { decisionTable, type Made, type RequestStatus } from '../shared/decisions/decision-store.ts';

export interface LeaderRequest {
  readonly leader_request_guid: string;
  readonly user_guid: string;
  readonly group_guid: string;
  readonly status: RequestStatus;
}

export interface PendingLeaderRequest extends LeaderRequest {
  readonly user_email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly group_name: string;
  readonly created_at: Date;
}

/** False when the user has an open request for the group. */
export async function insertRequest(db: Queryable, request: LeaderRequest, made: Made): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO leader_request (leader_request_guid, user_guid, group_guid, status, created_at, tenant)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_guid, group_guid) WHERE status = 'pending' DO NOTHING`,
    [request.leader_request_guid, request.user_guid, request.group_guid, request.status, made.at, made.tenant],
  );
  return rowCount === 1;
}

export const { find, lock } = rowsByGuid<LeaderRequest>(
  'leader_request',
  'leader_request_guid',
  'leader_request_guid, user_guid, group_guid, status',
);

export const { saveDecision, readTenant, countPending } = decisionTable('leader_request', 'leader_request_guid');

/** Oldest first. */
export async function listPending(db: Queryable, range: ListRange): Promise<PendingLeaderRequest[]> {
  const { rows } = await db.query<PendingLeaderRequest>(
    `SELECT r.leader_request_guid, r.user_guid, u.email AS user_email, u.first_name, u.last_name, r.group_guid,
       g.name AS group_name, r.status, r.created_at
     FROM leader_request r JOIN app_user u USING (user_guid) JOIN care_group g USING (group_guid)
     WHERE r.status = 'pending' ORDER BY r.created_at, r.leader_request_guid LIMIT $1 OFFSET $2`,
    [range.limit, range.offset],
  );
  return rows;
}
