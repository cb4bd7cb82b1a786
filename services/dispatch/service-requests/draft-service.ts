// Drafts (decision D2): made from a CarePlan, their snapshot read and replaced.

import { principalReference } from '#lib/auth/principal.ts';
import { ownerOrganisation } from '#lib/auth/whose-data.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { type Fault, ServiceError } from '#lib/errors.ts';
import { parseExactJson } from '#lib/fhir/exact-json.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import type { VersionMatch } from '#lib/fhir-store/version-match.ts';
import { newGuid } from '#lib/guid.ts';
import type { CarePlanService } from '../careplans/service.ts';
import { accessOf } from '../shared/access.ts';
import type { Actor } from '../shared/actor.ts';
import { pruneContained } from '../shared/contained.ts';
import { type FhirObject, idOfReference, isObject, objectOf, objectsOf, omit } from '../shared/json.ts';
import type { Records } from '../shared/records.ts';
import { insertServiceRequest, updateServiceRequest } from '../shared/service-request-store.ts';
import type { Workbench } from '../shared/workbench.ts';
import { RESERVED_IDS } from './frozen-resource.ts';
import { applySnapshot, requireValidPlan, type Snapshot, snapshotOf } from './snapshot.ts';

export interface SnapshotState {
  /** JSON text. */
  readonly text: string;
  readonly version: number;
}

export interface DraftService {
  /** @throws ServiceError `unprocessable` naming what is wrong with the CarePlan or the resource; `forbidden` */
  create(actor: Actor, input: DraftInput): Promise<StoredVersion>;
  /** @throws ServiceError `not_found` */
  readSnapshot(actor: Actor, id: string): Promise<SnapshotState>;
  /** @throws ServiceError `not_found`, `conflict`, `precondition_failed`, `unprocessable` */
  replaceSnapshot(actor: Actor, id: string, input: SnapshotInput): Promise<SnapshotState>;
}

export interface DraftInput {
  readonly careplanGuid: string;
  /** The client's ServiceRequest; empty when it named the CarePlan alone. */
  readonly resource: FhirObject;
}

export interface SnapshotInput {
  /** Validated against the schema; numbers keep their digits. */
  readonly snapshot: Snapshot;
  readonly ifMatch: VersionMatch | undefined;
}

export interface DraftServiceOptions {
  readonly database: Database;
  readonly records: Records;
  readonly workbench: Workbench;
  readonly clock: Clock;
  readonly carePlans: CarePlanService;
}

export function createDraftService(options: DraftServiceOptions): DraftService {
  const { database, records, workbench, clock, carePlans } = options;

  async function create(actor: Actor, { careplanGuid, resource }: DraftInput): Promise<StoredVersion> {
    return database.transaction(async (tx) => {
      const carePlan = await requireCarePlan(tx, actor, careplanGuid);
      const patientGuid = requirePatient(carePlan.resource, resource);
      const organisation = ownerOrganisation(actor.principal, carePlan.version.organisation ?? undefined);
      const snapshot = snapshotOf(resource, await carePlans.findPlan(tx, careplanGuid));
      const id = newGuid(clock.now());
      const base = draftBase({ ...resource, id }, { careplanGuid, patientGuid, actor });
      const version = await records.create(tx, applySnapshot(base, snapshot), organisation);
      const row = { id, organisationGuid: organisation, patientGuid, careplanGuid };
      const now = new Date(clock.now());
      await insertServiceRequest(tx, { ...row, snapshot: JSON.stringify(snapshot), now });
      await workbench.record(tx, actor, { record: row, event: 'create', action: 'C' });
      return version;
    });
  }

  async function requireCarePlan(tx: Transaction, actor: Actor, id: string) {
    const found = await records.find(tx, { resourceType: 'CarePlan', id }, accessOf(actor.principal));
    if (found === undefined) throw unprocessable(`There is no CarePlan/${id}`, 'ServiceRequest.basedOn', 'not-found');
    return found;
  }

  async function replaceSnapshot(actor: Actor, id: string, { snapshot: given, ifMatch }: SnapshotInput) {
    const snapshot = withPrunedPlan(given);
    const text = JSON.stringify(snapshot);
    requireValidPlan(text);
    return database.transaction(async (tx) => {
      const { record } = await workbench.hold(tx, actor, id, 'edit-snapshot');
      if (ifMatch !== undefined && ifMatch !== 'any' && !ifMatch.includes(record.snapshotVersion)) {
        const message = `If-Match asks for another version of the snapshot: it is ${record.snapshotVersion}`;
        throw new ServiceError('precondition_failed', message);
      }
      const version = record.snapshotVersion + 1;
      const changes = { snapshot: text, snapshotVersion: version };
      await updateServiceRequest(tx, record, changes, new Date(clock.now()));
      await workbench.rewrite(tx, id, (draft) => applySnapshot(draft, snapshot, parseSnapshot(record.snapshot)));
      await workbench.record(tx, actor, { record, event: 'snapshot', action: 'U' });
      return { text, version };
    });
  }

  return {
    create,
    replaceSnapshot,
    async readSnapshot(actor, id) {
      const { record } = await workbench.look(database, actor, id);
      await workbench.recordRead(actor, { record, event: 'snapshot', action: 'R' });
      return { text: record.snapshot, version: record.snapshotVersion };
    },
  };
}

/** Who takes an action out of a plan need not look for the definitions that it leaves behind. */
function withPrunedPlan(snapshot: Snapshot): Snapshot {
  const plan = snapshot.plan_definition;
  return plan === undefined ? snapshot : { ...snapshot, plan_definition: pruneContained(plan) };
}

/** The snapshot as it is kept. */
export function parseSnapshot(text: string): Snapshot {
  const parsed = parseExactJson(text);
  return isObject(parsed) ? parsed : {};
}

function draftBase(
  resource: FhirObject,
  origin: { careplanGuid: string; patientGuid: string; actor: Actor },
): FhirObject {
  const carePlan = `CarePlan/${origin.careplanGuid}`;
  const { professionalGuid } = origin.actor.principal;
  return {
    ...(professionalGuid === undefined ? {} : { requester: principalReference(origin.actor.principal) }),
    ...omit(resource, 'text'),
    resourceType: 'ServiceRequest',
    status: 'draft',
    intent: resource['intent'] ?? 'order',
    // However the client names the patient: who reads the request elsewhere follows this.
    subject: { ...objectOf(resource['subject']), reference: `Patient/${origin.patientGuid}` },
    basedOn: [
      { reference: carePlan },
      ...objectsOf(resource['basedOn']).filter((item) => idOfReference(item, 'CarePlan') !== origin.careplanGuid),
    ],
  };
}

/** The patient of the plan, who must be the subject. @throws ServiceError `unprocessable` */
function requirePatient(carePlan: FhirObject, resource: FhirObject): string {
  const patientGuid = idOfReference(carePlan['subject'], 'Patient');
  if (patientGuid === undefined)
    throw unprocessable('The CarePlan is not about one patient', 'CarePlan.subject', 'business-rule');
  const faults: Fault[] = [];
  const fault = (message: string, field: string) => faults.push({ message, field, issue: 'business-rule' });
  if (resource['subject'] !== undefined && idOfReference(resource['subject'], 'Patient') !== patientGuid) {
    fault('The subject must be the patient of the CarePlan', 'ServiceRequest.subject');
  }
  if (resource['status'] !== undefined && resource['status'] !== 'draft') {
    fault('A ServiceRequest begins as a draft', 'ServiceRequest.status');
  }
  if (objectsOf(resource['contained']).some(({ id }) => typeof id === 'string' && RESERVED_IDS.test(id))) {
    fault('Ids of contained resources that begin with careplan, plan or form are reserved', 'ServiceRequest.contained');
  }
  if (faults.length === 0) return patientGuid;
  throw new ServiceError('unprocessable', faults.map(({ message }) => message).join('; '), { faults });
}

function unprocessable(message: string, field: string, issue: string): ServiceError {
  return new ServiceError('unprocessable', message, { faults: [{ message, field, issue }] });
}
