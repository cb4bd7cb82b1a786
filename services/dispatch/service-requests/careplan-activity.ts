// The activity of a CarePlan for each of its requests (R5 CarePlan.activity): planned once the request is finalized,
// with the result once it is completed. Pure.
import { type FhirObject, objectsOf, referenceOf } from '#fhir/json/objects.ts';

export interface ActivityResult {
  /** As `2026-01-01T10:00:00Z`. */
  readonly time: string;
  /** One sentence for each provider that completed its work. */
  readonly notes: readonly string[];
  /** FHIR references to the resources that providers reported. */
  readonly references: readonly string[];
}

/** Adds an activity for the request, unless there is one. */
export function withPlannedActivity(carePlan: FhirObject, serviceRequestId: string): FhirObject {
  return changeActivity(carePlan, serviceRequestId, (activity) => activity);
}

/** Adds results that came after the end to the request's activity; undefined when it has them all. */
export function withLateResults(
  carePlan: FhirObject,
  serviceRequestId: string,
  references: readonly string[],
): FhirObject | undefined {
  const reference = `ServiceRequest/${serviceRequestId}`;
  const own = objectsOf(carePlan['activity']).find(
    (each) => referenceOf(each['plannedActivityReference']) === reference,
  );
  const known = new Set(objectsOf(own?.['performedActivity']).map((each) => referenceOf(each['reference'])));
  const late = [...new Set(references)].filter((each) => !known.has(each));
  if (late.length === 0) return undefined;
  return changeActivity(carePlan, serviceRequestId, (activity) => ({
    ...activity,
    performedActivity: [
      ...objectsOf(activity['performedActivity']),
      ...late.map((each) => ({ reference: { reference: each } })),
    ],
  }));
}

/** Writes the result into the request's activity. */
export function withResult(carePlan: FhirObject, serviceRequestId: string, result: ActivityResult): FhirObject {
  return changeActivity(carePlan, serviceRequestId, (activity) => {
    const performed = objectsOf(activity['performedActivity']);
    const known = new Set(performed.map(({ reference }) => referenceOf(reference)));
    const added = [...new Set(result.references)]
      .filter((reference) => !known.has(reference))
      .map((reference) => ({ reference: { reference } }));
    const progress = result.notes.map((text) => ({ time: result.time, text }));
    return {
      ...activity,
      ...(performed.length + added.length === 0 ? {} : { performedActivity: [...performed, ...added] }),
      progress: [...objectsOf(activity['progress']), ...progress],
    };
  });
}

function changeActivity(
  carePlan: FhirObject,
  serviceRequestId: string,
  change: (activity: FhirObject) => FhirObject,
): FhirObject {
  const reference = `ServiceRequest/${serviceRequestId}`;
  const activities = objectsOf(carePlan['activity']);
  const isOurs = (activity: FhirObject) => referenceOf(activity['plannedActivityReference']) === reference;
  const own = activities.some(isOurs) ? activities : [...activities, { plannedActivityReference: { reference } }];
  return { ...carePlan, activity: own.map((activity) => (isOurs(activity) ? change(activity) : activity)) };
}

/** The requests of which `after` shows less than `before`: no activity, or not all results and notes. */
export function requestsWithLostResults(before: FhirObject, after: FhirObject, requests: readonly string[]): string[] {
  const [shownBefore, shownAfter] = [shownIn(before), shownIn(after)];
  return requests.filter((id) => {
    const reference = `ServiceRequest/${id}`;
    const kept = new Set(shownAfter.get(reference));
    return shownBefore.get(reference)?.some((item) => !kept.has(item)) === true;
  });
}

/** The contents of the activities as texts, by request. As texts, the order of members does not matter. */
function shownIn(carePlan: FhirObject): Map<string, string[]> {
  const shown = new Map<string, string[]>();
  for (const activity of objectsOf(carePlan['activity'])) {
    const reference = referenceOf(activity['plannedActivityReference']);
    if (reference === undefined) continue;
    const items = shown.get(reference) ?? [];
    shown.set(reference, items);
    items.push('planned');
    for (const item of objectsOf(activity['performedActivity']))
      items.push(`performed ${referenceOf(item['reference']) ?? ''}`);
    for (const { time, text } of objectsOf(activity['progress'])) items.push(`told ${String(time)} ${String(text)}`);
  }
  return shown;
}
