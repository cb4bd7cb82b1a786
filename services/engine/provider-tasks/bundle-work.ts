// The work on pushed bundles and on reports, which may be megabytes long. It runs on the event loop for short ones,
// else in a thread (docs/adr/0058). Pure.

import { parseExactJson } from '#fhir/json/exact-json.ts';
import { measureForm, measuresOf } from '#fhir/plans/measures.ts';
import { resolvePlan } from '#fhir/plans/plan-snapshot.ts';
import { objectsOf, readBundle } from '#fhir/reports/pushed-bundle.ts';
import { checkReport, type ReportedResource, type ReportedTask } from '#fhir/reports/report-check.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Issue } from '#lib/errors.ts';
import { readWebhook, type WebhookMessage } from './inbox/webhook-message.ts';
import { requesterIn } from './requester-view.ts';

/** The kinds of work. Bundles are JSON texts; bodies are the received bytes. */
export type BundleWork =
  | { readonly kind: 'webhook'; readonly body: Uint8Array }
  | { readonly kind: 'report'; readonly body: Uint8Array; readonly bundle: string; readonly task: ReportedTask }
  | { readonly kind: 'patient'; readonly bundle: string }
  | { readonly kind: 'details'; readonly bundle: string; readonly head: DetailsHead };

/** The patient as shown in the plan of care. */
interface DetailsHead {
  readonly request_guid: string;
  readonly status: string;
}

/** Undefined when the bundle has no ServiceRequest. */
export interface BundleResults {
  readonly webhook: WebhookMessage;
  readonly report:
    | {
        readonly resources: readonly ReportedResource[];
        readonly issues: readonly Issue[];
        readonly serviceRequestId: string;
      }
    | undefined;
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
      if (bundle === undefined) return undefined;
      const checked = checkReport(reportedIn(work.body), work.task, { bundle, parameters });
      return { ...checked, serviceRequestId: String(bundle.serviceRequest['id']) };
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
 * Reads the resources of a report that passed its schema, as exact JSON (fhir/json/exact-json.ts), so that decimals
 * keep their digits.
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

/**
 * Returns the whole plan of care as JSON text. Decimals keep their digits.
 * @throws ServiceError `unprocessable` for a plan that is too large
 */
function detailsText(text: string, head: DetailsHead): string | undefined {
  const bundle = readBundle(parseExactJson(text));
  if (bundle === undefined) return undefined;
  return JSON.stringify({
    ...head,
    requester: requesterIn(bundle.serviceRequest),
    patient: bundle.patient ?? null,
    service_request: bundle.serviceRequest,
    care_plan: bundle.carePlan ?? null,
    plan_definition: bundle.planDefinition ?? null,
    plan: bundle.planDefinition === undefined ? null : resolvePlan(bundle.planDefinition),
    measures: measuresIn(bundle.serviceRequest),
    questionnaires: bundle.questionnaires,
    forms: bundle.forms,
  });
}

/** The form of what is to be measured, and the codes of its Observations; null for nothing. */
function measuresIn(serviceRequest: Readonly<Record<string, unknown>>): object | null {
  const measures = measuresOf(serviceRequest);
  const form = measureForm(measures);
  if (form === undefined) return null;
  const codes = measures.map(({ transaction: { transaction_id: id, title }, code }) => [
    id,
    code ?? { text: title ?? id },
  ]);
  return { form, codes: Object.fromEntries(codes) };
}
