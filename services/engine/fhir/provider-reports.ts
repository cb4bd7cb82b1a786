// What a provider's key and its staff write about a patient (decision L9, docs/adr/0078): Observations and
// QuestionnaireResponses that are based on a request which was pushed to the provider. Dispatch knows which were.
// They belong to the organisation that ordered, and a Provenance names the provider.
import type { DispatchClient, ReportableRequest } from '#clients/dispatch-client.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { provenanceOf } from '#fhir/reports/provenance.ts';
import { idIn, objectsOf } from '#fhir/reports/pushed-bundle.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { FhirRestOptions, Placed, ReportToComplete } from '#fhir/rest/options.ts';
import { compartmentPatients, concernsOnlyPatient } from '#fhir/search/extract/extract.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { MAX_REPORT } from '#fhir/store/patient-reported.ts';
import { decide } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { personOf, providersOf } from '#lib/auth/provider-staff.ts';
import { hasScope } from '#lib/auth/scopes.ts';
import type { Clock } from '#lib/clock.ts';
import { ServiceError, unprocessable } from '#lib/errors.ts';
import { REPORT_TYPES } from '../shared/policies.ts';

/** How long an answer of dispatch holds: so long may a provider write after its request was withdrawn. */
const FRESH_MS = 5_000;
const MOST_KEPT = 10_000;

export interface ProviderReportOptions {
  readonly dispatch: Pick<DispatchClient, 'findReportable'>;
  readonly clock: Clock;
  /** Of the moment: they change when SearchParameters are stored. */
  readonly parameters: () => SearchParameters;
}

/** Undefined for what the caller writes as others do. @throws ServiceError to refuse, `upstream_unavailable` */
export type CompleteProviderReport = (principal: Principal, report: ReportToComplete) => Promise<Placed | undefined>;

export interface ProviderReports {
  readonly complete: CompleteProviderReport;
  readonly prepare: NonNullable<FhirRestOptions['prepareReports']>;
}

export function createProviderReports(options: ProviderReportOptions): ProviderReports {
  const find = cached(options);
  return { complete: completeWith(options, find), prepare: prepareWith(find) };
}

function prepareWith(find: CachedFind): ProviderReports['prepare'] {
  return async (principal, sources) => {
    const providers = providersOf(principal);
    if (providers.length === 0) return;
    const requests = new Set<string>();
    for (const { text, resourceType } of sources) {
      if (!REPORT_TYPES.has(resourceType) || text.length > MAX_REPORT) continue;
      const given = parseExactJson(text);
      for (const request of isJsonObject(given) ? requestsOf(given) : []) requests.add(request);
    }
    for (const request of requests) await findFirst((provider, id) => find(provider, id, true), providers, request);
  };
}

function completeWith(options: ProviderReportOptions, find: CachedFind): CompleteProviderReport {
  return async (principal, { source, mayAsk }) => {
    const providers = providersOf(principal);
    if (providers.length === 0) return undefined;
    const isStaff = principal.providerGuid === undefined;
    const isReport = REPORT_TYPES.has(source.resourceType);
    if (isStaff && !isReport) return undefined;
    if (source.text.length > MAX_REPORT)
      throw new ServiceError('payload_too_large', `A report has at most ${MAX_REPORT} characters`);
    const given = parseExactJson(source.text);
    if (!isJsonObject(given)) throw new TypeError('A resource is a JSON object');
    const requests = isReport ? requestsOf(given) : [];
    const [request, ...others] = requests;
    const named =
      request === undefined
        ? undefined
        : await findFirst((provider, id) => find(provider, id, mayAsk), providers, request);
    if (named === undefined || request === undefined) {
      // Such a resource is not about a request: the caller's other rights decide.
      const isOther = isStaff || !isAboutPatient(given, options.parameters());
      if (isOther && mayWriteOthers(principal, source)) return undefined;
      throw isReport ? unnamed(given) : notReported();
    }
    if (others.length > 0) throw refused(given, 'basedOn', 'must name one request, and no other');
    if (!named.found.may_report)
      throw refused(
        given,
        'basedOn',
        `names a request that is ${named.found.status}: nothing more can be reported of it`,
      );
    const about = { ...named, request, principal, recorded: new Date(options.clock.now()).toISOString() };
    return placed(given, about, options.parameters());
  };
}

type CachedFind = (provider: string, request: string, mayAsk: boolean) => ReturnType<Find>;
type Find = (provider: string, request: string) => Promise<ReportableRequest | undefined>;

/** Concurrent questions are one. A failure is not kept. */
function cached({ dispatch, clock }: ProviderReportOptions): CachedFind {
  const known = new Map<string, { readonly until: number; readonly answer: ReturnType<Find> }>();
  return (provider, request, mayAsk) => {
    const key = `${provider} ${request}`;
    const kept = known.get(key);
    if (kept !== undefined && kept.until > clock.now()) return kept.answer;
    if (!mayAsk) throw notAsked();
    if (known.size >= MOST_KEPT) known.clear();
    const answer = dispatch.findReportable(provider, request);
    known.set(key, { until: clock.now() + FRESH_MS, answer });
    answer.catch(() => known.delete(key));
    return answer;
  };
}

interface Named {
  readonly provider: string;
  readonly found: ReportableRequest;
}

/** Staff may be of several providers. */
async function findFirst(find: Find, providers: readonly string[], request: string): Promise<Named | undefined> {
  let closed: Named | undefined;
  for (const provider of providers) {
    const found = await find(provider, request);
    if (found?.may_report === true) return { provider, found };
    if (found !== undefined) closed ??= { provider, found };
  }
  return closed;
}

/** The ids of the ServiceRequests in `basedOn`, each once. */
function requestsOf({ basedOn }: JsonObject): string[] {
  return [...new Set(objectsOf(basedOn).flatMap((reference) => idIn(reference, 'ServiceRequest') ?? []))];
}

function isAboutPatient(given: JsonObject, parameters: SearchParameters): boolean {
  return given['resourceType'] === 'Patient' || compartmentPatients(given, parameters).length > 0;
}

/** Whether more than the right to create reports about requests lets the caller write. A key needs the scope. */
function mayWriteOthers(principal: Principal, { resourceType }: ResourceText): boolean {
  if (!REPORT_TYPES.has(resourceType)) return true;
  if (decide('report:write', principal) !== 'allowed') return false;
  return !principal.roles.has('api_key') || hasScope(principal, resourceType, 'c');
}

/** While a transaction is open nobody waits for another service: dispatch was asked before. */
function notAsked(): ServiceError {
  return new ServiceError('upstream_unavailable', 'What dispatch said about the request is too old: try again');
}

function unnamed(given: JsonObject): ServiceError {
  return refused(given, 'basedOn', 'must name a ServiceRequest that was pushed to you, as ServiceRequest/<id>');
}

function notReported(): ServiceError {
  const message = 'About patients, providers write Observations and QuestionnaireResponses that are based on a request';
  return new ServiceError('forbidden', message);
}

function refused({ resourceType }: JsonObject, element: string, what: string): ServiceError {
  const field = `${String(resourceType)}.${element}`;
  return unprocessable(`${field} ${what}`, field);
}

interface About extends Named {
  readonly request: string;
  readonly principal: Principal;
  readonly recorded: string;
}

/** @throws ServiceError `unprocessable` when it is about somebody else */
function placed(
  given: JsonObject,
  { provider, found, request, principal, recorded }: About,
  parameters: SearchParameters,
): Placed {
  const { patient_guid: patientGuid, provider_name: providerName, organisation_guid: organisation } = found;
  if (given['subject'] !== undefined && idIn(given['subject'], 'Patient') !== patientGuid)
    throw refused(given, 'subject', 'must be the patient of the request, or left out');
  const source = readResourceText(JSON.stringify(completed(given, found, request)));
  if (!concernsOnlyPatient(source.resource, [patientGuid], parameters))
    throw refused(given, 'subject', 'must be the only patient that the resource names');
  const person = personOf(principal);
  const reporting = { patientGuid, providerGuid: provider, providerName, person, recorded, serviceRequestId: request };
  return {
    source,
    organisation,
    companion: ({ resourceType, id }) =>
      readResourceText(JSON.stringify(provenanceOf(reporting, [`${resourceType}/${id}`]))),
  };
}

/** The report with the references in the form by which searches find it, and with who did the work. */
function completed(given: JsonObject, found: ReportableRequest, request: string): object {
  const { patient_guid: patient, provider_name: display, provider_organisation_guid: unit } = found;
  const performer = { ...(unit === null ? {} : { reference: `Organization/${unit}` }), display };
  const said = given['resourceType'] === 'Observation' ? { performer: [performer] } : { author: performer };
  const basedOn = objectsOf(given['basedOn']).map((reference) =>
    idIn(reference, 'ServiceRequest') === request
      ? { ...reference, reference: `ServiceRequest/${request}` }
      : reference,
  );
  return { ...said, ...given, subject: { reference: `Patient/${patient}` }, basedOn };
}
