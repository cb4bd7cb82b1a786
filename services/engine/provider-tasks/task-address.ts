// How a caller names a task (decisions D11, E10, L7; docs/adr/0077). It is named by the receipt token, which is the
// capability, or by the guid of its request with credentials of the provider.
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { actsForProvider, onBehalfOf, personOf, type StaffPerson } from '#lib/auth/provider-staff.ts';
import type { Queryable } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { hashReceipt, receiptPrincipal } from './receipt.ts';
import { findByReceipt, findByRequest, type TaskRow } from './task-store.ts';

export interface TaskAddress {
  /** A receipt token, or with a caller the guid of the request. */
  readonly token: string;
  /** A caller who may use tasks of its provider; undefined for the holder of a receipt token. */
  readonly caller?: Principal | undefined;
}

/** Undefined also for a task of another provider. */
export async function findTask(db: Queryable, { token, caller }: TaskAddress): Promise<TaskRow | undefined> {
  if (caller === undefined) return findByReceipt(db, hashReceipt(token));
  const task = isGuid(token) ? await findByRequest(db, token) : undefined;
  return task !== undefined && actsForProvider(caller, task.provider_guid) ? task : undefined;
}

/** @throws ServiceError `not_found` */
export async function requireTask(db: Queryable, address: TaskAddress): Promise<TaskRow> {
  const task = await findTask(db, address);
  if (task === undefined) throw notFound('Task');
  return task;
}

/** The person who calls; undefined for a key and for the holder of a receipt token. */
export function personAt({ caller }: TaskAddress): StaffPerson | undefined {
  return caller && personOf(caller);
}

/** The member `by` of a call to dispatch. */
export function namedBy(address: TaskAddress): { by?: { user_guid: string; name: string | null } } {
  const person = personAt(address);
  return person === undefined ? {} : { by: { user_guid: person.userGuid, name: person.name } };
}

/** The members of an audit entry that say who it was, and about which task. */
export function auditOfTask(
  task: TaskRow,
  { caller }: TaskAddress,
): Pick<AuditEntry, 'principal' | 'entities' | 'patientGuid' | 'organisationGuids' | 'detail'> & {
  entities: string[];
} {
  const about = { entities: [`request:${task.request_guid}`] };
  const patient = task.patient_guid === null ? {} : { patientGuid: task.patient_guid };
  if (caller === undefined) return { principal: receiptPrincipal(task), ...about, ...patient };
  return { principal: caller, ...about, ...patient, ...onBehalfOf(caller, task.provider_guid) };
}
