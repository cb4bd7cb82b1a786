// Checks whether a report of a performer may be stored (decisions E10, L9; docs/adr/0078). Every resource must be valid
// R5, be about the request's patient, and answer one of the request's forms as it asks (docs/adr/0088). References to
// the patient, the request and the provider are added when left out. Pure. Call it in a thread: forms have expressions.

import { checkResponse } from '#fhir/forms/check-response.ts';
import { formIssuesBeside } from '#fhir/forms/form-issues-beside.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { parseWritten } from '#fhir/resources/resource-text.ts';
import { compartmentPatients } from '#fhir/search/extract/extract.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { withProviderTags } from '#fhir/store/patient-reported.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import type { Issue } from '#lib/errors.ts';
import { idIn, objectsOf, type PushedBundle } from './pushed-bundle.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ReportedResource {
  readonly resourceType: 'Observation' | 'QuestionnaireResponse';
  /** JSON text. */
  readonly text: string;
}

/** The task of a report. */
export interface ReportedTask {
  readonly patient_guid: string;
  readonly performer: Performer;
}

/** The provider that did the work. */
export interface Performer {
  readonly provider_guid: string;
  readonly name: string;
  readonly organisation_guid: string | null;
}

/** Returns the resources to store, and every issue with its path in the body. */
export function checkReport(
  report: { readonly observations: readonly Json[]; readonly questionnaireResponses: readonly Json[] },
  task: ReportedTask,
  { bundle, parameters }: { readonly bundle: PushedBundle; readonly parameters: SearchParameters },
): { resources: ReportedResource[]; issues: Issue[] } {
  const given: Reported[] = [
    ...report.observations.map((item, index) => ({
      item,
      type: 'Observation' as const,
      place: `observations[${index}]`,
    })),
    ...report.questionnaireResponses.map((item, index) => ({
      item,
      type: 'QuestionnaireResponse' as const,
      place: `questionnaire_responses[${index}]`,
    })),
  ];
  return checkResources(given, task, { bundle, parameters });
}

/** One resource of a report, and its place in the body. */
export interface Reported {
  readonly item: Json;
  readonly type: ReportedResource['resourceType'];
  readonly place: string;
}

/** As {@link checkReport}, of resources from anywhere in a body. */
export function checkResources(
  given: readonly Reported[],
  task: ReportedTask,
  { bundle, parameters }: { readonly bundle: PushedBundle; readonly parameters: SearchParameters },
): { resources: ReportedResource[]; issues: Issue[] } {
  const checked = given.map(({ item, type, place }) => {
    const filled = fillIn(item, type, task, bundle);
    const text = JSON.stringify(withProviderTags(filled, task.performer.provider_guid));
    return {
      resourceType: type,
      text,
      issues: issuesOf(text, { resourceType: type, place, task, bundle, parameters }),
    };
  });
  return { resources: checked, issues: checked.flatMap(({ issues }) => issues) };
}

/** Adds what the provider left out and the task knows. */
function fillIn(
  given: Json,
  type: ReportedResource['resourceType'],
  task: ReportedTask,
  { serviceRequest }: PushedBundle,
): Json {
  const { name, organisation_guid: organisation } = task.performer;
  const performer = { ...(organisation === null ? {} : { reference: `Organization/${organisation}` }), display: name };
  const { id } = serviceRequest;
  const subject = { reference: `Patient/${task.patient_guid}` };
  const known: Json = {
    subject,
    ...(typeof id === 'string' ? { basedOn: [{ reference: `ServiceRequest/${id}` }] } : {}),
    ...(type === 'Observation' ? { performer: [performer] } : { author: performer }),
  };
  const missing = Object.entries(known).filter(([key]) => given[key] === undefined);
  // A reference by absolute URL, as in the Bundle, means the same patient.
  const isSame = idIn(given['subject'], 'Patient') === task.patient_guid;
  return { ...given, ...Object.fromEntries(missing), ...(isSame ? { subject } : {}) };
}

interface Place {
  readonly resourceType: ReportedResource['resourceType'];
  readonly place: string;
  readonly task: ReportedTask;
  readonly bundle: PushedBundle;
  readonly parameters: SearchParameters;
}

function issuesOf(text: string, { resourceType, place, task, bundle, parameters }: Place): Issue[] {
  const resource = parseWritten(text);
  const invalid = validateResource(resource, { resourceType }).filter(
    ({ severity }) => severity === undefined || severity === 'error',
  );
  const found = resourceType === 'QuestionnaireResponse' ? besideForm(invalid, text, bundle) : invalid;
  const issues = found.map((issue) => atPlace(place, issue.field, issue.message, issue.code));
  if (idIn(resource['subject'], 'Patient') !== task.patient_guid) {
    issues.push(atPlace(place, `${resourceType}.subject`, 'must be the patient of the task', 'value'));
  }
  // A resource that names another patient in another element, such as performer or author, would be visible to that
  // patient.
  if (compartmentPatients(resource, parameters).some((patient) => patient !== task.patient_guid)) {
    issues.push(atPlace(place, resourceType, 'must not name another patient', 'value'));
  }
  if (!isBasedOn(resource, bundle)) {
    issues.push(atPlace(place, `${resourceType}.basedOn`, 'must name the request', 'value'));
  }
  if (resourceType === 'QuestionnaireResponse' && !answersForm(resource['questionnaire'], bundle)) {
    const message = 'must be one of the forms of the task';
    issues.push(atPlace(place, 'QuestionnaireResponse.questionnaire', message, 'value'));
  }
  if (resourceType === 'QuestionnaireResponse' && issues.length === 0)
    issues.push(...answerIssues(text, place, bundle));
  return issues;
}

/** Of a response that says to be finished, what the form of the task does not allow. */
function answerIssues(text: string, place: string, bundle: PushedBundle): Issue[] {
  const answered = finishedAnswer(text, bundle);
  if (answered === undefined) return [];
  return checkResponse(answered.form, answered.response)
    .filter(({ severity }) => severity !== 'warning')
    .map(({ field, message, code }) => atPlace(place, field, message, code));
}

/** Where single answers cannot be read, what the form of the task does not allow in the others is told with them. */
function besideForm(invalid: readonly Issue[], text: string, bundle: PushedBundle): readonly Issue[] {
  const answered = invalid.length === 0 ? undefined : finishedAnswer(text, bundle);
  return answered === undefined ? invalid : formIssuesBeside(invalid, answered.form, answered.response);
}

/** A response that says to be finished, with its form; undefined for another one, or where the task lacks the form. */
function finishedAnswer(text: string, { questionnaires }: PushedBundle) {
  const response = parseExactJson(text);
  if (!isJsonObject(response) || !isFinished(response)) return undefined;
  const form = formOf(response['questionnaire'], questionnaires);
  return form === undefined ? undefined : { form, response };
}

/** Whether a QuestionnaireResponse claims to answer its form: drafts and withdrawn ones need not fit it. */
export function isFinished({ status }: Json): boolean {
  return status === 'completed' || status === 'amended';
}

/** The form of that canonical address: the version that it names, or else the one that the task has. */
function formOf(canonical: unknown, forms: readonly Json[]): Json | undefined {
  if (typeof canonical !== 'string') return undefined;
  const [url, version] = canonical.split('|', 2);
  const found = forms.filter((form) => form['url'] === url);
  return found.find((form) => form['version'] === version) ?? found[0];
}

/** Whether the resource names the request, and no other. */
function isBasedOn(resource: Json, { serviceRequest: { id } }: PushedBundle): boolean {
  const requests = objectsOf(resource['basedOn']).map((reference) => idIn(reference, 'ServiceRequest'));
  const named = requests.filter((request) => request !== undefined);
  return typeof id !== 'string' || (named.length > 0 && named.every((request) => request === id));
}

function atPlace(place: string, field: string | undefined, message: string, issueCode: string | undefined): Issue {
  const path = field === undefined ? place : `${place}: ${field}`;
  const text = field === undefined || message.startsWith(field) ? message : `${field} ${message}`;
  return { field: path, message: `${place}: ${text}`, ...(issueCode === undefined ? {} : { code: issueCode }) };
}

/** A form without a url cannot be referenced. Then any response is accepted. */
function answersForm(questionnaire: unknown, { serviceRequest }: PushedBundle): boolean {
  const forms = objectsOf(serviceRequest['contained']).filter((item) => item['resourceType'] === 'Questionnaire');
  const urls = forms.map((form) => form['url']);
  if (urls.some((url) => typeof url !== 'string') || typeof questionnaire !== 'string') return true;
  return urls.includes(questionnaire.split('|', 1)[0]);
}
