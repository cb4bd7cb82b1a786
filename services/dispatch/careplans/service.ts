// CarePlans made from a PlanDefinition (decision D1). The plan is fetched before the write, stored as a snapshot in the
// write's transaction, and returned as the CarePlan's context.
import type { PlanClient } from '#clients/plan-client.ts';
import { type FhirObject, textsOf } from '#fhir/json/objects.ts';
import type { PlannedWrite, WriteSteps } from '#fhir/rest/options.ts';
import type { Queryable } from '#lib/db/database.ts';
import { notFound, unprocessable } from '#lib/errors.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { PlanFormService } from '../patient-forms/plan-form-service.ts';
import { accessOf } from '../shared/access.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import type { Records } from '../shared/records.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { fetchPlanSnapshot, type PlanSnapshot } from './plan-source.ts';
import { PATIENT_OF_PLAN } from './plan-tasks.ts';
import { deleteSnapshot, findCanonical, findSnapshot, saveSnapshot } from './store.ts';

export interface CarePlanContext {
  /** JSON text of the CarePlan. */
  readonly carePlan: string;
  /** Undefined for a CarePlan that was not made from a PlanDefinition. */
  readonly snapshot: PlanSnapshot | undefined;
}

export interface CarePlanService {
  /**
   * Fetches from the plan service what a write of a CarePlan needs.
   * @throws ServiceError `unprocessable`, `upstream_unavailable`
   */
  planWrite(write: PlannedWrite): Promise<WriteSteps>;
  /** JSON text of the stored PlanDefinition of the CarePlan; undefined for a CarePlan that has none. */
  findPlan(db: Queryable, careplanGuid: string): Promise<string | undefined>;
  /** @throws ServiceError `not_found` */
  readContext(actor: Actor, careplanGuid: string): Promise<CarePlanContext>;
}

export interface CarePlanServiceOptions extends WriteDependencies {
  readonly records: Records;
  readonly texts: TextTasks;
  readonly plans: PlanClient;
  readonly planForms: PlanFormService;
}

export function createCarePlanService(options: CarePlanServiceOptions): CarePlanService {
  const { database, records, texts, audit, clock, planForms } = options;

  async function planWrite({ resourceType, resource, id }: PlannedWrite): Promise<WriteSteps> {
    if (resourceType !== 'CarePlan' || resource === undefined) return {};
    const canonical = canonicalOf(resource);
    const known = id === undefined ? undefined : await findCanonical(database, id);
    // The snapshot stays as it is, unless the CarePlan now names another plan.
    if (known === canonical) return id === undefined ? {} : { after: planForms.follow };
    if (canonical === undefined) {
      return {
        after: async (tx, version) => {
          await deleteSnapshot(tx, version.id);
          await planForms.give(tx, version, []);
        },
      };
    }
    const snapshot = await fetchPlanSnapshot(options, canonical);
    const forms = await planForms.read(snapshot.planDefinition);
    return {
      after: async (tx, version) => {
        await saveSnapshot(tx, version.id, snapshot, new Date(clock.now()));
        await planForms.give(tx, version, forms);
      },
    };
  }

  async function readContext(actor: Actor, careplanGuid: string): Promise<CarePlanContext> {
    const address = { resourceType: 'CarePlan', id: careplanGuid };
    const record = await records.find(database, address, accessOf(actor.principal));
    if (record === undefined) throw notFound('CarePlan');
    const snapshot = await findSnapshot(database, careplanGuid);
    const patientGuid = await texts.run(PATIENT_OF_PLAN, { carePlan: record.content }, actor);
    await audit.recordRead(
      auditedBy(actor, {
        action: 'R',
        event: 'care-plan.context',
        entities: [`CarePlan/${careplanGuid}`],
        ...(patientGuid === undefined ? {} : { patientGuid }),
      }),
    );
    return { carePlan: record.content, snapshot };
  }

  return {
    planWrite,
    readContext,
    findPlan: async (db, careplanGuid) => (await findSnapshot(db, careplanGuid))?.planDefinition,
  };
}

/** The CarePlan's plan. @throws ServiceError `unprocessable` when it names several */
function canonicalOf(carePlan: FhirObject): string | undefined {
  const canonicals = textsOf(carePlan['instantiatesCanonical']);
  if (canonicals.length <= 1) return canonicals[0];
  const message = 'A CarePlan is made from one PlanDefinition; make one CarePlan for each';
  const field = 'CarePlan.instantiatesCanonical';
  throw unprocessable(message, field);
}
