// Creates the three services as modules of the process: each gets its migrated schema, its clients and its part of the
// configuration.

import { createAccountClient } from '#clients/account-client.ts';
import { createAuditClient } from '#clients/audit-client.ts';
import { createDispatchClient } from '#clients/dispatch-client.ts';
import { createIdentityNames, type IdentityNames } from '#clients/identity-names.ts';
import { createIdentityProxies } from '#clients/identity-proxies.ts';
import type { ReadProxies } from '#fhir/rest/access-check/proxy-relation.ts';
import type { ClientService, RecordService } from '#lib/auth/principal.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createDatabaseClock } from '#lib/db/database-clock.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { stopInTurn } from '#lib/jobs/stop.ts';
import type { SendMail } from '#lib/mail/smtp-sender.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
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
import { type Config, fhirBaseOf, settingsOf } from '../config.ts';
import { configuredReplicas } from './database.ts';
import { type SealingKey, sealingKeyOf } from './keys/sealing-keys.ts';
import { onSchema } from './on-schema.ts';
import { partnerOf } from './partners.ts';
import { credentialsOf, type ProcessContext, type ServiceContext } from './process-context.ts';
import { forEveryTenant, identityOfTenants } from './tenants/tenant-services.ts';
import { VERSION } from './version.ts';
import { type ConsumerService, identityClient } from './with-identity.ts';

export async function identityModule(around: ProcessContext, { log, metrics }: ServiceContext): Promise<ServiceModule> {
  const { config, addresses, peers, serviceClients, applications } = around;
  const module = await onSchema(around, { schema: 'identity', sources: identityMigrations, log }, async (database) => {
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
      tenants: around.tenants,
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
  return { ...module, tenants: identityOfTenants(around) };
}

export function engineModule(around: ProcessContext, place: ServiceContext): Promise<ServiceModule> {
  return forEveryTenant(around, place, { name: 'engine', sources: engineMigrations, make: makeEngine });
}

async function makeEngine(
  around: ProcessContext,
  { log, metrics }: ServiceContext,
  database: Database,
): Promise<ConsumerService> {
  const { config, addresses, peers, tenant } = around;
  const sealingKeys = await sealingKeysOf(around, { name: 'engine-inbox', database, valuesOf: engineSealedValues });
  const service = await createEngineService({
    database,
    clock: systemClock,
    log,
    metrics,
    replicas:
      tenant === undefined
        ? configuredReplicas(config, { primary: database, log, metrics, keys: sealingKeys })
        : undefined,
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
    ...(tenant === undefined ? { reportPatients: identityClient(around, 'engine').reportPatients } : {}),
    version: VERSION,
    identityNames: identityNames(around, 'engine'),
    showsNames: config.engine.accessLogNames,
    retention: config.retention,
    timeZone: config.dispatch.timeZone,
    checksReferences: config.engine.checkReferences,
    sortLanguage: config.shared.sortLanguage,
    receiptsPerMinute: config.dispatch.rateLimitReceipt,
    requestMs: config.shared.requestSeconds * 1000,
    threadLimit: tenant && around.tenantServers.threads,
    accounts: {
      registration: config.engine.registration,
      tokenTtlSeconds: config.identity.tokenTtlSeconds,
      rateLimitLogin: config.identity.rateLimitLogin,
      rateLimitRegister: config.identity.rateLimitRegister,
      passwordLength: config.administrator.staffPasswordLength,
      renewsShortPasswords: config.administrator.renewsShortPasswords,
      // The administrators of a tenant are users of identity.
      ...(tenant === undefined ? { administrator: administratorOf(config) } : {}),
    },
    diskPath: config.shared.dataDir,
    settings: settingsOf('engine', config),
    serverAccess: {
      allowPrivate: config.dispatch.webhookAllowPrivate,
      servers: await readServerFile(config.engine.serversFile),
    },
  });
  return { ...service, wireFormOf: engineWireForm, examples: engineExamples };
}

export function dispatchModule(around: ProcessContext, place: ServiceContext): Promise<ServiceModule> {
  return forEveryTenant(around, place, { name: 'dispatch', sources: dispatchMigrations, make: makeDispatch });
}

async function makeDispatch(
  around: ProcessContext,
  { log, metrics, tracer }: ServiceContext,
  database: Database,
): Promise<ConsumerService> {
  const { config, addresses, peers, tenant } = around;
  const serviceCredentials = credentialsOf(around, 'dispatch');
  const { engineUrl: url } = addresses;
  const engine = { fetch: peers.fetchOf('engine', '/api/v1'), credentials: serviceCredentials, url };
  const { planUrl, planClient, contractUrl, contractClient } = config.dispatch;
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
    threadLimit: tenant && around.tenantServers.threads,
    masterKeys: await sealingKeysOf(around, { name: 'dispatch-delivery', database, valuesOf: dispatchSealedValues }),
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
    // Identity links the records of the default tenant alone.
    ...(tenant === undefined
      ? {
          reportPatients: identityClient(around, 'dispatch').reportPatients,
          readPatientLinks: identityClient(around, 'dispatch').readPatientLinks,
        }
      : {}),
    auditSink: createAuditClient({ fetch: peers.fetchOf('engine'), credentials: serviceCredentials }),
  });
  return {
    ...dispatch,
    start: async () => {
      clock.loop.start();
      await dispatch.start();
    },
    stop: () => stopInTurn([() => dispatch.stop(), clock.loop.stop]),
  };
}

/** The keys of the service, or of the tenant's. */
function sealingKeysOf({ keys, tenant }: ProcessContext, key: SealingKey): Promise<KeySet> {
  return tenant === undefined ? sealingKeyOf(keys, key) : keys.existingKeySet(key.name);
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
