// Fetches the PlanDefinition that a CarePlan names, and the ActivityDefinitions that it names by address (decision D1),
// before any transaction.
import type { PlanClient } from '#clients/plan-client.ts';
import { ServiceError } from '#lib/errors.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { NAMED_DEFINITIONS, PLAN } from './plan-tasks.ts';

export interface PlanSnapshot {
  /** The canonical, as in the CarePlan. */
  readonly canonical: string;
  /** JSON text of the self-contained PlanDefinition. */
  readonly planDefinition: string;
  /** JSON text of a ResolvedPlan. */
  readonly resolved: string;
}

/** The size limit of what can be sent to a provider (../shared/bundle-size.ts). */
const MAX_PLAN_BYTES = 10 * 1024 * 1024;
const FIELD = 'CarePlan.instantiatesCanonical[0]';

/**
 * @throws ServiceError `unprocessable` when the plan service has no such PlanDefinition, or it is too large with its
 * definitions; `upstream_unavailable`, `upstream_error`
 */
export async function fetchPlanSnapshot(
  { plans, texts }: { readonly plans: PlanClient; readonly texts: TextTasks },
  canonical: string,
): Promise<PlanSnapshot> {
  const plan = await plans.findByCanonical('PlanDefinition', canonical);
  if (plan === undefined) {
    throw refusal(`The plan service has no PlanDefinition with the address ${canonical}`, 'not-found');
  }
  const activities: { address: string; text: string }[] = [];
  let bytes = Buffer.byteLength(plan);
  for (const address of await texts.run(NAMED_DEFINITIONS, { plan })) {
    // An address of anything but an ActivityDefinition (a form, a nested plan) is left as it is.
    const text = await plans.findByCanonical('ActivityDefinition', address);
    if (text === undefined) continue;
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_PLAN_BYTES) {
      throw refusal(
        `${canonical} and the definitions that it names have more than ${MAX_PLAN_BYTES} bytes`,
        'too-long',
      );
    }
    activities.push({ address, text });
  }
  return { canonical, ...(await texts.run(PLAN, { plan, activities })) };
}

function refusal(message: string, issue: string): ServiceError {
  return new ServiceError('unprocessable', message, { issues: [{ message, field: FIELD, code: issue }] });
}
