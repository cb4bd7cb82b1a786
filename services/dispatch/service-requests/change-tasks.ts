// Text tasks on a request that is finalized, moved or completed, and on its CarePlan (decisions D3, D6). Pure.

import { compact } from '#fhir/json/members.ts';
import { type FhirObject, idOfReference, isObject, objectsOf, parseObject } from '#fhir/json/objects.ts';
import { type Issue, ServiceError } from '#lib/errors.ts';
import { defineTextTask } from '../shared/text-tasks.ts';
import {
  type ActivityResult,
  requestsWithLostResults,
  withLateResults,
  withPlannedActivity,
  withResult,
} from './careplan-activity.ts';
import { buildFrozen } from './frozen-resource.ts';
import { type RequesterInput, requesterRole } from './requester-role.ts';
import { parseSnapshot, requireValidSnapshot } from './snapshot.ts';

interface FreezeTaskInput {
  readonly id: string;
  readonly draft: string;
  /** Undefined when it was deleted. */
  readonly carePlan: string | undefined;
  readonly careplanGuid: string;
  readonly patientGuid: string;
  readonly hasPatient: boolean;
  readonly snapshot: string;
  /** In their order. */
  readonly questionnaires: readonly string[];
  readonly authoredOn: string;
  readonly requester: RequesterInput;
}

/**
 * Builds the frozen ServiceRequest, and its CarePlan with an activity for it. Patient, CarePlan and plan must exist.
 * @throws ServiceError `unprocessable`
 */
export const FROZEN = defineTextTask('frozen', (given: FreezeTaskInput) => {
  const { id, careplanGuid, authoredOn } = given;
  const carePlan = given.carePlan === undefined ? undefined : parseObject(given.carePlan);
  const planDefinition = parseSnapshot(given.snapshot).plan_definition;
  const issues: Issue[] = [];
  const missing = (message: string, field: string) => issues.push({ message, field, code: 'required' });
  if (!given.hasPatient) missing('There is no such patient', 'ServiceRequest.subject');
  if (carePlan === undefined) missing('There is no such CarePlan', 'ServiceRequest.basedOn');
  else if (idOfReference(carePlan['subject'], 'Patient') !== given.patientGuid) {
    missing('The CarePlan is about another patient now', 'ServiceRequest.basedOn');
  }
  if (planDefinition === undefined)
    missing('The snapshot has no plan_definition', 'ServiceRequest.instantiatesCanonical');
  if (carePlan === undefined || planDefinition === undefined || issues.length > 0) {
    throw new ServiceError('unprocessable', issues.map(({ message }) => message).join('; '), { issues });
  }
  requireValidSnapshot(given.snapshot);
  const questionnaires = given.questionnaires.map(parseObject);
  const draft = parseObject(given.draft);
  const frozen = buildFrozen({
    draft,
    carePlan,
    careplanGuid,
    planDefinition,
    questionnaires,
    authoredOn,
    requester: requesterRole(given.requester),
  });
  return { request: JSON.stringify(frozen), carePlan: JSON.stringify(withPlannedActivity(carePlan, id)) };
});

interface StatusInput {
  readonly request: string;
  readonly status: string;
  /** An Annotation. */
  readonly note?: FhirObject | undefined;
}

/** Sets the request's status. */
export const MOVED = defineTextTask('moved', ({ request, status, note }: StatusInput) => {
  const resource = parseObject(request);
  const notes = note === undefined ? {} : { note: [...objectsOf(resource['note']), note] };
  return JSON.stringify({ ...resource, status, ...notes });
});

/** Marks an archived request in FHIR, which has no status for it. */
const ARCHIVED_TAG = { system: 'https://kedja.dev/codes/tag', code: 'archived' };

export const ARCHIVED = defineTextTask('archived', ({ request }: { readonly request: string }) => {
  const resource = parseObject(request);
  const meta = isObject(resource['meta']) ? resource['meta'] : {};
  return JSON.stringify({ ...resource, meta: compact({ ...meta, tag: [...objectsOf(meta['tag']), ARCHIVED_TAG] }) });
});

interface ResultInput {
  readonly carePlan: string;
  readonly requestId: string;
  readonly result: ActivityResult;
}

/** Writes the result of the request into its CarePlan. */
export const RESULT = defineTextTask('result', ({ carePlan, requestId, result }: ResultInput) =>
  JSON.stringify(withResult(parseObject(carePlan), requestId, result)),
);

interface LateResultsInput {
  readonly carePlan: string;
  readonly requestId: string;
  readonly references: readonly string[];
}

/** {@link withLateResults} as a task. */
export const LATE_RESULTS = defineTextTask('late-results', ({ carePlan, requestId, references }: LateResultsInput) => {
  const changed = withLateResults(parseObject(carePlan), requestId, references);
  return changed && JSON.stringify(changed);
});

interface LostResultsInput {
  /** CarePlans. */
  readonly before: string;
  readonly after: string;
  readonly requests: readonly string[];
}

/** {@link requestsWithLostResults} as a task. */
export const LOST_RESULTS = defineTextTask('lost-results', ({ before, after, requests }: LostResultsInput) =>
  requestsWithLostResults(parseObject(before), parseObject(after), requests),
);
