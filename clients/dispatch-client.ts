// The engine's calls to dispatch for the providers that it hosts (decisions D9, D11): respond to a push, report
// progress, register the address of webhooks.
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { ServiceError } from '#lib/errors.ts';
import { expectJson, type ServiceFetch, type ServiceResponse } from '#lib/http/upstream/service-fetch.ts';

/** A person of a provider that the engine hosts. */
export interface NamedPerson {
  readonly user_guid: string;
  readonly name: string | null;
}

export interface Answer {
  readonly decision: 'accepted' | 'rejected';
  readonly reason?: string;
  readonly by?: NamedPerson;
}

export interface Progress {
  readonly status: 'acknowledged' | 'in_progress' | 'completed' | 'rejected';
  readonly reason?: string;
  readonly note?: string;
  /** A FHIR instant. */
  readonly occurred_at?: string;
  /** Absolute FHIR references to the provider's results. */
  readonly results?: readonly string[];
  readonly by?: NamedPerson;
}

/** `refused`: the error is final, so that a retry would not help. */
export type DispatchVerdict = { readonly kind: 'done' } | { readonly kind: 'refused'; readonly code: string };

export interface DispatchClient {
  /** Accepts or rejects a push. @throws ServiceError `upstream_unavailable` when a retry may help */
  respond(receiptToken: string, answer: Answer, signal?: AbortSignal): Promise<DispatchVerdict>;
  /** As `respond`, by the request's guid with the engine's credentials: it may name a person. */
  respondFor(requestGuid: string, answer: Answer, signal?: AbortSignal): Promise<DispatchVerdict>;
  /** Reports progress. @throws ServiceError `upstream_unavailable` when a retry may help */
  report(requestGuid: string, progress: Progress, signal?: AbortSignal): Promise<DispatchVerdict>;
  /**
   * The requests by which these ServiceRequests were pushed to these providers, one for each pair that was.
   * @throws ServiceError `upstream_unavailable`, `upstream_error`
   */
  findReportable(
    providerGuids: readonly string[],
    serviceRequestIds: readonly string[],
  ): Promise<readonly ReportableRequest[]>;
  /** Adds results that were written by FHIR. @throws ServiceError `upstream_unavailable` when a retry may help */
  registerResults(
    requestGuid: string,
    given: { readonly results: readonly string[]; readonly by?: NamedPerson },
  ): Promise<DispatchVerdict>;
  /**
   * Sets the address of a provider's webhooks and whether it is enabled. Returns the secret of a new endpoint, which
   * dispatch returns only once.
   */
  putEndpoint(providerGuid: string, endpoint: { url: string; enabled: boolean }): Promise<string | undefined>;
  /**
   * The owners of plans and requests, or of the Patients where none are named, as far as they are the patient's.
   * @param about literal references; `missing` names those that are not there or of others
   * @throws ServiceError `upstream_unavailable`, `upstream_error`
   */
  placeReport(patientIds: readonly string[], about: readonly string[]): Promise<Type.Static<typeof PlacedReport>>;
  /** Has planners notified of patients' reports. @throws ServiceError `upstream_unavailable` when a retry may help */
  noticeReports(notices: readonly PatientReportNotice[]): Promise<DispatchVerdict>;
  /** Creates a new secret; the old one is invalid at once. */
  rotateSecret(providerGuid: string): Promise<string>;
}

/** What a patient has reported, or withdrawn, by FHIR. */
export interface PatientReportNotice {
  /** The ids under which dispatch may have the person, the one that the report is about first. */
  readonly patient_ids: readonly string[];
  readonly organisation_guid: string;
  readonly resource_type: string;
  /** Literal references to plans and requests. */
  readonly based_on: readonly string[];
  /** Whether it was withdrawn: deleted, or marked as entered in error. */
  readonly is_withdrawn?: true;
}

/** Who owns the records that a patient's report is about. */
const PlacedReport = Type.Object({
  records: Type.Array(Type.Object({ patient_guid: Type.String(), organisation_guid: Type.String() })),
  missing: Type.Array(Type.String()),
});
const Reportable = Type.Object({
  service_request_id: Type.String(),
  provider_guid: Type.String(),
  request_guid: Type.String(),
  patient_guid: Type.String(),
  organisation_guid: Type.String(),
  provider_name: Type.String(),
  provider_organisation_guid: Type.Union([Type.String(), Type.Null()]),
  status: Type.String(),
  may_report: Type.Boolean(),
});
export type ReportableRequest = Readonly<Static<typeof Reportable>>;
const ReportableList = Type.Object({ requests: Type.Array(Reportable) });

const Secret = Type.Object({ secret: Type.String({ minLength: 1 }) });
const EndpointResponse = Type.Partial(Secret);
const PlainError = Type.Object({ error: Type.String() });
const Outcome = Type.Object({
  issue: Type.Array(
    Type.Object({
      details: Type.Optional(Type.Object({ coding: Type.Optional(Type.Array(Type.Object({ code: Type.String() }))) })),
    }),
  ),
});

/** Statuses that are final for the request; all others may be temporary. */
const FINAL_STATUSES = [400, 404, 405, 409, 410, 413, 415, 422];

export function createDispatchClient(options: {
  fetch: ServiceFetch;
  credentials: ServiceCredentials;
}): DispatchClient {
  const { fetch } = options;
  const headers = credentialHeaders(options.credentials);
  const endpointPath = (providerGuid: string) => `/api/v1/providers/${encodeURIComponent(providerGuid)}/endpoint`;
  return {
    async respond(receiptToken, answer, signal) {
      const path = `/api/v1/ServiceRequest/receipt/${encodeURIComponent(receiptToken)}/respond`;
      return verdictOf(await fetch(path, { method: 'POST', json: answer, ...withSignal(signal) }));
    },
    async respondFor(requestGuid, answer, signal) {
      const path = `/api/v1/ServiceRequest/receipt/${encodeURIComponent(requestGuid)}/respond`;
      return verdictOf(await fetch(path, { method: 'POST', headers, json: answer, ...withSignal(signal) }));
    },
    async report(requestGuid, progress, signal) {
      const path = `/api/v1/requests/${encodeURIComponent(requestGuid)}/status`;
      return verdictOf(await fetch(path, { method: 'PUT', headers, json: progress, ...withSignal(signal) }));
    },
    async findReportable(providerGuids, serviceRequestIds) {
      const json = { provider_guids: providerGuids, service_request_ids: serviceRequestIds };
      const response = await fetch('/api/v1/requests/reportable', { method: 'POST', headers, json });
      if (response.status !== 200)
        throw new ServiceError('upstream_unavailable', `Dispatch answered ${response.status}`);
      const body = await expectJson(response, 200);
      if (!Value.Check(ReportableList, body)) throw malformed();
      return body.requests;
    },
    async registerResults(requestGuid, given) {
      const path = `/api/v1/requests/${encodeURIComponent(requestGuid)}/results`;
      return verdictOf(await fetch(path, { method: 'POST', headers, json: given }));
    },
    async putEndpoint(providerGuid, endpoint) {
      const answer = await fetch(endpointPath(providerGuid), { method: 'PUT', headers, json: endpoint });
      const body = await expectJson(answer, 200, 201);
      if (!Value.Check(EndpointResponse, body)) throw malformed();
      return body.secret;
    },
    async placeReport(patientIds, about) {
      const json = { patient_ids: patientIds, based_on: about };
      const body = await expectJson(
        await fetch('/api/v1/patient-reports/place', { method: 'POST', headers, json }),
        200,
      );
      if (!Value.Check(PlacedReport, body)) throw malformed();
      return body;
    },
    async noticeReports(notices) {
      return verdictOf(await fetch('/api/v1/patient-reports/notices', { method: 'POST', headers, json: { notices } }));
    },
    async rotateSecret(providerGuid) {
      const path = `${endpointPath(providerGuid)}/rotate-secret`;
      const answer = await fetch(path, { method: 'POST', headers, json: { grace_hours: 0 } });
      const body = await expectJson(answer, 200, 201);
      if (!Value.Check(Secret, body)) throw malformed();
      return body.secret;
    },
  };
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function verdictOf(response: ServiceResponse): DispatchVerdict {
  const { status } = response;
  if (status >= 200 && status < 300) return { kind: 'done' };
  if (!FINAL_STATUSES.includes(status)) {
    throw new ServiceError('upstream_unavailable', `Dispatch answered ${status}`);
  }
  return { kind: 'refused', code: errorCodeOf(response.text) ?? String(status) };
}

/** The error code in either wire form (decisions G2, G3). */
function errorCodeOf(text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (Value.Check(PlainError, body)) return body.error;
  return Value.Check(Outcome, body) ? body.issue[0]?.details?.coding?.[0]?.code : undefined;
}

function malformed(): ServiceError {
  return new ServiceError('upstream_error', 'Dispatch answered what cannot be read');
}
