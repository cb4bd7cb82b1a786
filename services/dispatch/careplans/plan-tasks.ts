// Text tasks on the PlanDefinition of a CarePlan (decision D1): list the definitions that it names, make it
// self-contained, and resolve its contents. Pure.
import { readPlanResponse } from '#clients/plan-client.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { textIn } from '#fhir/json/members.ts';
import { type FhirObject, idOfReference, isObject, objectsOf } from '#fhir/json/objects.ts';
import { actionsOf, resolvePlan } from '#fhir/plans/plan-snapshot.ts';
import { ServiceError } from '#lib/errors.ts';
import { hoist } from '../shared/hoist.ts';
import { defineTextTask } from '../shared/text-tasks.ts';

/** @throws ServiceError as {@link readPlanResponse} */
export const PLAN_ANSWER = defineTextTask('plan-answer', ({ text }: { readonly text: string }) =>
  readPlanResponse(text),
);

/**
 * The addresses of definitions outside of the plan that its actions name.
 * @throws ServiceError `upstream_error`
 */
export const NAMED_DEFINITIONS = defineTextTask('named-definitions', ({ plan }: { readonly plan: string }) => {
  const addresses = actionsOf(parseDefinition(plan)).flatMap((action) => textIn(action['definitionCanonical']) ?? []);
  return [...new Set(addresses)].filter((address) => !address.startsWith('#'));
});

interface PlanInput {
  readonly plan: string;
  /** The ActivityDefinitions that the plan names. */
  readonly activities: readonly { readonly address: string; readonly text: string }[];
}

/** Returns the self-contained plan and its ResolvedPlan. @throws ServiceError `upstream_error`, `unprocessable` */
export const PLAN = defineTextTask('plan', ({ plan: text, activities }: PlanInput) => {
  const plan = takeInActivities(parseDefinition(text), activities);
  return { planDefinition: JSON.stringify(plan), resolved: JSON.stringify(resolvePlan(plan)) };
});

/** The guid of a CarePlan's patient. */
export const PATIENT_OF_PLAN = defineTextTask('patient-of-plan', ({ carePlan }: { readonly carePlan: string }) => {
  const resource: unknown = JSON.parse(carePlan);
  return isObject(resource) ? idOfReference(resource['subject'], 'Patient') : undefined;
});

/** @throws ServiceError `upstream_error` */
function parseDefinition(text: string): FhirObject {
  const parsed = parseExactJson(text);
  if (!isObject(parsed)) throw new ServiceError('upstream_error', 'The plan service answered what is no resource');
  return parsed;
}

function takeInActivities(plan: FhirObject, activities: PlanInput['activities']): FhirObject {
  const taken = new Map<string, string>();
  const contained = [...objectsOf(plan['contained'])];
  const used = new Set(contained.map((resource) => resource['id']));
  let number = 0;
  for (const { address, text } of activities) {
    do number += 1;
    while (used.has(`external-activity-${number}`));
    const id = `external-activity-${number}`;
    const { resource, contained: inner } = hoist(parseDefinition(text), id);
    contained.push(resource);
    for (const item of inner) contained.push(item);
    for (const item of [resource, ...inner]) used.add(item['id']);
    taken.set(address, `#${id}`);
  }
  if (taken.size === 0) return plan;
  return { ...plan, contained, action: redirected(plan['action'], taken) };
}

function redirected(actions: unknown, taken: ReadonlyMap<string, string>): FhirObject[] {
  return objectsOf(actions).map((action) => {
    const address = taken.get(textIn(action['definitionCanonical']) ?? '');
    return {
      ...action,
      ...(address === undefined ? {} : { definitionCanonical: address }),
      ...(action['action'] === undefined ? {} : { action: redirected(action['action'], taken) }),
    };
  });
}
