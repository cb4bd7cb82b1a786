// Creates the three services as modules of the process: each gets its migrated schema, its clients and its part of the
// configuration.

import { createAccountClient } from '#clients/account-client.ts';
import { createAuditClient } from '#clients/audit-client.ts';
import { createClientSource } from '#clients/client-source.ts';
import { createDispatchClient } from '#clients/dispatch-client.ts';
import { createIdentityClient, type IdentityClient } from '#clients/identity-client.ts';
import { createIdentityNames, type IdentityNames } from '#clients/identity-names.ts';
import { createIdentityProxies } from '#clients/identity-proxies.ts';
import { createSignInClient } from '#clients/sign-in-client.ts';
import type { ReadProxies } from '#fhir/rest/access-check/proxy-relation.ts';
import { type ApiKeySource, createAuthenticator, type ForeignTokens } from '#lib/auth/authenticator.ts';
import { createIdentityLink, type IdentityLink } from '#lib/auth/identity-link.ts';
import type { ClientService, RecordService } from '#lib/auth/principal.ts';
import type { ServiceClient, ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { systemClock } from '#lib/clock.ts';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Database } from '#lib/db/database.ts';
import { createDatabaseClock } from '#lib/db/database-clock.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import type { ReadinessCheck } from '#lib/http/operations.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { stopInTurn } from '#lib/jobs/stop.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { SendMail } from '#lib/mail/smtp-sender.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { createSignIn } from '#lib/sign-in/sign-in.ts';
import type { Tracer } from '#lib/traces/tracer.ts';
import { migrations as dispatchMigrations } from '#services/dispatch/migrations.ts';
import { createDispatchService } from '#services/dispatch/plugin.ts';
import { dispatchSealedValues } from '#services/dispatch/sealed-values.ts';
import { migrations as engineMigrations } from '#services/engine/migrations.ts';
import { engineExamples } from '#services/engine/openapi-examples.ts';
import { createEngineService } from '#services/engine/plugin.ts';
import { engineSealedValues } from '#services/engine/sealed-values.ts';
import { readServerFile } from '#services/engine/servers/server-file.ts';
import { wireFormOf as engineWireForm } from '#services/engine/wire-form.ts';
import { migrations as identityMigrations } from '#services/identity/migrations.ts';
import { identityExamples } from '#services/identity/openapi-examples.ts';
import { createIdentityService } from '#services/identity/plugin.ts';
import { identitySealedValues } from '#services/identity/sealed-values.ts';
import { type Addresses, type Config, fhirBaseOf, settingsOf } from '../config.ts';
import { configuredReplicas, databaseLog } from './database.ts';
import type { KeyFolder } from './keys/keys.ts';
import { sealingKeyOf } from './keys/sealing-keys.ts';
import { databaseReadiness } from './module.ts';
import { partnerOf } from './partners.ts';
import type { Peers } from './peers.ts';
import { createSchemaChangeLoop } from './schema-changes.ts';
import { VERSION } from './version.ts';

/** What all services of a process share. */
export interface ProcessContext {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly database: DatabaseAddress;
  readonly keys: KeyFolder;
  /** The gateway's proof to the services. */
  readonly gatewayProof: string;
  readonly peers: Peers;
  readonly serviceClients: readonly ServiceClient[];
  readonly applications: readonly ServiceCredentials[];
  /** Local copies of the revocation list that must follow identity's at once. */
  readonly links: IdentityLink[];
}

/** What one service is created with. */
export interface ServiceContext {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

export function identityModule(around: ProcessContext, { log, metrics }: ServiceContext): Promise<ServiceModule> {
  const { config, addresses, peers, serviceClients, applications } = around;
  return onSchema(around, { schema: 'identity', sources: identityMigrations, log }, async (database) => {
    const service = await createIdentityService({
      database,
      clock: systemClock,
      log,
      metrics,
      sendMail: await sendMailOf(config),
      config: {
        ...config.identity,
        staffPasswordLength: config.administrator.staffPasswordLength,
        renewsShortPasswords: config.administrator.renewsShortPasswords,
      },
      administrator: administratorOf(config),
      redirects: addresses.ssoRedirects,
      serviceClients,
      applications,
      onRevoked: async () => {
        await Promise.allSettled(around.links.map((link) => link.revocations.refresh()));
      },
      auditSink: createAuditClient({ fetch: peers.fetchOf('engine'), credentials: credentialsOf(around, 'identity') }),
      version: VERSION,
      baseUrl: `${addresses.publicUrl}/identity`,
      sealingKeys: await sealingKeyOf(around.keys, { name: 'personnummer', database, valuesOf: identitySealedValues }),
      settings: settingsOf('identity', config),
      retention: config.retention,
    });
    return { ...service, examples: identityExamples };
  });
}

export function engineModule(around: ProcessContext, { log, metrics }: ServiceContext): Promise<ServiceModule> {
  const { config, addresses, peers, keys } = around;
  return onSchema(around, { schema: 'engine', sources: engineMigrations, log }, async (database) => {
    const sealingKeys = await sealingKeyOf(keys, { name: 'engine-inbox', database, valuesOf: engineSealedValues });
    const service = await createEngineService({
      database,
      clock: systemClock,
      log,
      metrics,
      replicas: configuredReplicas(config, { primary: database, log, metrics, keys: sealingKeys }),
      baseUrl: fhirBaseOf('engine', addresses),
      webhookBaseUrl: `${addresses.engineUrl}/api/v1`,
      sealingKeys,
      dispatch: createDispatchClient({
        fetch: peers.fetchOf('dispatch'),
        credentials: credentialsOf(around, 'engine'),
      }),
      readAccess: identityClient(around, 'engine').readAccess,
      readProxies: identityProxies(around, 'engine'),
      identityAccounts: createAccountClient({
        fetch: peers.fetchOf('identity'),
        credentials: credentialsOf(around, 'engine'),
      }),
      registeredIds: identityClient(around, 'engine').registeredIds,
      reportPatients: identityClient(around, 'engine').reportPatients,
      version: VERSION,
      identityNames: identityNames(around, 'engine'),
      showsNames: config.engine.accessLogNames,
      retention: config.retention,
      timeZone: config.dispatch.timeZone,
      checksReferences: config.engine.checkReferences,
      sortLanguage: config.shared.sortLanguage,
      receiptsPerMinute: config.dispatch.rateLimitReceipt,
      requestMs: config.shared.requestSeconds * 1000,
      accounts: {
        registration: config.engine.registration,
        tokenTtlSeconds: config.identity.tokenTtlSeconds,
        rateLimitLogin: config.identity.rateLimitLogin,
        rateLimitRegister: config.identity.rateLimitRegister,
        passwordLength: config.administrator.staffPasswordLength,
        renewsShortPasswords: config.administrator.renewsShortPasswords,
        administrator: administratorOf(config),
      },
      diskPath: config.shared.dataDir,
      settings: settingsOf('engine', config),
      serverAccess: {
        allowPrivate: config.dispatch.webhookAllowPrivate,
        servers: await readServerFile(config.engine.serversFile),
      },
    });
    return withIdentity(around, {
      sessionKeys: await keys.keySet('session'),
      name: 'engine',
      log,
      service: { ...service, wireFormOf: engineWireForm, examples: engineExamples },
    });
  });
}

export function dispatchModule(
  around: ProcessContext,
  { log, metrics, tracer }: ServiceContext,
): Promise<ServiceModule> {
  const { config, addresses, peers, keys } = around;
  const serviceCredentials = credentialsOf(around, 'dispatch');
  const { engineUrl: url } = addresses;
  const engine = { fetch: peers.fetchOf('engine', '/api/v1'), credentials: serviceCredentials, url };
  const { planUrl, planClient, contractUrl, contractClient } = config.dispatch;
  return onSchema(around, { schema: 'dispatch', sources: dispatchMigrations, log }, async (database) => {
    const clock = createDatabaseClock(database, { own: systemClock, log });
    await clock.follow();
    const dispatch = await createDispatchService({
      database,
      clock,
      log,
      metrics,
      tracer,
      sendMail: await sendMailOf(config),
      version: VERSION,
      config: config.dispatch,
      settings: settingsOf('dispatch', config),
      retention: config.retention,
      requestMs: config.shared.requestSeconds * 1000,
      masterKeys: await sealingKeyOf(keys, { name: 'dispatch-delivery', database, valuesOf: dispatchSealedValues }),
      baseUrl: fhirBaseOf('dispatch', addresses),
      sortLanguage: config.shared.sortLanguage,
      planService: partnerOf({ url: planUrl, client: planClient }, engine),
      contractService: partnerOf({ url: contractUrl, client: contractClient }, engine),
      engineFetch: peers.fetchOf('engine'),
      engineUrl: addresses.engineUrl,
      engineFhirUrl: fhirBaseOf('engine', addresses),
      serviceCredentials,
      readContact: identityClient(around, 'dispatch').readContact,
      readProxies: identityProxies(around, 'dispatch'),
      readUnitName: identityNames(around, 'dispatch').nameNow,
      registeredIds: identityClient(around, 'dispatch').registeredIds,
      reportPatients: identityClient(around, 'dispatch').reportPatients,
      readPatientLinks: identityClient(around, 'dispatch').readPatientLinks,
      auditSink: createAuditClient({ fetch: peers.fetchOf('engine'), credentials: serviceCredentials }),
    });
    const service = {
      ...dispatch,
      start: async () => {
        clock.loop.start();
        await dispatch.start();
      },
      stop: () => stopInTurn([() => dispatch.stop(), clock.loop.stop]),
    };
    return withIdentity(around, { name: 'dispatch', log, service, sessionKeys: await keys.keySet('session') });
  });
}

/** The result of the factory of a service that authenticates by identity. */
interface ConsumerService extends Pick<ServiceModule, 'wireFormOf' | 'examples' | 'plugin' | 'start' | 'stop'> {
  readonly apiKeys: ApiKeySource;
  readonly userTokens?: ForeignTokens;
  readonly readiness?: readonly ReadinessCheck[];
}

/** Adds the connection to identity, and the authenticator that uses it. */
function withIdentity(
  around: ProcessContext,
  site: { name: 'dispatch' | 'engine'; log: Logger; service: ConsumerService; sessionKeys: KeySet },
): ServiceModule {
  const { name, log, service, sessionKeys } = site;
  const client = identityClient(around, name);
  const link = createIdentityLink({ keys: client.keys, revocationSource: client.revocations, clock: systemClock, log });
  around.links.push(link);
  const authenticator = createAuthenticator({
    tokens: link.tokens,
    revocations: link.revocations,
    blobs: client.blobs,
    serviceClients: around.serviceClients,
    clients: createClientSource({
      fetch: around.peers.fetchOf('identity'),
      credentials: credentialsOf(around, name),
      clock: systemClock,
    }),
    clock: systemClock,
    apiKeys: service.apiKeys,
    ...(service.userTokens === undefined ? {} : { foreignTokens: service.userTokens }),
  });
  const { publicUrl } = around.addresses;
  const signIn = createSignIn({
    service: name,
    rootUrl: `${publicUrl}/${name}`,
    identityUrl: `${publicUrl}/identity`,
    keys: sessionKeys,
    clock: systemClock,
    source: createSignInClient(around.peers.fetchOf('identity')),
    authenticator,
    onSignedOut: () => link.revocations.refresh(),
  });
  return {
    authenticator: signIn.authenticator,
    wireFormOf: service.wireFormOf,
    examples: service.examples,
    readiness: [link.readiness, ...(service.readiness ?? [])],
    plugin: async (app) => {
      await signIn.register(app);
      await service.plugin(app);
    },
    start: async () => {
      link.loop.start();
      await service.start();
    },
    stop: () => stopInTurn([service.stop, link.loop.stop]),
  };
}

function identityClient(around: ProcessContext, name: ClientService): IdentityClient {
  return createIdentityClient({ fetch: around.peers.fetchOf('identity'), credentials: credentialsOf(around, name) });
}

function identityProxies(around: ProcessContext, service: RecordService): ReadProxies {
  return createIdentityProxies({
    fetch: around.peers.fetchOf('identity'),
    credentials: credentialsOf(around, service),
    service,
  });
}

function identityNames(around: ProcessContext, name: ClientService): IdentityNames {
  return createIdentityNames({ fetch: around.peers.fetchOf('identity'), credentials: credentialsOf(around, name) });
}

/** The service's own client credentials. */
function credentialsOf({ serviceClients }: ProcessContext, name: ClientService): ServiceCredentials {
  const found = serviceClients.find((client) => client.clientId === name);
  if (found === undefined) throw new Error(`There are no credentials of ${name}`);
  return found;
}

/** Undefined without a mail server. Only with one the library is loaded, which takes 100 ms of processor time. */
async function sendMailOf({ mail: { smtp: server, from } }: Config): Promise<SendMail | undefined> {
  if (server === undefined || from === undefined) return undefined;
  const { createSmtpSender } = await import('#lib/mail/smtp-sender.ts');
  return createSmtpSender({ server, from });
}

function administratorOf(config: Config): { email: string; password: string } {
  const { email, password } = config.administrator;
  if (email === undefined || password === undefined) throw new Error('There is no administrator in the configuration');
  return { email, password: password.reveal() };
}

/**
 * Creates a service on its own migrated schema. The database is part of the service's readiness. It is closed when the
 * service has stopped, or when its creation fails.
 */
async function onSchema(
  { database: address, config }: ProcessContext,
  options: { schema: string; sources: readonly MigrationSource[]; log: Logger },
  make: (database: Database) => Promise<ServiceModule>,
): Promise<ServiceModule> {
  const { schema, sources, log } = options;
  const applied = await migrate({ ...address, schema, sources, log: databaseLog(log) });
  if (applied.length > 0) log.info({ event: 'database.migrated', schema, files: applied.length });
  const database = createDatabase({ ...address, schema, log: databaseLog(log) });
  const schemaChanges = createSchemaChangeLoop({ ...address, schema, language: config.shared.sortLanguage, log });
  try {
    const service = await make(database);
    return {
      ...service,
      readiness: [databaseReadiness(database, sources), ...service.readiness],
      start: async () => {
        await service.start();
        schemaChanges.start();
      },
      stop: () => stopInTurn([schemaChanges.stop, service.stop, () => database.close()]),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
