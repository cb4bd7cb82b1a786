// Creates the dispatch service (contract: dispatch): its features with their dependencies, its routes, its background
// loops. It neither listens nor reads the environment.
import { createApiKeyClient } from '#clients/api-key-client.ts';
import { type ContractClient, createContractClient } from '#clients/contract-client.ts';
import type { PatientLinkPage } from '#clients/identity-client.ts';
import { createKeyUsageClient } from '#clients/key-usage-client.ts';
import { createPlanClient, type PlanClient } from '#clients/plan-client.ts';
import { createResultClient } from '#clients/result-client.ts';
import { type Calendar, createCalendar } from '#fhir/primitives/calendar.ts';
import type { ReadProxies } from '#fhir/rest/access-check/proxy-relation.ts';
import { registerAccessCheck } from '#fhir/rest/access-check/routes.ts';
import { createAccessCheck } from '#fhir/rest/access-check/service.ts';
import { sendStatement, statementText } from '#fhir/rest/http/statement.ts';
import { createIdGuard } from '#fhir/rest/id-guard.ts';
import type { FhirRestOptions } from '#fhir/rest/options.ts';
import { fhirRestPlugin } from '#fhir/rest/plugin.ts';
import { recordRefusedRequests } from '#fhir/rest/refusals.ts';
import { createWorkerThreads, type WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { createPatientReporter, type PatientReporter, type PatientReportSink } from '#fhir/store/patient-reports.ts';
import { createFhirStore, type FhirStore } from '#fhir/store/store.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { createAccessLog } from '#lib/audit/access-log.ts';
import { type Audit, createAudit } from '#lib/audit/audit.ts';
import type { AuditSink } from '#lib/audit/audit-shipper.ts';
import { type Backlog, createBacklog } from '#lib/audit/back-pressure.ts';
import { createKeyUsage } from '#lib/auth/key-usage.ts';
import type { RegisteredIdSource } from '#lib/auth/registered-ids.ts';
import type { ServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { Setting } from '#lib/config/settings.ts';
import type { WireForm } from '#lib/http/error-handler.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import { createIdempotency } from '#lib/idempotency/idempotency.ts';
import { stopInTurn, stopTogether } from '#lib/jobs/stop.ts';
import type { ThreadLimit } from '#lib/jobs/thread-limit.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import { createMailer } from '#lib/mail/mailer.ts';
import type { SendMail } from '#lib/mail/smtp-sender.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { registerSettings } from '#lib/metrics/settings-route.ts';
import { createRemadeValue } from '#lib/remade-values.ts';
import type { Retention } from '#lib/retention/config.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { Tracer } from '#lib/traces/tracer.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { rightsFrom } from './access-checks/rights.ts';
import { createRequestActs } from './access-checks/service.ts';
import { createKeyUseOutbox } from './api-keys/key-use-outbox.ts';
import { createAuditWork } from './audit-work.ts';
import { PLAN_ANSWER } from './careplans/plan-tasks.ts';
import { registerCarePlanRoutes } from './careplans/routes.ts';
import { createCarePlanService } from './careplans/service.ts';
import { readDeliveryQueue } from './deliveries/metrics.ts';
import { createAttachmentService } from './forms/attachment-service.ts';
import { createCatalogueService } from './forms/catalogue-service.ts';
import { createFreezingService } from './forms/freezing-service.ts';
import { registerAttachmentRoutes, registerCatalogueRoutes, registerFormSchemaRoute } from './forms/routes.ts';
import { createHousekeeping } from './housekeeping.ts';
import { registerMatchRoutes } from './matches/routes.ts';
import { createMatchService } from './matches/service.ts';
import { registerStatusRoute } from './monitoring/routes.ts';
import { createDispatchStatus } from './monitoring/service.ts';
import { dispatchExamples } from './openapi-examples.ts';
import { createPreviewService } from './own-consents/preview-service.ts';
import { registerOwnConsentRoutes } from './own-consents/routes.ts';
import { createOwnConsents, type OwnConsents } from './own-consents/service.ts';
import { registerPlacementRoutes } from './patient-forms/placement-routes.ts';
import { createPlacementService } from './patient-forms/placement-service.ts';
import { createPlanFormService } from './patient-forms/plan-form-service.ts';
import { createReportNoticeService } from './patient-forms/report-notice-service.ts';
import { registerPatientFormRoutes } from './patient-forms/routes.ts';
import { createPatientFormService } from './patient-forms/service.ts';
import { createPersons, type Persons } from './persons/service.ts';
import { describeCapabilities, FHIR_TYPES, isFhirPath } from './records.ts';
import { readResultQueue } from './requests/results/metrics.ts';
import { isOpen, requestStatus } from './requests/status.ts';
import { createSendingHalf, type SendingHalf, type SendingHalfOptions } from './sending-half.ts';
import { type ApplyProgress, createCompletion } from './service-requests/completion-service.ts';
import { createDraftService } from './service-requests/draft-service.ts';
import { createFinalize, type FinalizeServiceOptions } from './service-requests/finalize-service.ts';
import { registerServiceRequestRoutes } from './service-requests/routes.ts';
import { createTransitionService } from './service-requests/transition-service.ts';
import { accessFor, hasRight, ownerOf } from './shared/access.ts';
import { registerRawBody } from './shared/json-body.ts';
import { createRecords, type Records } from './shared/records.ts';
import { createRequestContext, type RequestContext } from './shared/request-context.ts';
import { createTextWork, type TextTasks } from './shared/text-tasks.ts';
import { registerStatisticsMetrics } from './statistics/metrics.ts';
import { registerStatisticsRoutes } from './statistics/routes.ts';
import { createStatistics } from './statistics/service.ts';
import { registerWorklistRoutes } from './worklist/routes.ts';
import { createWorklist } from './worklist/service.ts';
import { createWriteRules } from './write-rules.ts';

/** Another service that dispatch calls, and the credentials for it, if any. */
interface Upstream {
  readonly fetch: ServiceFetch;
  readonly credentials: ServiceCredentials | undefined;
}

export interface DispatchDeps extends WorkDependencies {
  readonly metrics: Metrics;
  /** Records attempts at webhooks as spans; nothing is recorded when left out. */
  readonly tracer?: Tracer | undefined;
  /** Of this release. */
  readonly version: string;
  readonly config: DispatchConfig;
  /** What administrators see of the configuration; nothing when left out. */
  readonly settings?: readonly Setting[];
  /** How long is kept what accumulates; without end when left out. */
  readonly retention?: Retention;
  /** Processor time that one request may take in a thread, in milliseconds (default 10,000). */
  readonly requestMs?: number;
  /** The most worker threads of several services together. */
  readonly threadLimit?: ThreadLimit | undefined;
  /** Every node needs the same keys (docs/adr/0006). */
  readonly masterKeys: KeySet;
  /** The public address of the service with `/api/v1`, without a slash at the end. */
  readonly baseUrl: string;
  /** The language in whose order searches sort texts; the default language when left out. */
  readonly sortLanguage?: string;
  readonly planService: Upstream;
  readonly contractService: Upstream;
  /** For API keys, which the engine owns. */
  readonly engineFetch: ServiceFetch;
  /** Origin of the engine's inbox, to which webhooks may go even if it is a private address (decision D8). */
  readonly engineUrl: string;
  /** The engine's public FHIR base URL, for references to the results that it stores. */
  readonly engineFhirUrl: string;
  /** The credentials of dispatch for calls to other services. */
  readonly serviceCredentials: ServiceCredentials;
  /** A user as identity has it now, for mails; without it no digest is sent. */
  readonly readContact?: SendingHalfOptions['readContact'];
  /** Whose proxy a user is or was, for the words of access checks; without it they say less. */
  readonly readProxies?: ReadProxies;
  /** What identity calls an organisation now; without it only those on record here are named. */
  readonly readUnitName?: FinalizeServiceOptions['readUnitName'];
  /** Which ids identity has issued (docs/adr/0051). Without it every id is free. */
  readonly registeredIds?: RegisteredIdSource;
  /** Sends mail; without it nothing is queued. */
  readonly sendMail?: SendMail | undefined;
  /** Identity, which links Patients to registered patients (docs/adr/0068). Without it they wait to be reported. */
  readonly reportPatients?: PatientReportSink;
  /** Identity's feed of whose records are one person's (docs/adr/0073). Without it each record is a person. */
  readonly readPatientLinks?: (after: number) => Promise<PatientLinkPage>;
  /** Where audit events are sent; without it they stay in the outbox. */
  readonly auditSink?: AuditSink;
}

/** The settings of dispatch that it reads itself. */
export interface DispatchConfig
  extends Pick<
    SendingHalfOptions,
    'consentPolicy' | 'notificationDays' | 'rateLimitReceipt' | 'timeZone' | 'webhookAllowPrivate'
  > {
  readonly webhookRetrySeconds: readonly number[];
  readonly webhookTimeoutSeconds: number;
}

const PREFIX = '/api/v1';
const REQUEST_MS = 10_000;
const THREAD = new URL('./thread.ts', import.meta.url);

/** What the requester's side and the delivery side share. */
interface Foundation {
  readonly workerThreads: WorkerThreads;
  readonly store: FhirStore;
  readonly housekeeping: readonly WorkerLoop[];
  readonly texts: TextTasks;
  readonly records: Records;
  readonly audit: Audit;
  /** Of access records that are no events yet. */
  readonly backlog: Backlog;
  readonly plans: PlanClient;
  readonly contracts: ContractClient;
  readonly requestContext: RequestContext;
  readonly calendar: Calendar;
  readonly patientReports: PatientReporter | undefined;
  readonly persons: Persons;
  readonly ownConsents: OwnConsents;
}

export async function createDispatchService(given: DispatchDeps) {
  const idempotency = createIdempotency(given);
  const deps = { ...given, database: idempotency.database };
  const { database, clock, log } = deps;
  const base = createFoundation(deps);
  const applyProgress = createCompletion({ ...base, clock });
  const { webhookRetrySeconds: retryScheduleSeconds, webhookTimeoutSeconds, ...config } = deps.config;
  const mailer = deps.sendMail && createMailer({ ...deps, keys: deps.masterKeys, send: deps.sendMail });
  const sending = createSendingHalf({
    ...deps,
    mailer,
    ...config,
    trustedOrigins: [deps.engineUrl],
    results: createResultClient({ fetch: deps.engineFetch, credentials: deps.serviceCredentials }),
    engineFhirUrl: deps.engineFhirUrl,
    retryScheduleSeconds,
    attemptTimeoutMs: webhookTimeoutSeconds * 1000,
    ...base,
    applyProgress,
  });
  const auditWork = createAuditWork({ ...deps, ...base });
  const keyUses = createKeyUseOutbox({
    database,
    log,
    send: createKeyUsageClient({ fetch: deps.engineFetch, credentials: deps.serviceCredentials }),
  });
  const keyUsage = createKeyUsage({
    clock,
    log,
    sink: async (batch) => {
      await keyUses.keep(batch);
      keyUses.loop.wake();
    },
  });
  const { patientReports, persons } = base;
  const loops = [idempotency.loop, keyUsage.loop, keyUses.loop, ...auditWork, ...base.housekeeping];
  const register = createRoutes(deps, base, { sending, applyProgress });
  return {
    apiKeys: createApiKeyClient({ fetch: deps.engineFetch, credentials: deps.serviceCredentials }),
    readiness: [],
    wireFormOf,
    examples: dispatchExamples,
    async plugin(app: HttpApp): Promise<void> {
      keyUsage.register(app);
      idempotency.register(app);
      await register(app);
    },
    async start(): Promise<void> {
      for (const loop of loops) loop.start();
      await mailer?.start();
      patientReports?.start();
      persons.loop.start();
      await sending.start();
    },
    stop(): Promise<void> {
      return stopInTurn([
        () => stopTogether([sending, mailer, patientReports, persons.loop, ...loops]),
        base.workerThreads.close,
        () => keyUsage.flush().catch((error: unknown) => log.warn({ event: 'key-usage.lost', err: error })),
        // The engine may have stopped before: what it does not accept now is sent at the next start.
        () => keyUses.ship().catch((error: unknown) => log.info({ event: 'key-usage.waits', err: error })),
      ]);
    },
  };
}

export function wireFormOf(path: string): WireForm {
  return isFhirPath(path) ? 'fhir' : 'plain';
}

function createFoundation(deps: DispatchDeps): Foundation {
  const { database, clock, baseUrl, sortLanguage, log, requestMs = REQUEST_MS } = deps;
  const threads = { size: 1, limit: deps.threadLimit, url: THREAD, budgetMs: requestMs };
  const workerThreads = createWorkerThreads({ baseUrl, sortLanguage, ...threads });
  const parameters = loadSearchParameters(baseUrl, sortLanguage);
  const store = createFhirStore({ parameters, clock, validate: validateResource, workerThreads });
  const texts = createTextWork(workerThreads);
  const records = createRecords(store, texts);
  const audit = createAudit({ database, clock, service: 'dispatch' });
  const calendar = createCalendar(deps.config.timeZone);
  const patientReports = deps.reportPatients && createPatientReporter({ database, log, sink: deps.reportPatients });
  const persons = createPersons({ ...deps, reporter: patientReports });
  return {
    backlog: createBacklog(deps),
    calendar,
    patientReports,
    persons,
    ownConsents: createOwnConsents({ database, clock, calendar, log, audit, store, records, persons }),
    workerThreads,
    store,
    housekeeping: createHousekeeping({ ...deps, audit, parameters, workerThreads }),
    texts,
    records,
    audit,
    requestContext: createRequestContext({ database, records, audit }),
    plans: createPlanClient({ ...deps.planService, read: (text) => texts.run(PLAN_ANSWER, { text }) }),
    contracts: createContractClient(deps.contractService),
  };
}

interface Consequences {
  readonly sending: SendingHalf;
  readonly applyProgress: ApplyProgress;
}

function createRoutes(deps: DispatchDeps, base: Foundation, { sending, applyProgress }: Consequences) {
  const tools = { database: deps.database, clock: deps.clock, ...base };
  const workflow = {
    ...tools,
    applyProgress,
    withdrawMatches: sending.withdrawMatches,
    settleOverdue: sending.settleOverdue,
  };
  const freezing = createFreezingService(base);
  const { notifier } = sending.notifications;
  const carePlans = createCarePlanService({
    ...tools,
    planForms: createPlanFormService({ ...tools, freezing, notifier }),
  });
  const planWrite = createWriteRules({ ...base, planCarePlan: carePlans.planWrite });
  const drafts = createDraftService({ ...workflow, carePlans });
  const { baseUrl, log, readContact, readUnitName } = deps;
  const finalize = createFinalize({ ...workflow, log, readContact, readUnitName, freezing, notifier });
  const placement = createPlacementService(tools);
  const reports = createReportNoticeService({ ...tools, notifier, placement });
  const forms = createPatientFormService({ ...tools, notifier, baseUrl });
  const transitions = createTransitionService(workflow);
  const attachments = createAttachmentService(workflow);
  const catalogue = createCatalogueService(tools);
  const matches = createMatchService(workflow);
  const statistics = createStatistics({ ...tools, timeZone: deps.config.timeZone });
  registerStatisticsMetrics(deps.metrics, statistics, deps.clock);
  const previews = createPreviewService({ ...tools, gate: sending.previewGate });
  const explainAccess = createAccessCheck({
    deciding: fhirOptions(deps, base),
    audit: base.audit,
    rightsOf: rightsFrom(deps),
    readProxies: deps.readProxies,
    furtherActs: createRequestActs({
      ...tools,
      gate: sending.previewGate,
      findReportable: sending.findReportable,
      isShown: ({ status, progress }) => status !== 'pending' && isOpen(requestStatus(status, progress)),
    }),
  });
  const describe = { baseUrl: deps.baseUrl, parameters: base.store.parameters };
  const statement = createRemadeValue(() => statementText(describeCapabilities(describe)));
  return async (app: HttpApp): Promise<void> => {
    await app.register(fhirRestPlugin, { ...fhirOptions(deps, base), prefix: PREFIX, planWrite });
    await app.register(
      async (scope: HttpApp) => {
        recordRefusedRequests(scope, recordOf, fhirOptions(deps, base));
        const bodyText = registerRawBody(scope, isFhirPath);
        const schema = { tags: ['metadata'], summary: 'CapabilityStatement' };
        scope.get('/metadata', { config: { permission: 'public', caching: 'public' }, schema }, (request, reply) =>
          sendStatement(request, reply, statement()),
        );
        registerServiceRequestRoutes(scope, { drafts, finalize, transitions, bodyText, baseUrl: deps.baseUrl });
        registerAttachmentRoutes(scope, attachments);
        registerMatchRoutes(scope, matches);
        registerWorklistRoutes(scope, createWorklist(tools));
        registerStatisticsRoutes(scope, statistics);
        registerStatusRoute(
          scope,
          createDispatchStatus({ ...deps, readDeliveries: readDeliveryQueue, readResults: readResultQueue }),
        );
        registerSettings(scope, {
          path: '/settings',
          tag: 'monitoring',
          permission: 'settings:read',
          settings: deps.settings ?? [],
        });
        registerCatalogueRoutes(scope, catalogue);
        registerFormSchemaRoute(scope);
        registerPlacementRoutes(scope, { placement, reports });
        registerPatientFormRoutes(scope, { forms, bodyText, baseUrl });
        registerCarePlanRoutes(scope, carePlans);
        registerOwnConsentRoutes(scope, { ownConsents: base.ownConsents, previews });
        registerAccessCheck(scope, '/access-checks', explainAccess);
        sending.registerRoutes(scope, bodyText);
      },
      { prefix: PREFIX },
    );
    await sending.registerPages(app);
  };
}

/** The FHIR type whose record a workflow route is below: `/ServiceRequest/:id/matches`, `/careplans/:guid/context`. */
function recordOf(route: string): string | undefined {
  if (route.includes('/ServiceRequest/:')) return 'ServiceRequest';
  return route.includes('/careplans/:') ? 'CarePlan' : undefined;
}

function fhirOptions(
  { database, baseUrl, clock, registeredIds }: DispatchDeps,
  { store, workerThreads, ownConsents, backlog }: Foundation,
): FhirRestOptions {
  const accessLog = createAccessLog({ database, clock, backPressure: backlog });
  return {
    database,
    store,
    workerThreads,
    accessLog,
    baseUrl,
    types: FHIR_TYPES,
    hasRight,
    access: accessFor,
    ownerOrganisation: ownerOf,
    completeReport: async (db, principal, { source }) =>
      principal.patientGuid === undefined ? undefined : ownConsents.complete(db, principal, source),
    guardIds: registeredIds && createIdGuard({ database, clock, source: registeredIds }),
  };
}
