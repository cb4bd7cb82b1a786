// SQL of the service_request table: the requester's state of each ServiceRequest (D2, D3).
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';
import type { ServiceRequestStatus } from './service-request-lifecycle.ts';

export type Selection = 'all' | 'first';

export interface ServiceRequestRecord {
  readonly id: string;
  readonly organisationGuid: string;
  readonly patientGuid: string;
  readonly careplanGuid: string;
  /** Who made or finalized it, a person who works in its organisation; undefined when nobody is known. */
  readonly requesterId: string | undefined;
  readonly status: ServiceRequestStatus;
  readonly archivedAt: Date | undefined;
  readonly selection: Selection;
  /** JSON text of the editable snapshot. */
  readonly snapshot: string;
  readonly snapshotVersion: number;
  readonly finalizedAt: Date | undefined;
  readonly revokeReason: string | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface Row {
  id: string;
  organisation_guid: string;
  patient_guid: string;
  careplan_guid: string;
  requester_id: string | null;
  status: ServiceRequestStatus;
  archived_at: Date | null;
  selection: Selection;
  snapshot: string;
  snapshot_version: number;
  finalized_at: Date | null;
  revoke_reason: string | null;
  created_at: Date;
  updated_at: Date;
}

const INSERT = {
  name: 'service-request-insert',
  text: `INSERT INTO service_request
    (id, organisation_guid, patient_guid, careplan_guid, status, snapshot, created_at, updated_at, requester_id)
    VALUES ($1, $2, $3, $4, 'draft', $5, $6, $6, $7)`,
};
const FIND = { name: 'service-request-find', text: 'SELECT * FROM service_request WHERE id = $1' };
const LOCK = { name: 'service-request-lock', text: 'SELECT * FROM service_request WHERE id = $1 FOR UPDATE' };
const UPDATE = {
  name: 'service-request-update',
  text: `UPDATE service_request SET status = $2, archived_at = $3, selection = $4, snapshot = $5, snapshot_version = $6,
    finalized_at = $7, revoke_reason = $8, updated_at = $9, requester_id = $10 WHERE id = $1`,
};
const COUNT_OPEN = {
  name: 'service-request-count-open',
  text: `SELECT count(*) AS open FROM service_request
    WHERE patient_guid = $1 AND status IN ('draft', 'active', 'on-hold') AND archived_at IS NULL`,
};
const LIST_FINALIZED = {
  name: 'service-request-list-finalized',
  text: 'SELECT id FROM service_request WHERE careplan_guid = $1 AND finalized_at IS NOT NULL ORDER BY id',
};

export interface NewServiceRequest {
  readonly id: string;
  readonly organisationGuid: string;
  readonly patientGuid: string;
  readonly careplanGuid: string;
  readonly snapshot: string;
  readonly requesterId?: string | undefined;
  readonly now: Date;
}

export async function insertServiceRequest(db: Queryable, record: NewServiceRequest): Promise<void> {
  const { id, organisationGuid, patientGuid, careplanGuid, snapshot, now, requesterId } = record;
  await db.query(INSERT, [id, organisationGuid, patientGuid, careplanGuid, snapshot, now, requesterId ?? null]);
}

export async function findServiceRequest(db: Queryable, id: string): Promise<ServiceRequestRecord | undefined> {
  return findRow(db, FIND, [id], (row: Row) => fromRow(row));
}

/** How many requests of the patient are neither completed nor revoked nor archived. */
export async function countOpenOfPatient(db: Queryable, patientGuid: string): Promise<number> {
  const { rows } = await db.query<{ open: number }>(COUNT_OPEN, [patientGuid]);
  return Number(rows[0]?.open ?? 0);
}

/** The requests that the CarePlan lists: the finalized ones. */
export async function listFinalizedOfCarePlan(db: Queryable, careplanGuid: string): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(LIST_FINALIZED, [careplanGuid]);
  return rows.map(({ id }) => id);
}

/**
 * Locks the row until the transaction ends. Every change of a request or of one of its matches takes this lock first.
 */
export async function lockServiceRequest(
  transaction: Queryable,
  id: string,
): Promise<ServiceRequestRecord | undefined> {
  return findRow(transaction, LOCK, [id], (row: Row) => fromRow(row));
}

export type ServiceRequestChanges = Partial<
  Pick<
    ServiceRequestRecord,
    | 'status'
    | 'archivedAt'
    | 'selection'
    | 'snapshot'
    | 'snapshotVersion'
    | 'finalizedAt'
    | 'requesterId'
    | 'revokeReason'
  >
>;

/** Writes the changes to a locked record; returns the new record. */
export async function updateServiceRequest(
  transaction: Queryable,
  locked: ServiceRequestRecord,
  changes: ServiceRequestChanges,
  now: Date,
): Promise<ServiceRequestRecord> {
  const next = { ...locked, ...changes, updatedAt: now };
  await transaction.query(UPDATE, [
    next.id,
    next.status,
    next.archivedAt ?? null,
    next.selection,
    next.snapshot,
    next.snapshotVersion,
    next.finalizedAt ?? null,
    next.revokeReason ?? null,
    now,
    next.requesterId ?? null,
  ]);
  return next;
}
