// Text tasks on a patient's answers (decision L2, docs/adr/0072). A task completes a QuestionnaireResponse, checks it
// against its form, and shows it in the CarePlan as the patient's own. Pure; always in a thread, as forms have
// expressions.
import { checkResponse } from '#fhir/forms/check-response.ts';
import { formIssuesBeside } from '#fhir/forms/form-issues-beside.ts';
import { compact, textIn } from '#fhir/json/members.ts';
import { type FhirObject, objectOf, objectsOf, omit, parseObject, referenceOf } from '#fhir/json/objects.ts';
import { parseWritten } from '#fhir/resources/resource-text.ts';
import { referenceTargets } from '#fhir/rest/interactions/write/target-addresses.ts';
import { PATIENT_REPORTED } from '#fhir/store/patient-reported.ts';
import { isError } from '#fhir/validation/issue-list.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import type { Issue } from '#lib/errors.ts';
import { defineTextTask } from '../shared/text-tasks.ts';

/** What the service knows of the response. */
export interface AnswerContext {
  readonly formGuid: string;
  readonly patientGuid: string;
  /** A FHIR Reference to who answers: the patient, or a proxy. */
  readonly author: FhirObject;
  /** Literal references. */
  readonly basedOn: readonly string[];
  readonly status: 'in-progress' | 'completed' | 'amended' | 'entered-in-error';
  /** An instant. */
  readonly now: string;
  readonly baseUrl: string;
}

interface AnswerInput {
  /** JSON texts. */
  readonly questionnaire: string;
  readonly body: string;
  readonly context: AnswerContext;
}

export type Answered = { readonly text: string } | { readonly issues: readonly Issue[] };

const ALWAYS_IN_THREAD = 0;
/** What the service writes, and what an answer needs not. */
const OURS = ['resourceType', 'id', 'meta', 'implicitRules', 'text', 'contained', 'identifier', 'partOf', 'encounter'];

/** The completed response, or every issue. A draft has to be valid FHIR, and needs not fit the form yet. */
export const PATIENT_ANSWER = defineTextTask(
  'patient-answer',
  ({ questionnaire, body, context }: AnswerInput): Answered => {
    const form = parseObject(questionnaire);
    const text = JSON.stringify(completed(parseObject(body), form, context));
    const response = parseWritten(text);
    const invalid = validateResource(response, { resourceType: 'QuestionnaireResponse' }).filter(isError);
    const fitsForm = context.status !== 'in-progress' && context.status !== 'entered-in-error';
    const found = fitsForm ? answerIssues(invalid, form, parseObject(text)) : invalid;
    const issues = [...found, ...othersNamed(response, context)];
    return issues.length > 0 ? { issues } : { text };
  },
  ALWAYS_IN_THREAD,
);

function answerIssues(invalid: readonly Issue[], form: FhirObject, response: FhirObject): readonly Issue[] {
  if (invalid.length > 0) return formIssuesBeside(invalid, form, response);
  return checkResponse(form, response).filter(isError);
}

function completed(given: FhirObject, form: FhirObject, context: AnswerContext): FhirObject {
  const patient = { reference: `Patient/${context.patientGuid}` };
  const [url, version] = [textIn(form['url']), textIn(form['version'])];
  const items = objectsOf(given['item']);
  const own = `${context.baseUrl}/Questionnaire/${context.formGuid}`;
  return {
    resourceType: 'QuestionnaireResponse',
    meta: { tag: [PATIENT_REPORTED] },
    ...omit(given, ...OURS),
    ...(items.length === 0 ? { item: undefined } : {}),
    basedOn: context.basedOn.map((reference) => ({ reference })),
    questionnaire: url === undefined ? own : [url, ...(version === undefined ? [] : [version])].join('|'),
    status: context.status,
    subject: patient,
    authored: textIn(given['authored']) ?? context.now,
    author: context.author,
    source: patient,
  };
}

/** Nobody else is named as the patient of an answer (docs/adr/0049). */
function othersNamed(response: object, { patientGuid, baseUrl }: AnswerContext): Issue[] {
  return referenceTargets(response, baseUrl)
    .filter(({ resourceType, id }) => resourceType === 'Patient' && id !== patientGuid)
    .flatMap(({ fields }) =>
      fields.map((field) => ({ message: `${field} must not name another patient`, field, code: 'business-rule' })),
    );
}

interface PlanInput {
  readonly carePlan: string;
  readonly answer: {
    /** Undefined for a form that the plan gives. */
    readonly serviceRequestId: string | undefined;
    readonly responseId: string;
    /** A FHIR Reference to who answers. */
    readonly author: FhirObject;
    readonly title: string;
    readonly now: string;
  };
}

/** Shows the answer in the CarePlan. */
export const ANSWER_IN_PLAN = defineTextTask('answer-in-plan', ({ carePlan, answer }: PlanInput) =>
  changed(carePlan, answer, 'Patient-reported', (performed) => [
    ...performed,
    {
      concept: { coding: [PATIENT_REPORTED], text: answer.title },
      reference: { reference: `QuestionnaireResponse/${answer.responseId}` },
    },
  ]),
);

/** Takes a withdrawn answer out of the CarePlan; its progress says so. */
export const ANSWER_WITHDRAWN = defineTextTask('answer-withdrawn', ({ carePlan, answer }: PlanInput) =>
  changed(carePlan, answer, 'Withdrawn by the patient', (performed) =>
    performed.filter(({ reference }) => referenceOf(reference) !== `QuestionnaireResponse/${answer.responseId}`),
  ),
);

function changed(
  carePlan: string,
  { serviceRequestId, author, title, now }: PlanInput['answer'],
  what: string,
  change: (performed: readonly FhirObject[]) => readonly FhirObject[],
): string {
  const plan = parseObject(carePlan);
  const activities = objectsOf(plan['activity']);
  const wanted = serviceRequestId === undefined ? undefined : `ServiceRequest/${serviceRequestId}`;
  const place = activities.findIndex((activity) =>
    wanted === undefined ? isOfPlan(activity) : referenceOf(activity['plannedActivityReference']) === wanted,
  );
  const planned: FhirObject = wanted === undefined ? {} : { plannedActivityReference: { reference: wanted } };
  const activity: FhirObject = activities[place] ?? planned;
  const performed = change(objectsOf(activity['performedActivity']));
  const note = { authorReference: author, time: now, text: `${what}: ${title}` };
  const next = compact({
    ...activity,
    performedActivity: performed.length === 0 ? undefined : performed,
    progress: [...objectsOf(activity['progress']), note],
  });
  const all = place === -1 ? [...activities, next] : activities.with(place, next);
  return JSON.stringify({ ...plan, activity: all });
}

/** The activity of the forms that the plan itself gives. */
function isOfPlan(activity: FhirObject): boolean {
  const isPatients = ({ authorReference: by }: FhirObject) =>
    referenceOf(by)?.startsWith('Patient/') === true || objectOf(by)?.['type'] === 'RelatedPerson';
  return activity['plannedActivityReference'] === undefined && objectsOf(activity['progress']).some(isPatients);
}
