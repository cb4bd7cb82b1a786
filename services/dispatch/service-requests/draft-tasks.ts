// Text tasks that build drafts and their snapshots (decision D2). Pure.

import { type FhirObject, idOfReference, objectOf, objectsOf, omit, parseObject } from '#fhir/json/objects.ts';
import { type Issue, ServiceError, shownIssues, unprocessable } from '#lib/errors.ts';
import { pruneContained } from '../shared/contained.ts';
import { defineTextTask } from '../shared/text-tasks.ts';
import { RESERVED_IDS } from './frozen-resource.ts';
import {
  applySnapshot,
  parseSnapshot,
  requireValidSnapshot,
  type Snapshot,
  snapshotIssues,
  snapshotOf,
} from './snapshot.ts';

interface DraftTaskInput {
  readonly id: string;
  /** The client's ServiceRequest; undefined when the client named only the CarePlan. */
  readonly body: string | undefined;
  readonly careplanGuid: string;
  readonly carePlan: string;
  /** The PlanDefinition of the CarePlan. */
  readonly plan: string | undefined;
  /** A Reference. */
  readonly requester: FhirObject | undefined;
}

/** @throws ServiceError `unprocessable` with the issues of the CarePlan or the resource */
export const DRAFT = defineTextTask('draft', (given: DraftTaskInput) => {
  const resource = given.body === undefined ? {} : parseObject(given.body);
  const patientGuid = requirePatient(parseObject(given.carePlan), resource);
  const snapshot = snapshotOf(resource, given.plan === undefined ? undefined : parseObject(given.plan));
  const base = draftBase({ ...resource, id: given.id }, { ...given, patientGuid });
  const text = JSON.stringify(applySnapshot(base, snapshot));
  return { patientGuid, resource: text, snapshot: JSON.stringify(snapshot) };
});

/** Converts a client's snapshot, valid by the schema, to its stored form. @throws ServiceError `unprocessable` */
export const SNAPSHOT = defineTextTask('snapshot', ({ body }: { readonly body: string }) => {
  const text = JSON.stringify(withPrunedPlan(parseSnapshot(body)));
  requireValidSnapshot(text);
  return text;
});

/** The issues of a client's snapshot, which need not be valid by the schema. */
export const SNAPSHOT_ISSUES = defineTextTask('snapshot-issues', ({ body }: { readonly body: string }) =>
  shownIssues(snapshotIssues(JSON.stringify(withPrunedPlan(parseSnapshot(body))))),
);

interface ApplySnapshotInput {
  readonly draft: string;
  readonly snapshot: string;
  /** The snapshot that it replaces. */
  readonly previous: string;
}

/** Writes the snapshot's contents into the draft. */
export const SNAPSHOT_APPLIED = defineTextTask(
  'snapshot-applied',
  ({ draft, snapshot, previous }: ApplySnapshotInput) =>
    JSON.stringify(applySnapshot(parseObject(draft), parseSnapshot(snapshot), parseSnapshot(previous))),
);

/** Removes definitions that no action refers to any more, so that a client may just delete an action. */
function withPrunedPlan(snapshot: Snapshot): Snapshot {
  const plan = objectOf(snapshot.plan_definition);
  return plan === undefined ? snapshot : { ...snapshot, plan_definition: pruneContained(plan) };
}

function draftBase(
  resource: FhirObject,
  origin: Pick<DraftTaskInput, 'careplanGuid' | 'requester'> & { readonly patientGuid: string },
): FhirObject {
  const { careplanGuid, requester } = origin;
  const carePlan = `CarePlan/${careplanGuid}`;
  return {
    ...(requester === undefined ? {} : { requester }),
    ...omit(resource, 'text'),
    resourceType: 'ServiceRequest',
    status: 'draft',
    intent: resource['intent'] ?? 'order',
    // The literal reference, however the client names the patient, as readers elsewhere follow it.
    subject: { ...objectOf(resource['subject']), reference: `Patient/${origin.patientGuid}` },
    basedOn: [
      { reference: carePlan },
      ...objectsOf(resource['basedOn']).filter((item) => idOfReference(item, 'CarePlan') !== careplanGuid),
    ],
  };
}

/** The patient of the plan, who must be the draft's subject. @throws ServiceError `unprocessable` */
function requirePatient(carePlan: FhirObject, resource: FhirObject): string {
  const patientGuid = idOfReference(carePlan['subject'], 'Patient');
  if (patientGuid === undefined) throw unprocessable('The CarePlan is not about one patient', 'CarePlan.subject');
  const issues: Issue[] = [];
  const issue = (message: string, field: string) => issues.push({ message, field, code: 'business-rule' });
  if (resource['subject'] !== undefined && idOfReference(resource['subject'], 'Patient') !== patientGuid) {
    issue('The subject must be the patient of the CarePlan', 'ServiceRequest.subject');
  }
  if (resource['status'] !== undefined && resource['status'] !== 'draft') {
    issue('A ServiceRequest begins as a draft', 'ServiceRequest.status');
  }
  if (objectsOf(resource['contained']).some(({ id }) => typeof id === 'string' && RESERVED_IDS.test(id))) {
    issue('Ids of contained resources that begin with careplan, plan or form are reserved', 'ServiceRequest.contained');
  }
  if (issues.length === 0) return patientGuid;
  throw new ServiceError('unprocessable', issues.map(({ message }) => message).join('; '), { issues });
}
