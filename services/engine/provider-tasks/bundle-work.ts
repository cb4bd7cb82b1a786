// What is made of pushed bundles and of reports, which may be of megabytes: here, when they are short, or in a thread
// (docs/adr/0058). Pure.

import { parseExactJson } from '#fhir/json/exact-json.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Issue } from '#lib/errors.ts';
import { objectsOf, readBundle } from './bundle.ts';
import { readWebhook, type WebhookMessage } from './inbox/webhook-message.ts';
import { checkReport, type ReportedResource, type ReportedTask } from './report-check.ts';

/** Bundles are JSON texts, bodies the bytes that came. */
export type BundleWork =
  | { readonly kind: 'webhook'; readonly body: Uint8Array }
  | { readonly kind: 'report'; readonly body: Uint8Array; readonly bundle: string; readonly task: ReportedTask }
  | { readonly kind: 'patient'; readonly bundle: string }
  | { readonly kind: 'details'; readonly bundle: string; readonly head: DetailsHead };

/** What the plan of care begins with. */
interface DetailsHead {
  readonly request_guid: string;
  readonly status: string;
}

/** Undefined where the bundle has no ServiceRequest. */
export interface BundleResults {
  readonly webhook: WebhookMessage;
  readonly report: { readonly resources: readonly ReportedResource[]; readonly issues: readonly Issue[] } | undefined;
  readonly patient: ShownPatient | undefined;
  /** JSON text. */
  readonly details: string | undefined;
}

export interface ShownPatient {
  readonly birth_date: string | null;
  readonly gender: string | null;
}

/** @throws ServiceError `unprocessable`, `invalid_request` for a webhook that cannot be read */
export function doBundleWork(work: BundleWork, parameters: SearchParameters): BundleResults[BundleWork['kind']] {
  switch (work.kind) {
    case 'webhook':
      return readWebhook(work.body);
    case 'report': {
      const bundle = readBundle(JSON.parse(work.bundle));
      return bundle && checkReport(reportedIn(work.body), work.task, { bundle, parameters });
    }
    case 'patient':
      return patientOf(work.bundle);
    case 'details':
      return detailsText(work.bundle, work.head);
    default:
      return work satisfies never;
  }
}

/**
 * The resources of a report that has the shape of one, as exact JSON (fhir/json/exact-json.ts): their decimals keep
 * their digits.
 */
function reportedIn(body: Uint8Array) {
  const [fields] = objectsOf([parseExactJson(new TextDecoder().decode(body))]);
  return {
    observations: objectsOf(fields?.['observations']),
    questionnaireResponses: objectsOf(fields?.['questionnaire_responses']),
  };
}

function patientOf(text: string): ShownPatient | undefined {
  const patient = readBundle(JSON.parse(text))?.patient;
  const field = (value: unknown) => (typeof value === 'string' ? value : null);
  return patient && { birth_date: field(patient['birthDate']), gender: field(patient['gender']) };
}

/** The whole plan of care, its decimals as they were written. */
function detailsText(text: string, head: DetailsHead): string | undefined {
  const bundle = readBundle(parseExactJson(text));
  if (bundle === undefined) return undefined;
  return JSON.stringify({
    ...head,
    patient: bundle.patient ?? null,
    service_request: bundle.serviceRequest,
    care_plan: bundle.carePlan ?? null,
    plan_definition: bundle.planDefinition ?? null,
    questionnaires: bundle.questionnaires,
    forms: bundle.forms,
  });
}
