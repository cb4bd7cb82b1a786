// SQL statements for provider tasks. A caller that changes a task holds the lock of its row.
import type { StaffPerson } from '#lib/auth/provider-staff.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, instant, selectPage } from '../shared/sql.ts';
import type { TaskState } from './lifecycle.ts';
import type { TaskRequester } from './schema.ts';

export interface TaskRow {
  readonly request_guid: string;
  readonly provider_guid: string;
  readonly status: TaskState;
  readonly receipt_sealed: Buffer | null;
  readonly title: string | null;
  readonly patient_guid: string | null;
  readonly patient_name: string | null;
  readonly organisation_guid: string | null;
  readonly due: string | null;
  readonly pending_decision: 'accepted' | 'rejected' | null;
  readonly reason: string | null;
  readonly accepted_by_guid: string | null;
  readonly accepted_by_name: string | null;
  readonly responsible_guid: string | null;
  readonly responsible_name: string | null;
  readonly reported_by_guid: string | null;
  readonly reported_by_name: string | null;
  readonly requester: TaskRequester | null;
  readonly received_at: string;
  readonly updated_at: string;
}

const COLUMNS = `request_guid, provider_guid, status, receipt_sealed, title, patient_guid, patient_name, organisation_guid,
  ${instant('due')}, pending_decision, reason, accepted_by_guid, accepted_by_name, responsible_guid, responsible_name,
  reported_by_guid, reported_by_name, requester, ${instant('received_at')}, ${instant('updated_at')}`;

interface TaskFilter {
  readonly providerGuids?: readonly string[] | undefined;
  readonly responsibleGuid?: string | undefined;
  /** All when left out. */
  readonly states?: readonly TaskState[] | undefined;
}

function conditionsOf({ providerGuids, responsibleGuid, states }: TaskFilter): Conditions {
  return new Conditions()
    .add(
      providerGuids,
      (guids) => `provider_guid IN (SELECT p.provider_guid FROM provider p
        WHERE p.provider_guid = ANY(${guids}::uuid[]) AND p.status = 'active')`,
    )
    .add(responsibleGuid, (guid) => `responsible_guid = ${guid}`)
    .add(states, (list) => `status = ANY(${list}::text[])`);
}

const ORDERS = {
  received: 'provider_task.received_at DESC, request_guid',
  due: 'provider_task.due NULLS LAST, provider_task.received_at, request_guid',
} as const;

export function listTasks(
  db: Database,
  filter: TaskFilter,
  page: PageRequest & { readonly order?: keyof typeof ORDERS | undefined },
): Promise<Page<TaskRow>> {
  const orderBy = ORDERS[page.order ?? 'received'];
  return selectPage<TaskRow>(db, { columns: COLUMNS, from: 'provider_task', orderBy }, conditionsOf(filter), page);
}

export async function findByReceipt(db: Queryable, hash: Buffer): Promise<TaskRow | undefined> {
  const { rows } = await db.query<TaskRow>(`SELECT ${COLUMNS} FROM provider_task WHERE receipt_hash = $1`, [hash]);
  return rows[0];
}

/** The task of an active provider; undefined where the provider is not. */
export async function findByRequest(db: Queryable, requestGuid: string): Promise<TaskRow | undefined> {
  const { rows } = await db.query<TaskRow>(
    `SELECT ${COLUMNS} FROM provider_task WHERE request_guid = $1
       AND EXISTS (SELECT FROM provider p WHERE p.provider_guid = provider_task.provider_guid AND p.status = 'active')`,
    [requestGuid],
  );
  return rows[0];
}

export async function lockTask(tx: Transaction, requestGuid: string): Promise<TaskRow | undefined> {
  const { rows } = await tx.query<TaskRow>(`SELECT ${COLUMNS} FROM provider_task WHERE request_guid = $1 FOR UPDATE`, [
    requestGuid,
  ]);
  return rows[0];
}

/** Returns the pushed Bundle as JSON text; null when a withdrawal arrived without one. */
export async function readBundleText(db: Queryable, requestGuid: string): Promise<string | null> {
  const { rows } = await db.query<{ bundle: string | null }>(
    'SELECT bundle FROM provider_task WHERE request_guid = $1',
    [requestGuid],
  );
  return rows[0]?.bundle ?? null;
}

export interface NewTask {
  readonly requestGuid: string;
  readonly providerGuid: string;
  readonly receiptHash: Buffer;
  readonly receiptSealed: Buffer;
  readonly title: string | undefined;
  readonly patientGuid: string | undefined;
  readonly patientName: string | undefined;
  readonly organisationGuid: string | undefined;
  readonly due: Date | undefined;
  readonly requester: TaskRequester;
  readonly bundle: string;
}

/**
 * Inserts a task; false when there is a row. A withdrawal that arrived first stays, and so does a task that was
 * received before.
 */
export async function insertTask(tx: Transaction, task: NewTask, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `INSERT INTO provider_task (request_guid, provider_guid, status, receipt_hash, receipt_sealed, title, patient_guid,
       patient_name, organisation_guid, due, requester, bundle, received_at, updated_at)
     VALUES ($1, $2, 'received', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12) ON CONFLICT (request_guid) DO NOTHING`,
    [
      task.requestGuid,
      task.providerGuid,
      task.receiptHash,
      task.receiptSealed,
      task.title ?? null,
      task.patientGuid ?? null,
      task.patientName ?? null,
      task.organisationGuid ?? null,
      task.due ?? null,
      JSON.stringify(task.requester),
      task.bundle,
      at,
    ],
  );
  return rowCount === 1;
}

/** Inserts a row to withdraw when there is none, because a withdrawal may arrive before its push. */
export async function insertWithdrawn(
  tx: Transaction,
  ids: { readonly requestGuid: string; readonly providerGuid: string },
  reason: string | null,
  at: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO provider_task (request_guid, provider_guid, status, reason, received_at, updated_at)
     VALUES ($1, $2, 'withdrawn', $3, $4, $4) ON CONFLICT (request_guid) DO NOTHING`,
    [ids.requestGuid, ids.providerGuid, reason, at],
  );
}

export interface TaskChange {
  readonly status: TaskState;
  readonly pendingDecision: 'accepted' | 'rejected' | null;
  readonly reason: string | null;
}

export async function updateTask(tx: Transaction, requestGuid: string, change: TaskChange, at: Date): Promise<void> {
  await tx.query(
    'UPDATE provider_task SET status = $2, pending_decision = $3, reason = $4, updated_at = $5 WHERE request_guid = $1',
    [requestGuid, change.status, change.pendingDecision, change.reason, at],
  );
}

/** Stores persons of the task; those that are left out stay. */
export async function setPersons(
  tx: Transaction,
  requestGuid: string,
  persons: {
    readonly acceptedBy?: StaffPerson | undefined;
    readonly responsible?: StaffPerson | undefined;
    /** Null: reported by a key or a receipt token. */
    readonly reportedBy?: StaffPerson | null;
  },
): Promise<void> {
  const { acceptedBy, responsible, reportedBy } = persons;
  const pairs = [acceptedBy, responsible, reportedBy].flatMap((person) => [
    person?.userGuid ?? null,
    person?.name ?? null,
  ]);
  await tx.query(
    `UPDATE provider_task SET
       accepted_by_guid = CASE WHEN $2::uuid IS NULL THEN accepted_by_guid ELSE $2 END,
       accepted_by_name = CASE WHEN $2::uuid IS NULL THEN accepted_by_name ELSE $3 END,
       responsible_guid = CASE WHEN $4::uuid IS NULL THEN responsible_guid ELSE $4 END,
       responsible_name = CASE WHEN $4::uuid IS NULL THEN responsible_name ELSE $5 END,
       reported_by_guid = CASE WHEN $8 THEN $6 ELSE reported_by_guid END,
       reported_by_name = CASE WHEN $8 THEN $7 ELSE reported_by_name END
     WHERE request_guid = $1`,
    [requestGuid, ...pairs, reportedBy !== undefined],
  );
}

export async function countTasks(db: Queryable, filter: TaskFilter = {}): Promise<Record<string, number>> {
  const { where, values } = conditionsOf(filter);
  const { rows } = await db.query<{ status: string; count: number }>(
    `SELECT status, count(*) AS count FROM provider_task ${where} GROUP BY status`,
    values,
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
