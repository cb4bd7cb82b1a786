// The forms that a CarePlan's PlanDefinition gives the patient (docs/adr/0072): actions whose definition is a
// Questionnaire and in which the patient takes part. They are frozen when the CarePlan is written.
import type { PlanClient } from '#clients/plan-client.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { FreezingService } from '../forms/freezing-service.ts';
import type { Notifier } from '../notifications/notify-service.ts';
import type { Records } from '../shared/records.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import {
  type FrozenPlanForm,
  hasPlanForms,
  insertPlanForms,
  removePlanForms,
  updatePlanForms,
} from './plan-form-store.ts';
import { FORM_ID, FORMS_OF_PLAN, PLAN_HEAD, type PlanHead } from './plan-form-task.ts';

export interface PlanFormService {
  /**
   * Reads the forms of a plan from the plan service, before any transaction.
   * @param plan JSON text of the self-contained PlanDefinition
   * @throws ServiceError `unprocessable` for a form that cannot be frozen; `upstream_unavailable`
   */
  read(plan: string): Promise<readonly FrozenPlanForm[]>;
  /** Gives the CarePlan these forms in place of those that are not answered. */
  give(tx: Transaction, carePlan: StoredVersion, forms: readonly FrozenPlanForm[]): Promise<void>;
  /** Follows a CarePlan's patient and status. */
  follow(tx: Transaction, carePlan: StoredVersion): Promise<void>;
}

export interface PlanFormOptions {
  readonly plans: PlanClient;
  readonly texts: TextTasks;
  readonly records: Records;
  readonly freezing: FreezingService;
  readonly clock: Clock;
  readonly notifier: Pick<Notifier, 'notify'>;
}

export function createPlanFormService(options: PlanFormOptions): PlanFormService {
  const { plans, texts, records, freezing, clock, notifier } = options;

  async function follow(tx: Transaction, carePlan: StoredVersion): Promise<void> {
    if (!(await hasPlanForms(tx, carePlan.id))) return;
    const head = await texts.run(PLAN_HEAD, { carePlan: carePlan.content });
    if (await updatePlanForms(tx, carePlan.id, head)) await tell(tx, carePlan, head);
  }

  /** The patient has forms to answer that were not there, or not open. */
  async function tell(tx: Transaction, { id, organisation }: StoredVersion, { patientGuid }: PlanHead): Promise<void> {
    if (patientGuid === undefined || organisation === null) return;
    const carePlan = { careplanGuid: id, patientGuid, organisationGuid: organisation };
    await notifier.notify(tx, { kind: 'form_given', carePlan, isToPatient: true });
  }

  return {
    follow,
    async read(plan) {
      const forms: FrozenPlanForm[] = [];
      for (const { canonical, due } of await texts.run(FORMS_OF_PLAN, { plan })) {
        const found = await plans.findByCanonical('Questionnaire', canonical);
        if (found === undefined) continue;
        const formGuid = await texts.run(FORM_ID, { form: found });
        const [form] = formGuid === undefined ? [] : await freezing.read([formGuid]);
        if (form !== undefined) forms.push({ ...form, due });
      }
      return forms;
    },
    async give(tx, carePlan, forms) {
      await removePlanForms(tx, carePlan.id);
      if (forms.length === 0) return follow(tx, carePlan);
      const head = await texts.run(PLAN_HEAD, { carePlan: carePlan.content });
      const { patientGuid, isOpen, end } = head;
      const { organisation, id: careplanGuid } = carePlan;
      if (patientGuid === undefined || organisation === null) return;
      const now = clock.now();
      const placed = forms.map((form) => ({ ...form, patientFormGuid: newGuid(now), due: form.due ?? end }));
      for (const { patientFormGuid, questionnaire } of placed)
        await records.create(tx, questionnaire, { id: patientFormGuid, organisation });
      await insertPlanForms(tx, placed, {
        careplanGuid,
        patientGuid,
        organisationGuid: organisation,
        isOpen,
        now: new Date(now),
      });
      await follow(tx, carePlan);
      if (isOpen) await tell(tx, carePlan, head);
    },
  };
}
