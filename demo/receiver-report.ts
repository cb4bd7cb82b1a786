// What the provider with its own system reports of a request: the values of the plan and the answers to the forms. Both
// are found by the canonical addresses in the Bundle.
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { FORMS, type FormKey } from './content/forms.ts';
import { PLANS, type PlanKey } from './content/plans.ts';
import { buildQuestionnaire } from './content/questionnaire.ts';
import { observationsOf, questionnaireResponse } from './content/reports.ts';

const ServiceRequest = Type.Object({
  resourceType: Type.Literal('ServiceRequest'),
  priority: Type.Optional(Type.String()),
  subject: Type.Optional(Type.Object({ reference: Type.String(), display: Type.Optional(Type.String()) })),
  instantiatesCanonical: Type.Optional(Type.Array(Type.String())),
  contained: Type.Optional(Type.Array(Type.Object({ resourceType: Type.String(), url: Type.Optional(Type.String()) }))),
});
export type ServiceRequest = Static<typeof ServiceRequest>;

export function serviceRequestIn(resources: readonly unknown[]): ServiceRequest | undefined {
  const found = resources.find((resource) => Value.Check(ServiceRequest, resource));
  return Value.Check(ServiceRequest, found) ? found : undefined;
}

/**
 * A Bundle of results, or undefined for a plan that is none of the demo's.
 * @param now milliseconds since 1970
 * @param isPartial the older half of the values, and no answers
 */
export function resultsOf(request: ServiceRequest, now: number, isPartial: boolean): object | undefined {
  const plan = planOf(request);
  if (plan === undefined) return undefined;
  const { reference = '', display: patientName = '' } = request.subject ?? {};
  // The system does not know the value lists of the region: it sends what was chosen as text.
  const subject = { patientGuid: reference.replace(/^Patient\//, ''), patientName, concepts: new Map(), now };
  const answers = isPartial
    ? []
    : formsOf(request).map((form) => questionnaireResponse(form, buildQuestionnaire(FORMS[form]).url, subject));
  const resources = [...observationsOf(plan, subject, isPartial), ...answers];
  return { resourceType: 'Bundle', type: 'collection', entry: resources.map((resource) => ({ resource })) };
}

function planOf({ instantiatesCanonical = [] }: ServiceRequest): PlanKey | undefined {
  const urls = instantiatesCanonical.map((canonical) => canonical.split('|')[0]);
  return Object.keys(PLANS)
    .filter(isPlan)
    .find((key) => urls.includes(PLANS[key].url));
}

function formsOf({ contained = [] }: ServiceRequest): FormKey[] {
  const urls = contained.filter(({ resourceType }) => resourceType === 'Questionnaire').map(({ url }) => url);
  return Object.keys(FORMS)
    .filter(isForm)
    .filter((key) => urls.includes(buildQuestionnaire(FORMS[key]).url));
}

function isPlan(key: string): key is PlanKey {
  return key in PLANS;
}

function isForm(key: string): key is FormKey {
  return key in FORMS;
}
