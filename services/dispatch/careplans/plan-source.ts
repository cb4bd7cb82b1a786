// Fetches the PlanDefinition that a CarePlan names and makes it self-contained (decision D1): ActivityDefinitions that it names by
// address are taken in. All of it happens before any transaction.
import type { PlanClient } from '#clients/plan-client.ts';
import { ServiceError } from '#lib/errors.ts';
import { parseExactJson } from '#lib/fhir/exact-json.ts';
import { hoist } from '../shared/hoist.ts';
import { type FhirObject, isObject, objectsOf, textOf } from '../shared/json.ts';
import { actionsOf, type ResolvedPlan, resolvePlan } from '../shared/plan-snapshot.ts';

export interface PlanSnapshot {
  /** The canonical as the CarePlan named it. */
  readonly canonical: string;
  /** JSON text of the self-contained PlanDefinition. */
  readonly planDefinition: string;
  readonly resolved: ResolvedPlan;
}

/**
 * @throws ServiceError `unprocessable` when the plan service knows no such PlanDefinition; `upstream_unavailable`, `upstream_error`
 */
export async function fetchPlanSnapshot(client: PlanClient, canonical: string): Promise<PlanSnapshot> {
  const text = await client.findByCanonical('PlanDefinition', canonical);
  if (text === undefined) {
    const message = `The plan service has no PlanDefinition with the address ${canonical}`;
    const field = 'CarePlan.instantiatesCanonical[0]';
    throw new ServiceError('unprocessable', message, { faults: [{ message, field, issue: 'not-found' }] });
  }
  const plan = await takeInActivities(client, parseObject(text));
  return { canonical, planDefinition: JSON.stringify(plan), resolved: resolvePlan(plan) };
}

/** @throws ServiceError `upstream_error` */
function parseObject(text: string): FhirObject {
  const parsed = parseExactJson(text);
  if (!isObject(parsed)) throw new ServiceError('upstream_error', 'The plan service answered what is no resource');
  return parsed;
}

async function takeInActivities(client: PlanClient, plan: FhirObject): Promise<FhirObject> {
  const addresses = actionsOf(plan).flatMap((action) => textOf(action['definitionCanonical']) ?? []);
  const outside = [...new Set(addresses)].filter((address) => !address.startsWith('#'));
  const taken = new Map<string, string>();
  const contained = [...objectsOf(plan['contained'])];
  const used = new Set(contained.map((resource) => resource['id']));
  for (const address of outside) {
    // What is no ActivityDefinition (a form, a plan within the plan) stays named by its address.
    const text = await client.findByCanonical('ActivityDefinition', address);
    if (text === undefined) continue;
    const id = freeId('external-activity', used);
    const { resource, contained: inner } = hoist(parseObject(text), id);
    contained.push(resource, ...inner);
    for (const item of [resource, ...inner]) used.add(item['id']);
    taken.set(address, `#${id}`);
  }
  if (taken.size === 0) return plan;
  return { ...plan, contained, action: redirected(plan['action'], taken) };
}

function redirected(actions: unknown, taken: ReadonlyMap<string, string>): FhirObject[] {
  return objectsOf(actions).map((action) => {
    const address = taken.get(textOf(action['definitionCanonical']) ?? '');
    return {
      ...action,
      ...(address === undefined ? {} : { definitionCanonical: address }),
      ...(action['action'] === undefined ? {} : { action: redirected(action['action'], taken) }),
    };
  });
}

function freeId(stem: string, used: ReadonlySet<unknown>): string {
  for (let number = 1; ; number += 1) {
    const id = `${stem}-${number}`;
    if (!used.has(id)) return id;
  }
}
