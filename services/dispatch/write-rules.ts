// Rules for writes to dispatch's FHIR records beyond those of FHIR. A consent must name a patient whom the gate can
// find (D7). A patient with open requests cannot be deleted. A CarePlan keeps the results of its requests (D1, D3).

import { idOfReference, referenceOf } from '#fhir/json/objects.ts';
import type { PlannedWrite, WriteSteps } from '#fhir/rest/options.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, unprocessable } from '#lib/errors.ts';
import type { OwnConsents } from './own-consents/service.ts';
import { LOST_RESULTS } from './service-requests/change-tasks.ts';
import { accessWithoutScopes } from './shared/access.ts';
import type { Records } from './shared/records.ts';
import { countOpenOfPatient, listFinalizedOfCarePlan } from './shared/service-request-store.ts';
import type { TextTasks } from './shared/text-tasks.ts';

type PlanWrite = (write: PlannedWrite) => Promise<WriteSteps>;
type CheckWrite = (write: PlannedWrite, principal: Principal) => Promise<WriteSteps>;

export interface WriteRulesOptions {
  readonly records: Records;
  readonly texts: TextTasks;
  readonly ownConsents: Pick<OwnConsents, 'ownSteps' | 'othersSteps'>;
  /** The further statements that the write of a CarePlan needs. */
  readonly planCarePlan: PlanWrite;
}

const OWN_PATIENT = /^Patient\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/;
const GROUP = /^Group\/[A-Za-z0-9\-.]{1,64}$/;

/** The `planWrite` option of the FHIR routes. */
export function createWriteRules({ records, texts, ownConsents, planCarePlan }: WriteRulesOptions): CheckWrite {
  async function carePlanSteps(write: PlannedWrite, principal: Principal): Promise<WriteSteps> {
    const { id, resource } = write;
    requireOwnPatient(write);
    const steps = await planCarePlan(write);
    if (id === undefined || resource === undefined) {
      return { ...steps, before: (tx) => requireKnownPatient(tx, write, principal) };
    }
    let stored: StoredVersion | undefined;
    return {
      before: async (tx) => {
        await requireKnownPatient(tx, write, principal);
        stored = await records.lock(tx, { resourceType: 'CarePlan', id });
        await steps.before?.(tx);
      },
      after: async (tx, version) => {
        if (stored !== undefined) await requireKeptResults(tx, id, { before: stored.content, after: version.content });
        await steps.after?.(tx, version);
      },
    };
  }

  /**
   * Requires that the caller's organisation owns the patient (G12), as a foreign consent would open the patient's data.
   * A consent needs a patient on record; a plan may be written before its patient is.
   * @throws ServiceError `unprocessable`, the same for an unknown patient and for another organisation's
   */
  async function requireKnownPatient(tx: Transaction, write: PlannedWrite, principal: Principal): Promise<void> {
    const id = write.resource === undefined ? undefined : idOfReference(write.resource['subject'], 'Patient');
    if (id === undefined) return;
    const address = { resourceType: 'Patient', id };
    if ((await records.find(tx, address, accessWithoutScopes(principal))) !== undefined) return;
    const isOnRecord = (await records.find(tx, address, ALL_ACCESS)) !== undefined;
    if (!isOnRecord && write.resourceType === 'CarePlan') return;
    throw unprocessable('The subject is no patient on record here', `${write.resourceType}.subject`);
  }

  async function consentSteps(write: PlannedWrite, principal: Principal): Promise<WriteSteps> {
    if (principal.patientGuid !== undefined) return ownConsents.ownSteps(principal);
    requireOwnPatient(write);
    return { before: (tx) => requireKnownPatient(tx, write, principal), ...ownConsents.othersSteps(write) };
  }

  /** `carePlans` are JSON texts. @throws ServiceError `conflict` */
  async function requireKeptResults(
    tx: Transaction,
    careplanGuid: string,
    carePlans: { readonly before: string; readonly after: string },
  ): Promise<void> {
    const requests = await listFinalizedOfCarePlan(tx, careplanGuid);
    if (requests.length === 0) return;
    const lost = await texts.run(LOST_RESULTS, { ...carePlans, requests });
    if (lost.length === 0) return;
    const names = lost.map((id) => `ServiceRequest/${id}`).join(', ');
    throw conflict(
      `The CarePlan would lose what it shows of ${names}: read it again and keep its activities for dispatched requests`,
    );
  }

  return async (write, principal) => {
    switch (write.resourceType) {
      case 'CarePlan':
        return carePlanSteps(write, principal);
      case 'Consent':
        return consentSteps(write, principal);
      case 'Patient':
        return write.interaction === 'delete' ? { after: requireNothingOpen } : {};
      default:
        return {};
    }
  };
}

/**
 * Requires a literal reference to a patient of this server. The gate finds consents by the patient's id, so it would
 * never obey a consent about an address elsewhere or an identifier.
 * @throws ServiceError `unprocessable`
 */
function requireOwnPatient({ resourceType, resource }: PlannedWrite): void {
  const subject = resource === undefined ? undefined : (referenceOf(resource['subject']) ?? '');
  if (subject === undefined || OWN_PATIENT.test(subject)) return;
  // A plan for a group is stored, though no request can be created from it.
  if (resourceType === 'CarePlan' && GROUP.test(subject)) return;
  throw unprocessable('The subject must be a patient of this service, as Patient/<id>', `${resourceType}.subject`);
}

/** @throws ServiceError `conflict` */
async function requireNothingOpen(tx: Transaction, patient: { readonly id: string }): Promise<void> {
  // The message does not name their number, as they may belong to other organisations.
  const open = await countOpenOfPatient(tx, patient.id);
  if (open > 0) throw conflict('The patient has open ServiceRequests; they must be revoked or done first');
}
