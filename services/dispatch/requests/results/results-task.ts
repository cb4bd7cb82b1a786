// Reads and checks the results of a report (decision L9, docs/adr/0078), as a task that may run in a thread. The
// results get ids, what was left out, and a Provenance that names the provider and the person. Pure, but for the ids.

import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isObject, parseObject } from '#fhir/json/objects.ts';
import { provenanceOf } from '#fhir/reports/provenance.ts';
import { objectsOf, readBundle } from '#fhir/reports/pushed-bundle.ts';
import { checkResources, type Performer, type Reported } from '#fhir/reports/report-check.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { sha256 } from '#lib/crypto/secret.ts';
import { type Issue, ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { defineTextTask } from '../../shared/text-tasks.ts';

export interface ResultsInput {
  /** The body of the report; its `results` is a Bundle. */
  readonly body: string;
  /** The pushed bundle. */
  readonly bundle: string;
  readonly patientGuid: string;
  readonly providerGuid: string;
  readonly performer: Performer;
  readonly person: { readonly userGuid: string; readonly name: string | null } | undefined;
  /** The results of earlier reports as `Type/id`: these may be sent again, corrected. */
  readonly known: readonly string[];
  /** A FHIR instant. */
  readonly recorded: string;
}

export interface CheckedResults {
  /** SHA-256 of the results as they were sent, in base64: the same results count once. */
  readonly digest: string;
  readonly issues: readonly Issue[];
  /** The results with the Provenance last, as JSON texts with their addresses. */
  readonly resources: readonly { readonly address: string; readonly text: string }[];
}

const TYPES = ['Observation', 'QuestionnaireResponse'] as const;
/** The most results of one report. */
const MOST = 500;

/** Forms have expressions of their authors. */
const ALWAYS_IN_THREAD = 0;

export const RESULTS = defineTextTask('results', checkedResults, ALWAYS_IN_THREAD);

function checkedResults(given: ResultsInput): CheckedResults {
  const pushed = readBundle(JSON.parse(given.bundle));
  if (pushed === undefined) throw new ServiceError('not_found', 'There is no such request');
  const { reported, issues, digest } = reportedIn(given);
  const task = { patient_guid: given.patientGuid, performer: given.performer };
  const checked = checkResources(reported, task, { bundle: pushed, parameters: loadSearchParameters() });
  const all = [...issues, ...checked.issues];
  if (all.length > 0) return { digest, issues: all, resources: [] };
  const resources = checked.resources.map(({ resourceType, text }) => {
    const resource = parseExactJson(text);
    const found = isObject(resource) ? resource['id'] : undefined;
    const id = typeof found === 'string' ? found : newGuid();
    return { address: `${resourceType}/${id}`, text: JSON.stringify({ ...asObject(resource), id }) };
  });
  const { id } = pushed.serviceRequest;
  return { digest, issues: [], resources: [...resources, provenanceFor(given, resources, String(id))] };
}

function reportedIn({ body, known }: ResultsInput): { reported: Reported[]; issues: Issue[]; digest: string } {
  const results = asObject(asObject(parseExactJson(body))['results']);
  const entries = objectsOf(results['entry']);
  const reported: Reported[] = [];
  const issues: Issue[] = [];
  if (entries.length === 0) issues.push(issueAt('results.entry', 'must hold a resource'));
  if (entries.length > MOST) issues.push(issueAt('results.entry', `must hold at most ${MOST} resources`));
  for (const [index, { resource }] of entries.slice(0, MOST).entries()) {
    const place = `results.entry[${index}].resource`;
    const item = asObject(resource);
    const type = TYPES.find((each) => each === item['resourceType']);
    if (type === undefined) {
      issues.push(issueAt(place, 'must be an Observation or a QuestionnaireResponse'));
      continue;
    }
    const { id } = item;
    if (id !== undefined && !known.includes(`${type}/${String(id)}`))
      issues.push(issueAt(place, `${type}.id must be that of an earlier result of the request, or left out`));
    reported.push({ item, type, place });
  }
  const digest = sha256(JSON.stringify(results)).toString('base64');
  return { reported, issues, digest };
}

function issueAt(field: string, message: string): Issue {
  return { field, message: `${field}: ${message}`, code: 'value' };
}

function provenanceFor(
  given: ResultsInput,
  results: CheckedResults['resources'],
  serviceRequestId: string,
): { address: string; text: string } {
  const id = newGuid();
  const reporting = { ...given, providerName: given.performer.name, serviceRequestId };
  const targets = results.map(({ address }) => address);
  return { address: `Provenance/${id}`, text: JSON.stringify({ id, ...provenanceOf(reporting, targets) }) };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : parseObject('{}');
}
