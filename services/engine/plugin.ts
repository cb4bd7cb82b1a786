// Creates the engine service from its parts. main.ts serves it. This module neither listens nor reads the environment.

import type { AccountClient } from '#clients/account-client.ts';
import type { DispatchClient } from '#clients/dispatch-client.ts';
import type { IdentityNames } from '#clients/identity-names.ts';
import type { CustomProfiles } from '#fhir/profiles/custom.ts';
import type { ReadProxies } from '#fhir/rest/access-check/proxy-relation.ts';
import { registerAccessCheck } from '#fhir/rest/access-check/routes.ts';
import { createAccessCheck } from '#fhir/rest/access-check/service.ts';
import { createIdGuard, type IdGuard } from '#fhir/rest/id-guard.ts';
import { entriesOfAccess } from '#fhir/rest/interactions/access-records.ts';
import type { FhirRestOptions } from '#fhir/rest/options.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { ParameterNode } from '#fhir/store/index/parameter-node.ts';
import { createTextIndexer } from '#fhir/store/index/text-index.ts';
import { createPatientReporter, type PatientReportSink } from '#fhir/store/patient-reports.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { Catalog } from '#fhir/terminology/catalog/catalog.ts';
import { createTerminologyOperations } from '#fhir/terminology/operations/service.ts';
import type { PublishedDefinitions } from '#fhir/terminology/published.ts';
import type { Validate } from '#fhir/validation/stored-validation.ts';
import { createAccessLog } from '#lib/audit/access-log.ts';
import { registerAccessMetrics, registerOutboxMetrics } from '#lib/audit/access-metrics.ts';
import { createAccessUnpacker } from '#lib/audit/access-unpacker.ts';
import { createAudit } from '#lib/audit/audit.ts';
import { createAuditShipper } from '#lib/audit/audit-shipper.ts';
import { type BackPressure, createBacklog } from '#lib/audit/back-pressure.ts';
import type { ApiKeySource, ForeignTokens } from '#lib/auth/authenticator.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { RegisteredIdSource } from '#lib/auth/registered-ids.ts';
import type { Setting } from '#lib/config/settings.ts';
import { SWEDISH_TIME } from '#lib/html/moment-text.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createIdempotency } from '#lib/idempotency/idempotency.ts';
import { stopInTurn, stopTogether } from '#lib/jobs/stop.ts';
import type { ThreadLimit } from '#lib/jobs/thread-limit.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { registerSettings } from '#lib/metrics/settings-route.ts';
import { createCacheMetrics } from '#lib/metrics/summary.ts';
import { createRateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { POSITION_COMPONENTS, registerPositions } from '#lib/replicas/position-header.ts';
import type { ReadReplicas } from '#lib/replicas/read-replicas.ts';
import type { Retention } from '#lib/retention/config.ts';
import { createRetentionLoop } from '#lib/retention/loop.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import { createAccessLogBackfill } from './access-log/backfill.ts';
import { enterEvents } from './access-log/entries.ts';
import { registerAccessLog } from './access-log/routes.ts';
import { createAccessLogReader } from './access-log/service.ts';
import { type AccountSettings, createAccounts } from './accounts.ts';
import { registerApiKeys } from './api-keys/routes.ts';
import { createApiKeyService } from './api-keys/service.ts';
import { registerKeyUsage } from './api-keys/usage-routes.ts';
import { createKeyUsageService } from './api-keys/usage-service.ts';
import { createEventConversion } from './audit-events/conversion.ts';
import { createEventCounting } from './audit-events/counting.ts';
import { createRetentionJob } from './audit-events/retention-job.ts';
import { registerAuditEvents } from './audit-events/routes.ts';
import { createAuditEventService } from './audit-events/service.ts';
import { createBulk } from './bulk/bulk.ts';
import { registerContracts } from './contracts/routes.ts';
import { createContractService } from './contracts/service.ts';
import { createEngineStore } from './engine-store.ts';
import { registerFreshness } from './fhir/freshness.ts';
import { registerMetadata } from './fhir/metadata.ts';
import { registerFhir, servedTypes } from './fhir/mount.ts';
import { createLibrary } from './library.ts';
import type { WatchedDisk } from './monitoring/disk.ts';
import { registerJobMetrics } from './monitoring/job-metrics.ts';
import { registerMonitoring } from './monitoring/routes.ts';
import { createMonitoringService } from './monitoring/service.ts';
import { registerOwners } from './owners/routes.ts';
import { createOwnerService } from './owners/service.ts';
import { createProviderInbox } from './provider-inbox.ts';
import { registerProviders } from './providers/routes.ts';
import { createProviderService } from './providers/service.ts';
import { createReportNotices, type ReportNotices } from './results/notice-service.ts';
import { createPatientNotices, type PatientNotices } from './results/patient-notice-service.ts';
import { registerResults } from './results/routes.ts';
import { createResultService } from './results/service.ts';
import { engineRetention } from './retention.ts';
import { createExternalServers, type ServerAccess } from './servers/external-servers.ts';
import { createCurrentRights } from './shared/current-rights.ts';
import { createResourceWriter } from './shared/resource-writer.ts';
import { BASE_PATH } from './shared/routes.ts';
import { createSynchronize } from './synchronize/synchronize.ts';

/** What the engine needs. The disk is the one whose free space /health reports. */
export interface EngineDependencies extends WorkDependencies, WatchedDisk {
  readonly metrics: Metrics;
  /** Standbys of the database, for FHIR reads and exports; none when left out. The service starts and stops them. */
  readonly replicas?: ReadReplicas | undefined;
  /** The public absolute URL of the FHIR base, without a trailing slash: `https://…/engine/api/v1`. */
  readonly baseUrl: string;
  /** The URL, with `/api/v1`, at which dispatch reaches the engine. Webhooks of hosted providers go there. */
  readonly webhookBaseUrl: string;
  /**
   * Keys that are not in the database. They seal webhook secrets, receipt tokens, second factors and servers' secrets,
   * and sign the tokens of the engine's own users.
   */
  readonly sealingKeys: KeySet;
  readonly dispatch: DispatchClient;
  /**
   * Returns the current principal of a user of identity; undefined when there is no such user.
   * @throws ServiceError `upstream_unavailable`
   */
  readonly readAccess: (userGuid: string) => Promise<Principal | undefined>;
  /** Identity, for the words of access checks about proxies. Without it they say less. */
  readonly readProxies?: ReadProxies;
  /** The ids that identity has assigned (docs/adr/0051). When left out, every id is free. */
  readonly registeredIds?: RegisteredIdSource;
  /** Identity, which links Patients to registered patients (docs/adr/0068). Without it they wait to be reported. */
  readonly reportPatients?: PatientReportSink;
  /** Identity, for the names in access logs. Without it there are none of its users. */
  readonly identityNames?: IdentityNames;
  /** Whether patients see the names of individuals in their access log; true when left out. */
  readonly showsNames?: boolean;
  /** How long is kept what accumulates; without end when left out. */
  readonly retention?: Retention;
  /** Of the times in an exported access log; Europe/Stockholm when left out. */
  readonly timeZone?: string;
  readonly accounts: AccountSettings;
  /** Hashes passwords; with the parameters of decision I2 when left out. */
  readonly passwords?: PasswordHasher;
  /** Identity's accounts: an address is looked up there before it is among the engine's own users. */
  readonly identityAccounts: AccountClient;
  /** No servers of the file, and none on private addresses, when left out. */
  readonly serverAccess?: ServerAccess;
  /**
   * How many requests a minute one receipt token may make, and how many wrong tokens one client may send; 300 when left
   * out.
   */
  readonly receiptsPerMinute?: number;
  /** Whether references must point to existing resources. */
  readonly checksReferences?: boolean;
  /** The language of the sort order of searches; the default when left out. */
  readonly sortLanguage?: string;
  /** Processor time that one request may take in threads, in milliseconds (default 10,000). */
  readonly requestMs?: number;
  /** The most worker threads of several services together. */
  readonly threadLimit?: ThreadLimit | undefined;
  /** What administrators see of the configuration; nothing when left out. */
  readonly settings?: readonly Setting[];
  /** Kedja's version. */
  readonly version: string;
}

const REQUEST_MS = 10_000;
/** Searches of one patient among providers: more than somebody types. */
const DIRECTORY = { scope: 'provider-directory', limit: 300, windowSeconds: 60 };

export interface EngineService {
  /** Reads API keys for the engine's own authenticator, without a call over HTTP. */
  readonly apiKeys: ApiKeySource;
  /** Reads the tokens of the engine's own users. */
  readonly userTokens: ForeignTokens;
  readonly plugin: (app: HttpApp) => Promise<void>;
  /** Starts the background loops. */
  start(): Promise<void>;
  /** Makes the background loops check for work now. */
  wake(): void;
  /** Stops the background loops after their current step. */
  stop(): Promise<void>;
}

export async function createEngineService(input: EngineDependencies): Promise<EngineService> {
  const idempotency = createIdempotency({ ...input, masterKeys: input.sealingKeys });
  const deps = { ...input, database: idempotency.database };
  const { database, clock, log } = deps;
  const audit = createAudit({ database, clock, service: 'engine' });
  const { store, auditStore, node, profileNode, terminologyNode, conceptNode, indexUpgrade, ...known } =
    createEngineStore({ requestMs: REQUEST_MS, ...deps });
  const followers = [node, profileNode, terminologyNode, conceptNode];
  const { parameters } = store;
  const { resourceTypes } = parameters;
  const apiKeys = createApiKeyService({ database, clock, audit, resourceTypes });
  const auditEvents = createAuditEventService({ database, clock, store: auditStore, enter: enterEvents });
  const shipper = createAuditShipper({
    database,
    sink: (events) =>
      auditEvents.store(
        'engine',
        events.map((event) => JSON.parse(event)),
      ),
    log,
    clock,
  });
  registerAccessMetrics(deps.metrics, deps);
  registerOutboxMetrics(deps.metrics, deps);
  const backlog = createBacklog(deps);
  registerJobMetrics(deps.metrics, deps);
  const unpacker = createAccessUnpacker({
    database,
    service: 'engine',
    entriesOf: entriesOfAccess(parameters, known.workerThreads, store.from),
    store: auditEvents.storeOwn,
    log,
    clock,
    backlog,
  });
  const writer = createResourceWriter(store, known.workerThreads);
  const registerLibrary = createLibrary({ ...deps, writer });
  const providers = createProviderService({ ...deps, onReplaced: apiKeys.clearCache });
  const inbox = createProviderInbox({
    ...deps,
    audit,
    writer,
    providers,
    parameters,
    workerThreads: known.workerThreads,
  });
  const notices = createReportNotices(deps);
  const patientNotices = createPatientNotices(deps);
  // `input.database` and not the idempotent one: bulk jobs outlive their requests, and have no stored responses.
  const keyUsage = createKeyUsageService(deps);
  const caches = createCacheMetrics(deps.metrics);
  const accounts = createAccounts({ ...deps, audit, onAccess: caches('sessions') });
  const rights = createCurrentRights({ keys: apiKeys, users: accounts, readAccess: input.readAccess });
  // Identity knows nothing of the engine's own users, nor the engine of identity's.
  const rightsOf = async (kind: 'user' | 'api_key', guid: string) =>
    kind === 'api_key' ? apiKeys.principalOf(guid) : ((await accounts.principalOf(guid)) ?? input.readAccess(guid));
  const guardIds = guardOf(deps);
  const bulk = createBulk({ ...input, store, audit, rights, guardIds, workerThreads: known.workerThreads, backlog });
  const external = createExternalServers({ ...deps, audit, resourceTypes, workerThreads: known.workerThreads });
  const { servers, upstream } = external;
  const synchronize = createSynchronize(
    { ...deps, ...input, audit, store, servers, upstream, rights, workerThreads: known.workerThreads },
    deps,
  );
  const resources = store.from(database, resourceTypes);
  const monitoring = createMonitoringService({ ...deps, resourceTypes, resources, servers: external.statuses.known });
  const loops = [
    synchronize.loop,
    unpacker,
    shipper,
    ...(input.reportPatients === undefined
      ? []
      : [createPatientReporter({ database, log, sink: input.reportPatients })]),
    createTextIndexer({ database, log, workerThreads: known.workerThreads }),
    indexUpgrade,
    createAccessLogBackfill({ database, clock, log }),
    createEventConversion({ database, clock, log, parameters }),
    createEventCounting({ database, clock, log }),
    ...(input.retention?.accessLog === undefined
      ? []
      : [createRetentionJob({ database, clock, log, audit, keptMonths: input.retention.accessLog })]),
    createRetentionLoop(engineRetention(input.retention ?? {}, parameters), { ...deps, audit, service: 'engine' }),
    idempotency.loop,
    ...inbox.loops,
    notices.loop,
    patientNotices.loop,
    ...bulk.loops,
    accounts.loop,
    ...keyUsage.loops,
  ];
  return {
    apiKeys: apiKeys.source,
    userTokens: accounts.userTokens,
    plugin: async (app) => {
      app.offerOpenApiComponents(POSITION_COMPONENTS);
      if (deps.replicas !== undefined) registerPositions(app, deps.replicas);
      keyUsage.own.register(app);
      idempotency.register(app);
      await accounts.register(app);
      registerLibrary(app);
      registerProviders(app, providers, createRateLimiter(DIRECTORY, deps));
      registerOwners(app, createOwnerService({ ...deps, audit, resourceTypes }));
      registerContracts(app, createContractService(deps));
      registerApiKeys(app, apiKeys);
      registerKeyUsage(app, keyUsage);
      registerAuditEvents(app, auditEvents);
      registerResults(app, createResultService({ ...deps, audit, store, writer }));
      registerAccessLog(app, {
        reader: createAccessLogReader({ showsNames: true, ...deps, audit }),
        clock,
        timeZone: deps.timeZone ?? SWEDISH_TIME,
      });
      inbox.register(app);
      await bulk.register(app);
      await external.register(app);
      synchronize.register(app);
      registerMonitoring(app, monitoring);
      registerSettings(app, {
        path: `${BASE_PATH}/settings`,
        tag: 'monitoring',
        permission: 'settings:read',
        settings: deps.settings ?? [],
      });
      registerFreshness(app, { definitions: [terminologyNode, profileNode], concepts: [conceptNode] });
      const mounted = {
        store,
        node,
        ...known,
        guardIds,
        announce: notices.announce,
        announceReport: patientNotices.announce,
        backPressure: backlog,
      };
      const deciding = await mountFhir(app, deps, mounted);
      registerAccessCheck(
        app,
        `${BASE_PATH}/access-checks`,
        createAccessCheck({ deciding, audit, rightsOf, readProxies: input.readProxies }),
      );
    },
    start: async () => {
      await deps.replicas?.start();
      await accounts.prepare();
      await Promise.all(followers.map((each) => each.start()));
      for (const loop of loops) loop.start();
    },
    wake: () => {
      for (const loop of [...followers, ...loops]) loop.wake();
    },
    stop: () =>
      stopInTurn([
        () => stopTogether([...followers, ...loops]),
        external.close,
        () => known.workerThreads?.close(),
        () => deps.replicas?.stop(),
        // No request is served any more, so the last counts are stored now.
        () => keyUsage.own.flush().catch((error: unknown) => log.warn({ event: 'key-usage.lost', err: error })),
      ]),
  };
}

function guardOf({ database, clock, registeredIds }: EngineDependencies): IdGuard | undefined {
  return registeredIds && createIdGuard({ database, clock, source: registeredIds });
}

interface Mounted {
  readonly guardIds: IdGuard | undefined;
  readonly announce: ReportNotices['announce'];
  readonly announceReport: PatientNotices['announce'];
  readonly store: FhirStore;
  readonly profiles: CustomProfiles;
  readonly validate: Validate;
  readonly node: ParameterNode;
  readonly catalog: Catalog;
  readonly published: PublishedDefinitions;
  readonly workerThreads: WorkerThreads | undefined;
  readonly backPressure: BackPressure;
}

async function mountFhir(
  app: HttpApp,
  deps: EngineDependencies,
  {
    store,
    profiles,
    validate,
    node,
    catalog,
    published,
    guardIds,
    announce,
    announceReport,
    workerThreads,
    backPressure,
  }: Mounted,
): Promise<FhirRestOptions> {
  const { database, replicas, clock, dispatch, baseUrl, version, checksReferences = false } = deps;
  const types = servedTypes(store);
  const terminology = createTerminologyOperations(catalog, clock);
  const startedAt = clock.now();
  registerMetadata(app, { baseUrl, version, startedAt, types, parameters: store.parameters, terminology, catalog });
  const accessLog = createAccessLog({ database, clock, backPressure });
  const mounted = { store, profiles, validate, node, terminology, catalog, published, workerThreads };
  return registerFhir(app, {
    ...mounted,
    database,
    replicas,
    clock,
    dispatch,
    announce,
    announceReport,
    accessLog,
    baseUrl,
    types,
    checksReferences,
    guardIds,
  });
}
