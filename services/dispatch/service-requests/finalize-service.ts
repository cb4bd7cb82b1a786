// Finalize (decisions D3, D6, D12): first reads the forms from the plan service, then freezes everything that the
// request refers to, in one transaction.

import { parseObject } from '#fhir/json/objects.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import { isProtected } from '#fhir/store/protected-identity.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import type { FreezingService } from '../forms/freezing-service.ts';
import type { FrozenForm } from '../forms/schema.ts';
import type { Notifier } from '../notifications/notify-service.ts';
import { requesterOf } from '../notifications/requester-service.ts';
import { accessWithoutScopes } from '../shared/access.ts';
import type { Actor } from '../shared/actor.ts';
import { requireRoomInBundle } from '../shared/bundle-size.ts';
import type { Records } from '../shared/records.ts';
import type { RequestContext } from '../shared/request-context.ts';
import { type ServiceRequestRecord, updateServiceRequest } from '../shared/service-request-store.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { FROZEN } from './change-tasks.ts';

/** Who asks, for the provider. */
export interface RequesterContact {
  readonly name?: string | undefined;
  readonly email: string;
}

export interface FinalizeServiceOptions extends WorkDependencies {
  readonly records: Records;
  readonly texts: TextTasks;
  readonly requestContext: RequestContext;
  readonly freezing: FreezingService;
  readonly notifier: Pick<Notifier, 'notify'>;
  /** A user as identity has them now; without it requests name no person. @throws ServiceError */
  readonly readContact?: ((userId: string) => Promise<RequesterContact | undefined>) | undefined;
  /** What identity calls an organisation now; without it only those on record here are named. @throws ServiceError */
  readonly readUnitName?: ((organisationGuid: string) => Promise<string | undefined>) | undefined;
}

/** @throws ServiceError `not_found`, `conflict`, `unprocessable`, `upstream_unavailable` */
export type Finalize = (actor: Actor, id: string) => Promise<StoredVersion>;

/** How often forms are read again because another caller attached one meanwhile. */
const ROUNDS = 5;

export function createFinalize(options: FinalizeServiceOptions): Finalize {
  const { database, requestContext, freezing } = options;
  return async (actor, id) => {
    const frozen = new Map<string, FrozenForm>();
    const { organisationGuid } = await requestContext.findFor('finalize', actor, id);
    const [contact, unitName] = await Promise.all([
      contactOf(actor, options),
      known(options, async () => options.readUnitName?.(organisationGuid)),
    ]);
    for (let round = 0; round < ROUNDS; round += 1) {
      const attached = await freezing.attached(database, id);
      const unread = attached.map(({ formGuid }) => formGuid).filter((formGuid) => !frozen.has(formGuid));
      for (const form of await freezing.read(unread, actor)) frozen.set(form.formGuid, form);
      const version = await database.transaction((tx) =>
        finalize(tx, { actor, id, frozen, contact, unitName }, options),
      );
      if (version !== undefined) return version;
    }
    throw new ServiceError('conflict', 'The forms of the ServiceRequest keep changing; try again');
  };
}

async function contactOf({ principal }: Actor, options: FinalizeServiceOptions): Promise<RequesterContact | undefined> {
  return principal.kind === 'identity_user'
    ? known(options, async () => options.readContact?.(principal.id))
    : undefined;
}

/** A requester who cannot be looked up now is not named: the request does not wait for that. */
async function known<Found>(
  { log }: FinalizeServiceOptions,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    log.warn({ event: 'requester.unnamed', err: error });
    return undefined;
  }
}

interface FinalizeInput {
  readonly actor: Actor;
  readonly id: string;
  readonly frozen: ReadonlyMap<string, FrozenForm>;
  readonly contact: RequesterContact | undefined;
  /** Of the ordering organisation, as identity has it. */
  readonly unitName: string | undefined;
}

/** Undefined when a form was attached that has not been read. */
async function finalize(
  tx: Transaction,
  { actor, id, frozen, contact, unitName }: FinalizeInput,
  options: FinalizeServiceOptions,
): Promise<StoredVersion | undefined> {
  const { requestContext, records, texts, freezing, clock } = options;
  const { record } = await requestContext.lock(tx, actor, id, 'finalize');
  const attachments = await freezing.attached(tx, id);
  const forms = attachments.flatMap((attachment) => {
    const form = frozen.get(attachment.formGuid);
    return form === undefined ? [] : [{ attachment, form }];
  });
  if (forms.length !== attachments.length) return undefined;
  const now = new Date(clock.now());
  const address = { resourceType: 'CarePlan', id: record.careplanGuid };
  const { isHidden, ...sources } = await readSources(tx, actor, { record, records });
  // Providers get no form that the patient answers.
  const sent = forms.filter(({ attachment }) => attachment.answeredBy === 'provider');
  const questionnaires = sent.map(({ form }) => form.questionnaire);
  const unit = { resourceType: 'Organization', id: record.organisationGuid };
  const requester = {
    organisationGuid: record.organisationGuid,
    organisation: (await records.find(tx, unit, ALL_ACCESS))?.content,
    unitName: isHidden ? undefined : unitName,
    name: contact?.name,
    email: contact?.email,
  };
  let planned: string | undefined;
  const version = await requestContext.rewrite(tx, actor, id, async (draft) => {
    const frozen = await texts.run(
      FROZEN,
      { ...sources, id, draft, questionnaires, requester, snapshot: record.snapshot, authoredOn: now.toISOString() },
      actor,
    );
    planned = frozen.carePlan;
    return frozen.request;
  });
  requireRoomInBundle({
    serviceRequest: version.content,
    renderReady: sent.map(({ form }) => form.renderReady),
  });
  await freezing.keep(tx, actor, forms, record.organisationGuid);
  if (planned !== undefined) await records.replace(tx, planned, address, actor);
  const requesterId = requesterOf(actor.principal, record.organisationGuid) ?? record.requesterId;
  await updateServiceRequest(tx, record, { status: 'active', finalizedAt: now, requesterId }, now);
  await requestContext.record(tx, actor, { record, event: 'finalize', action: 'U' });
  // The patient has forms to answer from now on.
  if (sent.length < forms.length)
    await options.notifier.notify(tx, { kind: 'form_given', serviceRequestId: id, isToPatient: true });
  return version;
}

/**
 * The patient and the CarePlan, if they exist. A CarePlan may be written before its patient is on record. A patient who
 * then belongs to another organisation counts as absent, as nobody's data leaves by another organisation's request.
 */
async function readSources(
  tx: Transaction,
  { principal }: Actor,
  { record, records }: { readonly record: ServiceRequestRecord; readonly records: Records },
) {
  const { patientGuid, careplanGuid } = record;
  const patient = await records.find(tx, { resourceType: 'Patient', id: patientGuid }, accessWithoutScopes(principal));
  const carePlan = await records.lock(tx, { resourceType: 'CarePlan', id: careplanGuid });
  // Providers do not learn where somebody with a protected identity is treated: its record alone names such a unit.
  const isHidden = patient !== undefined && isProtected(parseObject(patient.content));
  return { patientGuid, careplanGuid, hasPatient: patient !== undefined, carePlan: carePlan?.content, isHidden };
}
