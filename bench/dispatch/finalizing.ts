// Draft → finalize with three forms of fifty items each (must: 50 ms at the median). The forms are read from the plan
// service, and everything that the request refers to is frozen into it.
import { type Figure, medianOf, progress } from '../report.ts';
import { carePlanOf, forms, guidOf, plan } from './content.ts';
import type { Finalized } from './fill.ts';
import type { DispatchSite } from './site.ts';

const MUST_MS = 50;
const DRAFTS = 100;
const QUICK_DRAFTS = 30;
/** The first ones find plans of queries unmade and code uncompiled. */
const WARM_UP = 10;

/** Publishes the plan and the forms at the engine. */
export async function publish({ engine }: DispatchSite): Promise<void> {
  for (const resource of [plan(), ...forms()]) {
    await engine('PUT', `${resource.resourceType}/${resource.id}`, resource);
  }
}

/** An active request without forms. */
export async function makePlain(site: DispatchSite): Promise<Finalized> {
  const index = WARM_UP + DRAFTS;
  const id = await makeDraft(site, index, []);
  const { body } = await site.dispatch('POST', `ServiceRequest/${id}/finalize`, {});
  return { id, patientGuid: guidOf('patient', index), resource: body };
}

/** The figure, and one of the requests that were finalized. */
export async function measureFinalizing(
  site: DispatchSite,
  isQuick: boolean,
): Promise<{ figures: Figure[]; original: Finalized }> {
  const count = WARM_UP + (isQuick ? QUICK_DRAFTS : DRAFTS);
  const times: number[] = [];
  let original: Finalized | undefined;
  for (let index = 0; index < count; index += 1) {
    progress(`finalizing ${index + 1} of ${count}`);
    const id = await makeDraft(site, index, forms());
    const startedAt = performance.now();
    const { body } = await site.dispatch('POST', `ServiceRequest/${id}/finalize`, {});
    if (index >= WARM_UP) times.push(performance.now() - startedAt);
    original ??= { id, patientGuid: guidOf('patient', index), resource: body };
  }
  if (original === undefined) throw new Error('Nothing was finalized');
  const median = medianOf(times);
  const slow = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
  const name = 'draft → finalize, 3 forms of 50 items';
  const must = `p50 < ${MUST_MS} ms`;
  const figure = { name, value: `p50 ${median.toFixed(1)} ms, p99 ${slow.toFixed(0)} ms`, must };
  return { figures: [{ ...figure, isMet: median < MUST_MS }], original };
}

/** A request that is no more than begun, with these forms; its id. */
export async function makeDraft(
  { dispatch }: DispatchSite,
  index: number,
  attached: readonly { readonly id: string }[],
): Promise<string> {
  const carePlan = carePlanOf(index);
  await dispatch('PUT', `CarePlan/${carePlan.id}`, carePlan);
  const { body } = await dispatch('POST', 'ServiceRequest', { careplan_guid: carePlan.id });
  const id = String(body['id']);
  for (const form of attached) await dispatch('POST', `ServiceRequest/${id}/forms`, { form_guid: form.id });
  return id;
}
