// What a provider's key and its staff write about a patient (decision L9, docs/adr/0078). These are Observations and
// QuestionnaireResponses that are based on a request which was pushed to the provider. Dispatch knows which were, and
// learns of them. They belong to the organisation that ordered, a Provenance names the provider, and nobody else
// corrects them.
import type { DispatchClient, ReportableRequest } from '#clients/dispatch-client.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { provenanceOf } from '#fhir/reports/provenance.ts';
import { idIn, objectsOf } from '#fhir/reports/pushed-bundle.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import type { FhirRestOptions, Placed, ReportToComplete } from '#fhir/rest/options.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { compartmentPatients, concernsOnlyPatient } from '#fhir/search/extract/extract.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Access } from '#fhir/store/access.ts';
import { hasPatientTag, MAX_REPORT, withProviderTags } from '#fhir/store/patient-reported.ts';
import { isLong } from '#fhir/store/threads.ts';
import { decide } from '#lib/auth/permissions.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { personOf, providersOf, type StaffPerson } from '#lib/auth/provider-staff.ts';
import { hasScope } from '#lib/auth/scopes.ts';
import type { Clock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
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
  /** Notifies dispatch of a report, after the transaction. */
  readonly announce: (tx: Transaction, report: AnnouncedReport) => Promise<void>;
  /** For long resources that are no reports; all are read on the event loop when left out. */
  readonly workerThreads: WorkerThreads | undefined;
}

/** A report that is new or corrected. */
export interface AnnouncedReport {
  readonly requestGuid: string;
  readonly resourceType: string;
  readonly id: string;
  readonly person: StaffPerson | undefined;
}

/** Undefined for what the caller writes as others do. @throws ServiceError to refuse, `upstream_unavailable` */
export type CompleteProviderReport = (principal: Principal, report: ReportToComplete) => Promise<Placed | undefined>;

export interface ProviderReports {
  readonly complete: CompleteProviderReport;
  readonly prepare: NonNullable<FhirRestOptions['prepareReports']>;
}

export function createProviderReports(options: ProviderReportOptions): ProviderReports {
  const known = cached(options);
  return { complete: completeWith(options, known), prepare: prepareWith(known) };
}

function prepareWith(known: Known): ProviderReports['prepare'] {
  return async (principal, sources) => {
    const providers = providersOf(principal);
    if (providers.length === 0) return;
    const requests = new Set<string>();
    for (const { text, resourceType } of sources) {
      if (!REPORT_TYPES.has(resourceType) || text.length > MAX_REPORT) continue;
      const given = parseExactJson(text);
      for (const request of isJsonObject(given) ? requestsOf(given) : []) requests.add(request);
    }
    if (requests.size > 0) await known.ask(providers, [...requests]);
  };
}

function completeWith(options: ProviderReportOptions, known: Known): CompleteProviderReport {
  return async (principal, report) => {
    const providers = providersOf(principal);
    if (providers.length === 0) return undefined;
    const { source, interaction, mayAsk } = report;
    const isStaff = principal.providerGuid === undefined;
    if (!REPORT_TYPES.has(source.resourceType)) {
      if (isStaff || !(await isAboutPatient(source, options))) return undefined;
      throw notReported();
    }
    if (source.text.length > MAX_REPORT)
      throw new ServiceError('payload_too_large', `A report has at most ${MAX_REPORT} characters`);
    const given = parseExactJson(source.text);
    if (!isJsonObject(given)) throw new TypeError('A resource is a JSON object');
    const [request, ...others] = requestsOf(given);
    if (request !== undefined && mayAsk) await known.ask(providers, [request]);
    const named = request === undefined ? undefined : await findFirst(known, providers, request);
    if (named === undefined || request === undefined) {
      // Such a resource is not about a request: the caller's other rights decide.
      const isOther = isStaff || compartmentPatients(given, options.parameters()).length === 0;
      if (isOther && mayWriteOthers(principal, report)) return undefined;
      throw unnamed(given);
    }
    if (others.length > 0) throw refused(given, 'basedOn', 'must name one request, and no other');
    if (!named.found.may_report)
      throw refused(
        given,
        'basedOn',
        `names a request that is ${named.found.status}: nothing more can be reported of it`,
      );
    const about = { ...named, request, principal, interaction, recorded: new Date(options.clock.now()).toISOString() };
    return placed(given, about, options);
  };
}

/** What dispatch has said of late. */
interface Known {
  /** Asks once for all pairs that are not known. @throws ServiceError `upstream_unavailable` */
  readonly ask: (providers: readonly string[], requests: readonly string[]) => Promise<void>;
  /** @throws ServiceError `upstream_unavailable` for what was not asked for, or too long ago */
  readonly find: (provider: string, request: string) => Promise<ReportableRequest | undefined>;
}

/** Requests of one question, by dispatch's limit. */
const MOST_ASKED = 1_000;

/** Concurrent questions about a pair are one. A failure is not kept. */
function cached({ dispatch, clock }: ProviderReportOptions): Known {
  type Answer = ReturnType<Known['find']>;
  const known = new Map<string, { readonly until: number; readonly answer: Answer }>();
  const keyOf = (provider: string, request: string) => `${provider} ${request}`;
  const findKnown = (key: string): Answer | undefined => {
    const kept = known.get(key);
    return kept !== undefined && kept.until > clock.now() ? kept.answer : undefined;
  };

  function askAbout(providers: readonly string[], requests: readonly string[]): Answer[] {
    const answers = dispatch.findReportable(providers, requests);
    if (known.size >= MOST_KEPT) known.clear();
    const until = clock.now() + FRESH_MS;
    return providers.flatMap((provider) =>
      requests.map((request) => {
        const key = keyOf(provider, request);
        const answer = answers.then((found) =>
          found.find((each) => each.provider_guid === provider && each.service_request_id === request),
        );
        known.set(key, { until, answer });
        answer.catch(() => known.delete(key));
        return answer;
      }),
    );
  }

  return {
    async ask(providers, requests) {
      const isKnown = (request: string) =>
        providers.every((provider) => findKnown(keyOf(provider, request)) !== undefined);
      const unknown = requests.filter((request) => !isKnown(request));
      for (let start = 0; start < unknown.length; start += MOST_ASKED)
        await Promise.all(askAbout(providers, unknown.slice(start, start + MOST_ASKED)));
    },
    async find(provider, request) {
      const answer = findKnown(keyOf(provider, request));
      if (answer === undefined) throw notAsked();
      return answer;
    },
  };
}

interface Named {
  readonly provider: string;
  readonly found: ReportableRequest;
}

/** Staff may be of several providers. */
async function findFirst({ find }: Known, providers: readonly string[], request: string): Promise<Named | undefined> {
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

/** Of a resource that is no report, however long it is. */
async function isAboutPatient(
  source: ResourceText,
  { parameters, workerThreads }: ProviderReportOptions,
): Promise<boolean> {
  const { resourceType, resource, text } = source;
  if (resourceType === 'Patient') return true;
  if (parameters().compartmentParameters('Patient', resourceType).length === 0) return false;
  if (workerThreads !== undefined && isLong({ text })) return (await workerThreads.patients(text)).length > 0;
  return compartmentPatients(resource, parameters()).length > 0;
}

/** Whether more than the right to report about requests lets the caller write. A key needs the scope. */
function mayWriteOthers(
  principal: Principal,
  { source: { resourceType }, interaction }: Pick<ReportToComplete, 'source' | 'interaction'>,
): boolean {
  if (decide('report:write', principal) !== 'allowed') return false;
  return !principal.roles.has('api_key') || hasScope(principal, resourceType, interaction === 'create' ? 'c' : 'u');
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

interface About extends Named, Pick<ReportToComplete, 'interaction'> {
  readonly request: string;
  readonly principal: Principal;
  readonly recorded: string;
}

/** @throws ServiceError `unprocessable` when it is about somebody else, `forbidden` for a patch */
function placed(
  given: JsonObject,
  { provider, found, request, principal, recorded, interaction }: About,
  { parameters, announce }: ProviderReportOptions,
): Placed {
  const { patient_guid: patientGuid, provider_name: providerName, organisation_guid: organisation } = found;
  if (interaction === 'patch') throw new ServiceError('forbidden', 'A report is corrected as a whole, by PUT');
  if (given['subject'] !== undefined && idIn(given['subject'], 'Patient') !== patientGuid)
    throw refused(given, 'subject', 'must be the patient of the request, or left out');
  if (hasPatientTag(given)) throw refused(given, 'meta.tag', 'must not say that the patient reported it');
  const text = JSON.stringify(withProviderTags(completed(given, found, request), provider));
  const source: ResourceText = { ...readResourceText(text), isOwnReport: true };
  if (!concernsOnlyPatient(source.resource, [patientGuid], parameters()))
    throw refused(given, 'subject', 'must be the only patient that the resource names');
  const person = personOf(principal);
  const reporting = { patientGuid, providerGuid: provider, providerName, person, recorded, serviceRequestId: request };
  return {
    source,
    organisation,
    access: ownReports({ provider, request }, parameters()),
    companion: ({ resourceType, id }) =>
      readResourceText(JSON.stringify(provenanceOf(reporting, [`${resourceType}/${id}`]))),
    written: (tx, { resourceType, id }) => announce(tx, { requestGuid: found.request_guid, resourceType, id, person }),
  };
}

/** What the provider reported about the request: a report stays with its request. */
function ownReports(
  { provider, request }: { readonly provider: string; readonly request: string },
  parameters: SearchParameters,
): Access {
  const keyOf = (type: string, code: string) => parameters.forType(type).get(code)?.key ?? nameKey(`${type}.${code}`);
  return (type) => ({
    kind: 'provided',
    providerGuid: provider,
    serviceRequestId: request,
    tagKey: keyOf(type, '_tag'),
    basedOnKey: keyOf(type, 'based-on'),
  });
}

/** The report with the references in the form by which searches find it, and with who did the work. */
function completed(given: JsonObject, found: ReportableRequest, request: string): JsonObject {
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
