// Text tasks on the forms that a plan gives the patient (docs/adr/0072). Pure.

import { textIn } from '#fhir/json/members.ts';
import { type FhirObject, idOfReference, objectOf, objectsOf, parseObject, textsOf } from '#fhir/json/objects.ts';
import { actionsOf } from '#fhir/plans/plan-snapshot.ts';
import { defineTextTask } from '../shared/text-tasks.ts';

export interface NamedPlanForm {
  readonly canonical: string;
  /** A date. */
  readonly due: string | undefined;
}

/** The addresses that actions with the patient as a participant name, each once. */
export const FORMS_OF_PLAN = defineTextTask('forms-of-plan', ({ plan }: { readonly plan: string }): NamedPlanForm[] => {
  const found = new Map<string, NamedPlanForm>();
  for (const action of actionsOf(parseObject(plan))) {
    const canonical = textIn(action['definitionCanonical']);
    const isPatients = objectsOf(action['participant']).some(({ type }) => type === 'patient');
    if (canonical === undefined || canonical.startsWith('#') || !isPatients || found.has(canonical)) continue;
    found.set(canonical, { canonical, due: dueOf(action) });
  }
  return [...found.values()];
});

function dueOf(action: FhirObject): string | undefined {
  const timing = objectOf(action['timingTiming']);
  const bounds = objectOf(objectOf(timing?.['repeat'])?.['boundsPeriod']);
  return dateOf(textIn(bounds?.['end']) ?? textsOf(timing?.['event']).at(-1));
}

/** The day of a date or dateTime that names one. */
function dateOf(moment: string | undefined): string | undefined {
  return /^\d{4}-\d\d-\d\d/.exec(moment ?? '')?.[0];
}

/** The id of a Questionnaire. */
export const FORM_ID = defineTextTask('form-id', ({ form }: { readonly form: string }) =>
  textIn(parseObject(form)['id']),
);

export interface PlanHead {
  readonly patientGuid: string | undefined;
  readonly isOpen: boolean;
  /** The last day of the plan. */
  readonly end: string | undefined;
}

/** What a CarePlan says of its forms: whose they are, and whether they are to be answered. */
export const PLAN_HEAD = defineTextTask('plan-head', ({ carePlan }: { readonly carePlan: string }): PlanHead => {
  const plan = parseObject(carePlan);
  return {
    patientGuid: idOfReference(plan['subject'], 'Patient'),
    isOpen: plan['status'] === 'active' || plan['status'] === 'on-hold',
    end: dateOf(textIn(objectOf(plan['period'])?.['end'])),
  };
});
