// Group proposals: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { rowsByGuid } from '#lib/db/rows.ts';
import type { GroupType } from '../group-type.ts';
import type { ListRange } from '../list-page.ts';
import { decisionTable, type Made, type RequestStatus } from '../shared/decisions/decision-store.ts';

export interface Proposal {
  readonly proposal_guid: string;
  readonly user_guid: string;
  readonly name: string;
  readonly group_type: GroupType;
  readonly description: string | null;
  readonly status: RequestStatus;
}

export interface PendingProposal extends Proposal {
  readonly user_email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly created_at: Date;
}

/** False when an open proposal has the name, in whatever case, for that type. */
export async function insertProposal(db: Queryable, proposal: Proposal, made: Made): Promise<boolean> {
  const { proposal_guid: guid, user_guid: user, name, group_type: type, description, status } = proposal;
  const { rowCount } = await db.query(
    `INSERT INTO group_proposal (proposal_guid, user_guid, name, group_type, description, status, created_at, tenant)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (group_type, lower(name)) WHERE status = 'pending' DO NOTHING`,
    [guid, user, name, type, description, status, made.at, made.tenant],
  );
  return rowCount === 1;
}

export const { find, lock } = rowsByGuid<Proposal>(
  'group_proposal',
  'proposal_guid',
  'proposal_guid, user_guid, name, group_type, description, status',
);

export const { saveDecision, readTenant, countPending } = decisionTable('group_proposal', 'proposal_guid');

/** Oldest first. */
export async function listPending(db: Queryable, range: ListRange): Promise<PendingProposal[]> {
  const { rows } = await db.query<PendingProposal>(
    `SELECT p.proposal_guid, p.user_guid, u.email AS user_email, u.first_name, u.last_name, p.name, p.group_type,
       p.description, p.status, p.created_at
     FROM group_proposal p JOIN app_user u USING (user_guid)
     WHERE p.status = 'pending' ORDER BY p.created_at, p.proposal_guid LIMIT $1 OFFSET $2`,
    [range.limit, range.offset],
  );
  return rows;
}
