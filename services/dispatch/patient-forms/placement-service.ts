// To whom a patient's report at the engine belongs (docs/adr/0072): the engine asks about the plans, requests and
// Patients that it does not hold itself.
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { Database } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import type { Records } from '../shared/records.ts';
import { findServiceRequest } from '../shared/service-request-store.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { PLAN_HEAD } from './plan-form-task.ts';

export interface PlacedRecord {
  readonly patientGuid: string;
  readonly organisationGuid: string;
}

export interface Placement {
  readonly records: readonly PlacedRecord[];
  /** References to what is not there, or another patient's. */
  readonly missing: readonly string[];
}

export interface PlacementService {
  /** Of the plans and requests, else of the Patients themselves. */
  place(patientIds: readonly string[], basedOn: readonly string[]): Promise<Placement>;
}

export interface PlacementOptions {
  readonly database: Database;
  readonly records: Records;
  readonly texts: TextTasks;
}

export function createPlacementService({ database, records, texts }: PlacementOptions): PlacementService {
  async function ownerOf(reference: string): Promise<PlacedRecord | undefined> {
    const [resourceType = '', id = ''] = reference.split('/');
    if (resourceType === 'ServiceRequest') return isGuid(id) ? findServiceRequest(database, id) : undefined;
    const found = await records.find(database, { resourceType, id }, ALL_ACCESS);
    if (found === undefined || found.organisation === null) return undefined;
    const patientGuid =
      resourceType === 'Patient' ? id : (await texts.run(PLAN_HEAD, { carePlan: found.content })).patientGuid;
    return patientGuid === undefined ? undefined : { patientGuid, organisationGuid: found.organisation };
  }

  return {
    async place(patientIds, basedOn) {
      const asked = basedOn.length > 0 ? basedOn : patientIds.map((id) => `Patient/${id}`);
      const owners = new Map<string, PlacedRecord>();
      const missing: string[] = [];
      for (const reference of asked) {
        const owner = await ownerOf(reference);
        if (owner === undefined || !patientIds.includes(owner.patientGuid)) missing.push(reference);
        else owners.set(`${owner.patientGuid} ${owner.organisationGuid}`, owner);
      }
      return { records: [...owners.values()], missing: basedOn.length > 0 ? missing : [] };
    },
  };
}
