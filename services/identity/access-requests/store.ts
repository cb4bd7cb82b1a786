// Access requests: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { readCount, rowsByGuid } from '#lib/db/rows.ts';
import type { ListRange } from '../list-page.ts';
import type { ProfessionalRole } from '../professional-role.ts';
import { type DecisionRecord, decisionTable } from '../shared/decisions/decision-store.ts';
import type { AccessRequestStatus } from './lifecycle.ts';

/** What the applicant enters besides the password. */
export interface AccessRequestEntry {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: ProfessionalRole;
  readonly organisationGuid: string;
  readonly phases: readonly string[];
  readonly leaderGuid: string;
}

export interface NewAccessRequest extends AccessRequestEntry {
  readonly guid: string;
  readonly emailKey: string;
  readonly passwordHash: string;
  readonly createdAt: Date;
  /** At whose address it was made; null for the default one. */
  readonly tenant: string | null;
}

/** What every read of a request has of its applicant. */
interface Applicant {
  status: AccessRequestStatus;
  email: string;
  first_name: string;
  last_name: string;
  professional_role: ProfessionalRole;
  organisation_guid: string;
  organisation_name: string;
  requested_phases: string[];
}

export interface LockedAccessRequest extends Applicant {
  password_hash: string | null;
}

export interface OpenAccessRequest extends Applicant {
  access_request_guid: string;
  chosen_leader_guid: string | null;
  chosen_leader_name: string | null;
  created_at: Date;
  endorsed_by_guid: string | null;
  endorsed_at: Date | null;
}

/** False when an open request has the address. */
export async function insertRequest(db: Queryable, request: NewAccessRequest): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO access_request (access_request_guid, email, email_key, password_hash, first_name, last_name,
       professional_role, organisation_guid, requested_phases, chosen_leader_guid, status, created_at, tenant)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending', $11, $12)
     ON CONFLICT (email_key) WHERE status IN ('pending', 'endorsed') DO NOTHING`,
    [
      request.guid,
      request.email,
      request.emailKey,
      request.passwordHash,
      request.firstName,
      request.lastName,
      request.role,
      request.organisationGuid,
      request.phases,
      request.leaderGuid,
      request.createdAt,
      request.tenant,
    ],
  );
  return rowCount === 1;
}

export async function hasOpenRequest(db: Queryable, emailKey: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `SELECT FROM access_request WHERE email_key = $1 AND status IN ('pending', 'endorsed')`,
    [emailKey],
  );
  return rowCount > 0;
}

export const { lock: lockRequest } = rowsByGuid<LockedAccessRequest>(
  'access_request',
  'access_request_guid',
  `status, email, password_hash, first_name, last_name, professional_role, organisation_guid, requested_phases,
   (SELECT name FROM organisation o WHERE o.organisation_guid = access_request.organisation_guid) AS organisation_name`,
);

export async function saveEndorsement(
  db: Queryable,
  endorsement: { guid: string; by: string; at: Date },
): Promise<void> {
  await db.query(
    `UPDATE access_request SET status = 'endorsed', endorsed_by_guid = $2, endorsed_at = $3 WHERE access_request_guid = $1`,
    [endorsement.guid, endorsement.by, endorsement.at],
  );
}

const { saveDecision: store, readTenant } = decisionTable('access_request', 'access_request_guid');

export { readTenant };

/** Deletes the hash of the password with the decision. */
export function saveDecision(db: Queryable, decision: DecisionRecord, userGuid: string | null): Promise<void> {
  return store(db, decision, { user_guid: userGuid, password_hash: null });
}

/** Pending and endorsed requests, oldest first; all, or those that name the leader. */
export async function listOpen(db: Queryable, range: ListRange, leader: string | null): Promise<OpenAccessRequest[]> {
  const { rows } = await db.query<OpenAccessRequest>(
    `SELECT r.access_request_guid, r.email, r.first_name, r.last_name, r.professional_role, r.organisation_guid,
       o.name AS organisation_name, r.requested_phases, r.chosen_leader_guid,
       concat_ws(' ', l.first_name, l.last_name) AS chosen_leader_name, r.status, r.created_at, r.endorsed_by_guid, r.endorsed_at
     FROM access_request r JOIN organisation o USING (organisation_guid)
       LEFT JOIN app_user l ON l.user_guid = r.chosen_leader_guid
     WHERE r.status IN ('pending', 'endorsed') AND ($3::uuid IS NULL OR r.chosen_leader_guid = $3::uuid)
     ORDER BY r.created_at, r.access_request_guid LIMIT $1 OFFSET $2`,
    [range.limit, range.offset, leader],
  );
  return rows;
}

export async function countOpen(db: Queryable, leader: string | null): Promise<number> {
  return readCount(
    db,
    `SELECT count(*) AS count FROM access_request
     WHERE status IN ('pending', 'endorsed') AND ($1::uuid IS NULL OR chosen_leader_guid = $1::uuid)`,
    [leader],
  );
}
