// What dispatch asks of writes to its FHIR records beyond FHIR itself: a person must be one whose consents the gate can
// find (D7), a patient with open requests stays, and a CarePlan keeps what its requests have put into it (D1, D3).

import type { PlannedWrite, WriteSteps } from '#fhir/rest/options.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, ServiceError } from '#lib/errors.ts';
import { LOST_RESULTS } from './service-requests/change-tasks.ts';
import { accessWithoutScopes } from './shared/access.ts';
import { idOfReference, referenceOf } from './shared/json.ts';
import type { Records } from './shared/records.ts';
import { countOpenOfPatient, listFinalizedOfCarePlan } from './shared/service-request-store.ts';
import type { TextTasks } from './shared/text-tasks.ts';

type PlanWrite = (write: PlannedWrite) => Promise<WriteSteps>;
type CheckWrite = (write: PlannedWrite, principal: Principal) => Promise<WriteSteps>;

export interface WriteRulesOptions {
  readonly records: Records;
  readonly texts: TextTasks;
  /** What else belongs to the write of a CarePlan. */
  readonly planCarePlan: PlanWrite;
}

const OWN_PATIENT = /^Patient\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/;
const GROUP = /^Group\/[A-Za-z0-9\-.]{1,64}$/;

/** For the FHIR routes' `planWrite`. */
export function createWriteRules({ records, texts, planCarePlan }: WriteRulesOptions): CheckWrite {
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
   * To whom a patient does not belong may not write about them (G12): a stranger's consent would open their data. One
   * who is not on record has nothing to consent to, while a plan may be written before.
   * @throws ServiceError `unprocessable`, the same whether the patient is unknown or another organisation's
   */
  async function requireKnownPatient(tx: Transaction, write: PlannedWrite, principal: Principal): Promise<void> {
    const id = write.resource === undefined ? undefined : idOfReference(write.resource['subject'], 'Patient');
    if (id === undefined) return;
    const address = { resourceType: 'Patient', id };
    if ((await records.find(tx, address, accessWithoutScopes(principal))) !== undefined) return;
    const isOnRecord = (await records.find(tx, address, ALL_ACCESS)) !== undefined;
    if (!isOnRecord && write.resourceType === 'CarePlan') return;
    throw refusal(write.resourceType, 'The subject is no patient on record here');
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
        requireOwnPatient(write);
        return { before: (tx) => requireKnownPatient(tx, write, principal) };
      case 'Patient':
        return write.interaction === 'delete' ? { after: requireNothingOpen } : {};
      default:
        return {};
    }
  };
}

/**
 * The gate finds consents by the patient's id: one about an address elsewhere or an identifier would be kept and never
 * obeyed.
 * @throws ServiceError `unprocessable`
 */
function requireOwnPatient({ resourceType, resource }: PlannedWrite): void {
  const subject = resource === undefined ? undefined : (referenceOf(resource['subject']) ?? '');
  if (subject === undefined || OWN_PATIENT.test(subject)) return;
  // A plan for a group is kept, though no request is made from it.
  if (resourceType === 'CarePlan' && GROUP.test(subject)) return;
  throw refusal(resourceType, 'The subject must be a patient of this service, as Patient/<id>');
}

function refusal(resourceType: string, message: string): ServiceError {
  const field = `${resourceType}.subject`;
  return new ServiceError('unprocessable', message, { issues: [{ message, field, code: 'business-rule' }] });
}

/** @throws ServiceError `conflict` */
async function requireNothingOpen(tx: Transaction, patient: { readonly id: string }): Promise<void> {
  // How many there are is not told: they may be other organisations'.
  const open = await countOpenOfPatient(tx, patient.id);
  if (open > 0) throw conflict('The patient has open ServiceRequests; they must be revoked or done first');
}
