// Finalizing (decisions D3, D6, D12): the forms are read from the plan service first, then, in one transaction, everything that the
// request refers to is frozen into it.
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { type Fault, ServiceError } from '#lib/errors.ts';
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import type { FreezingService } from '../forms/freezing-service.ts';
import type { FrozenForm } from '../forms/schema.ts';
import { belongingTo } from '../shared/access.ts';
import type { Actor } from '../shared/actor.ts';
import { requireRoomInBundle } from '../shared/bundle-size.ts';
import { type FhirObject, idOfReference } from '../shared/json.ts';
import type { Records } from '../shared/records.ts';
import { type ServiceRequestRecord, updateServiceRequest } from '../shared/service-request-store.ts';
import type { Workbench } from '../shared/workbench.ts';
import { withPlannedActivity } from './careplan-activity.ts';
import { parseSnapshot } from './draft-service.ts';
import { buildFrozen } from './frozen-resource.ts';
import { requireValidPlan } from './snapshot.ts';

export interface FinalizeServiceOptions {
  readonly database: Database;
  readonly records: Records;
  readonly workbench: Workbench;
  readonly freezing: FreezingService;
  readonly clock: Clock;
}

/** @throws ServiceError `not_found`, `conflict`, `unprocessable`, `upstream_unavailable` */
export type Finalize = (actor: Actor, id: string) => Promise<StoredVersion>;

/** How often the forms are read again because somebody attached one meanwhile. */
const ROUNDS = 5;

export function createFinalize(options: FinalizeServiceOptions): Finalize {
  const { database, workbench, freezing } = options;
  return async (actor, id) => {
    const frozen = new Map<string, FrozenForm>();
    await workbench.lookFor('finalize', actor, id);
    for (let round = 0; round < ROUNDS; round += 1) {
      const attached = await freezing.attached(database, id);
      const unread = attached.map(({ formGuid }) => formGuid).filter((formGuid) => !frozen.has(formGuid));
      for (const form of await freezing.read(unread)) frozen.set(form.formGuid, form);
      const version = await database.transaction((tx) => finalize(tx, { actor, id, frozen }, options));
      if (version !== undefined) return version;
    }
    throw new ServiceError('conflict', 'The forms of the ServiceRequest keep changing; try again');
  };
}

interface FinalizeInput {
  readonly actor: Actor;
  readonly id: string;
  readonly frozen: ReadonlyMap<string, FrozenForm>;
}

/** Undefined when a form was attached that has not been read yet. */
async function finalize(
  tx: Transaction,
  { actor, id, frozen }: FinalizeInput,
  options: FinalizeServiceOptions,
): Promise<StoredVersion | undefined> {
  const { workbench, records, freezing, clock } = options;
  const { record } = await workbench.hold(tx, actor, id, 'finalize');
  const attachments = await freezing.attached(tx, id);
  const forms = attachments.flatMap((attachment) => {
    const form = frozen.get(attachment.formGuid);
    return form === undefined ? [] : [{ attachment, form }];
  });
  if (forms.length !== attachments.length) return undefined;
  const { carePlan, planDefinition } = await requireSources(tx, actor, { record, records });
  const questionnaires = await freezing.keep(tx, forms, record.organisationGuid);
  const now = new Date(clock.now());
  const { version } = await workbench.rewrite(tx, id, (draft) =>
    buildFrozen({
      draft,
      carePlan,
      careplanGuid: record.careplanGuid,
      planDefinition,
      questionnaires,
      authoredOn: now.toISOString(),
    }),
  );
  requireRoomInBundle({
    serviceRequest: version.content,
    renderReady: forms.map(({ form }) => form.renderReady),
  });
  await records.replace(tx, withPlannedActivity(carePlan, id));
  await updateServiceRequest(tx, record, { status: 'active', finalizedAt: now }, now);
  await workbench.record(tx, actor, { record, event: 'finalize', action: 'U' });
  return version;
}

/**
 * The patient, the plan of care and the plan definition, all of which must be there. A plan may be written before its patient is on record: a patient who then
 * belongs to another organisation is none, as nobody's data goes out by a stranger's request. @throws ServiceError `unprocessable`
 */
async function requireSources(
  tx: Transaction,
  { principal }: Actor,
  { record, records }: { readonly record: ServiceRequestRecord; readonly records: Records },
): Promise<{ carePlan: FhirObject; planDefinition: FhirObject }> {
  const address = { resourceType: 'Patient', id: record.patientGuid };
  const patient = await records.find(tx, address, belongingTo(principal));
  const carePlan = await records.lock(tx, { resourceType: 'CarePlan', id: record.careplanGuid });
  const snapshot = parseSnapshot(record.snapshot);
  const planDefinition = snapshot.plan_definition;
  const faults: Fault[] = [];
  const missing = (message: string, field: string) => faults.push({ message, field, issue: 'required' });
  if (patient === undefined) missing('There is no such patient', 'ServiceRequest.subject');
  if (carePlan === undefined) missing('There is no such CarePlan', 'ServiceRequest.basedOn');
  else if (idOfReference(carePlan.resource['subject'], 'Patient') !== record.patientGuid) {
    missing('The CarePlan is about another patient now', 'ServiceRequest.basedOn');
  }
  if (planDefinition === undefined)
    missing('The snapshot has no plan_definition', 'ServiceRequest.instantiatesCanonical');
  if (carePlan === undefined || planDefinition === undefined || faults.length > 0) {
    throw new ServiceError('unprocessable', faults.map(({ message }) => message).join('; '), { faults });
  }
  requireValidPlan(record.snapshot);
  return { carePlan: carePlan.resource, planDefinition };
}
