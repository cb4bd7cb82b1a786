// Begins every operation on a ServiceRequest. It must be visible to the caller, its row is locked, and the state
// machine (decision D3) must allow the event. Also writes the FHIR resource and the audit record of the change.

import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditAction } from '#lib/audit/audit-event.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { accessOf } from './access.ts';
import { auditedBy, type Actor as RequestAuditEntry } from './actor.ts';
import { listMatches, type Match } from './match-store.ts';
import type { Records } from './records.ts';
import { moveServiceRequest, type ServiceRequestEvent, type ServiceRequestMove } from './service-request-lifecycle.ts';
import { findServiceRequest, lockServiceRequest, type ServiceRequestRecord } from './service-request-store.ts';

/** A request whose row is locked, and the transition that the state machine allows. */
export interface LockedRequest {
  readonly record: ServiceRequestRecord;
  readonly matches: readonly Match[];
  readonly move: ServiceRequestMove;
}

export interface RequestContext {
  /** The row and its resource, without a lock. @throws ServiceError `not_found` */
  find(
    db: Queryable,
    actor: RequestAuditEntry,
    id: string,
  ): Promise<{ record: ServiceRequestRecord; version: StoredVersion }>;
  /** As `find`, and checks that the event would be allowed now. @throws ServiceError `not_found`, `conflict` */
  findFor(event: ServiceRequestEvent, actor: RequestAuditEntry, id: string): Promise<ServiceRequestRecord>;
  /** Locks the request and checks the event. @throws ServiceError `not_found`, `conflict` */
  lock(
    transaction: Transaction,
    actor: RequestAuditEntry,
    id: string,
    event: ServiceRequestEvent,
  ): Promise<LockedRequest>;
  /** Changes the FHIR resource of a locked request: `change` takes its JSON text and returns the new one. */
  rewrite(
    transaction: Transaction,
    actor: RequestAuditEntry,
    id: string,
    change: (content: string) => Promise<string>,
  ): Promise<StoredVersion>;
  /** Stores in the audit record what the actor did to the request. */
  record(transaction: Transaction, actor: RequestAuditEntry, act: Act): Promise<void>;
  recordRead(actor: RequestAuditEntry, act: Act): Promise<void>;
}

export interface Act {
  readonly record: Pick<ServiceRequestRecord, 'id' | 'patientGuid'>;
  readonly event: string;
  readonly action: AuditAction;
  readonly detail?: string;
}

export interface RequestContextOptions {
  readonly database: Database;
  readonly records: Records;
  readonly audit: Audit;
}

export function createRequestContext({ database, records, audit }: RequestContextOptions): RequestContext {
  async function requireVisible(db: Queryable, actor: RequestAuditEntry, id: string): Promise<StoredVersion> {
    const address = { resourceType: 'ServiceRequest', id };
    const version = isGuid(id) ? await records.find(db, address, accessOf(actor.principal)) : undefined;
    if (version === undefined) throw notFound('ServiceRequest');
    return version;
  }

  async function findRecorded(db: Queryable, actor: RequestAuditEntry, id: string) {
    const version = await requireVisible(db, actor, id);
    const record = await findServiceRequest(db, id);
    if (record === undefined) throw notFound('ServiceRequest');
    return { record, version };
  }

  return {
    find: findRecorded,
    async findFor(event, actor, id) {
      const { record } = await findRecorded(database, actor, id);
      decide(record, await listMatches(database, id), event);
      return record;
    },
    async lock(transaction, actor, id, event) {
      await requireVisible(transaction, actor, id);
      const record = await lockServiceRequest(transaction, id);
      if (record === undefined) throw notFound('ServiceRequest');
      const matches = await listMatches(transaction, id);
      return { record, matches, move: decide(record, matches, event) };
    },
    async rewrite(transaction, actor, id, change) {
      const address = { resourceType: 'ServiceRequest', id };
      const current = await records.lock(transaction, address);
      if (current === undefined) throw new Error(`ServiceRequest/${id} has a row and no resource`);
      return records.replace(transaction, await change(current.content), address, actor);
    },
    record: (transaction, actor, act) => audit.record(transaction, auditedBy(actor, entryOf(act))),
    recordRead: (actor, act) => audit.recordRead(auditedBy(actor, entryOf(act))),
  };
}

function decide(
  record: ServiceRequestRecord,
  matches: readonly Match[],
  event: ServiceRequestEvent,
): ServiceRequestMove {
  const { status, archivedAt } = record;
  return moveServiceRequest({ status, isArchived: archivedAt !== undefined, matches }, event);
}

function entryOf({ record, event, action, detail }: Act) {
  return {
    action,
    event: `service-request.${event}`,
    patientGuid: record.patientGuid,
    entities: [`ServiceRequest/${record.id}`],
    ...(detail === undefined ? {} : { detail }),
  };
}
