// Starts and stops the configured services of one process.
import { setTimeout as delay } from 'node:timers/promises';
import { createSignInClient } from '#clients/sign-in-client.ts';
import { CLIENT_SERVICES } from '#lib/auth/principal.ts';
import type { ServiceClient, ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { systemClock } from '#lib/clock.ts';
import type { ClientCredentials } from '#lib/config/network-types.ts';
import type { ServiceName } from '#lib/config/shared.ts';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { ReadinessCheck } from '#lib/http/operations.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { createServingGate, openWhenReady, type ServingGate } from '#lib/http/serving-gate.ts';
import { nodesFetch } from '#lib/http/upstream/service-fetch.ts';
import { createSpareMemory } from '#lib/jobs/spare-memory.ts';
import type { Logger } from '#lib/log/logger.ts';
import { exportBuild } from '#lib/metrics/build-info.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import { createTraces, type Traces } from '#lib/traces/traces.ts';
import { type Addresses, addressesOf, type Config } from '../config.ts';
import { createConsoleSession } from '../gateway/console/session.ts';
import type { StartPageContent } from '../gateway/start-page.ts';
import { type ConsoleBuild, createConsoleBuild } from './console-build.ts';
import { databaseLog } from './database.ts';
import { gatewayModule } from './gateway-module.ts';
import { type KeyFolder, openKeyFolder } from './keys/keys.ts';
import { buildApp, listen } from './module.ts';
import { createPeers } from './peers.ts';
import { choosePorts, type Ports } from './ports.ts';
import type { ProcessContext, ServiceContext } from './process-context.ts';
import { dispatchModule, engineModule, identityModule } from './service-modules.ts';
import { Teardown } from './shutdown.ts';
import { createTenantServers } from './tenants/tenant-servers.ts';
import { openTenantSource } from './tenants/tenant-source.ts';
import { createUpstreams, type PeerName, type Upstreams } from './upstreams.ts';

export interface SiteOptions {
  readonly config: Config;
  readonly database: DatabaseAddress;
  readonly version: string;
  readonly log: Logger;
  /** Read at each request of the start page. */
  readonly startPage: () => StartPageContent;
  /** How long idle connections stay open during the shutdown, in milliseconds. */
  readonly drainMs: number;
}

export interface Site {
  readonly addresses: Addresses;
  /** Resolves when the console is built, or cannot be; at once where the gateway runs elsewhere. */
  consoleBuilt(): Promise<void>;
  /** Stops accepting, finishes requests in progress, ends background work, closes the pools. */
  stop(): Promise<void>;
}

/** A service that waits for another, unavailable one does not block the start of the others. */
const OPENING_LIMIT_MS = 5_000;

/**
 * The time limit of a request as a multiple of its limit in threads. The request also waits for the database, for its
 * turn and for other requests.
 */
const WAITING = 6;
/** The gateway waits this much longer than a service, so that the service reports the timeout itself. */
const GRACE_MS = 5_000;

/**
 * Services start in this order and stop in reverse, as each may need the ones before it. Their connections drain at the
 * same time.
 */
const ORDER: readonly ServiceName[] = ['identity', 'engine', 'dispatch', 'console'];
const TITLES: Readonly<Record<ServiceName, string>> = {
  identity: 'Kedja identity',
  engine: 'Kedja engine',
  dispatch: 'Kedja dispatch',
  console: 'Kedja gateway',
};

/** Starts the configured services. Stops those that were started when one fails. */
export async function startSite(options: SiteOptions): Promise<Site> {
  const { config } = options;
  const ports = await choosePorts(config);
  const addresses = addressesOf(config, ports);
  const teardown = new Teardown();
  const stopping = new AbortController();
  const traces = await createTraces(config.traces, {
    log: options.log.child({ service: 'kedja' }),
    version: options.version,
  });
  teardown.add(traces.stop);
  const upstreams = createUpstreams(addresses, {
    local: localPeers(config),
    log: options.log,
    timeoutMs: limitOf(config) + GRACE_MS,
  });
  teardown.add(upstreams.close);
  const consoleBuild = createConsoleBuild(options.log.child({ service: 'console' }));
  try {
    const around = await processContextOf(options, addresses, upstreams);
    const keys = around.keys.follow(options.log);
    keys.start();
    teardown.add(() => keys.stop());
    const { tenants } = around;
    if (tenants !== undefined) {
      tenants.start();
      teardown.add(() => tenants.stop());
      const spare = createSpareMemory();
      spare.start();
      teardown.add(async () => spare.stop());
    }
    for (const name of ORDER.filter((service) => config.shared.services.includes(service))) {
      await startService(name, {
        ...options,
        around,
        ports,
        teardown,
        stopping: stopping.signal,
        upstreams,
        traces,
        consoleBuild,
      });
    }
  } catch (error) {
    await teardown.run().catch(() => undefined);
    throw error;
  }
  const stop = () => {
    stopping.abort();
    return teardown.run();
  };
  return { addresses, consoleBuilt: consoleBuild.ended, stop };
}

function limitOf({ shared: { requestSeconds } }: Config): number {
  return requestSeconds * 1000 * WAITING;
}

type Construction = SiteOptions & {
  around: ProcessContext;
  ports: Ports;
  teardown: Teardown;
  stopping: AbortSignal;
  upstreams: Upstreams;
  traces: Traces;
  consoleBuild: ConsoleBuild;
};

async function startService(name: ServiceName, site: Construction): Promise<void> {
  const { config, version, around, ports, teardown } = site;
  const log = site.log.child({ service: name });
  const metrics = createMetrics(name);
  exportBuild(metrics, version);
  const tracer = site.traces.tracerOf(name, metrics);
  const module = await makeModule(name, site, { log, metrics, tracer });
  teardown.add(() => module.stop());
  const gate = createServingGate();
  const { corsOrigins, trustProxy } = config.shared;
  const app = await buildApp(module, {
    name,
    title: TITLES[name],
    version,
    logger: log,
    metrics,
    tracer,
    trustProxy,
    // Only services behind the gateway need its proof.
    ...(name === 'console' ? {} : { gatewayProof: around.gatewayProof }),
    corsOrigins,
    gate,
    drainMs: site.drainMs,
    stopping: site.stopping,
    limitMs: limitOf(config),
  });
  if (name !== 'console') around.peers.add(name, app, gate);
  const { host } = config.shared;
  const port = await listen(app, { name, host, port: ports[name] });
  teardown.add(() => app.close());
  await module.start();
  await openWithin(OPENING_LIMIT_MS, { gate, readiness: module.readiness, teardown });
  log.info({ event: 'service.listening', host, port });
}

/** Opens the service when all readiness conditions hold. After the time limit it continues in the background. */
async function openWithin(
  limitMs: number,
  { gate, readiness, teardown }: { gate: ServingGate; readiness: readonly ReadinessCheck[]; teardown: Teardown },
): Promise<void> {
  const end = new AbortController();
  const opened = openWhenReady(gate, readiness, end.signal);
  teardown.add(async () => {
    end.abort();
    await opened;
  });
  const limit = new AbortController();
  await Promise.race([opened, delay(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}

function makeModule(name: ServiceName, site: Construction, context: ServiceContext): Promise<ServiceModule> {
  const { around } = site;
  switch (name) {
    case 'identity':
      return identityModule(around, context);
    case 'engine':
      return engineModule(around, context);
    case 'dispatch':
      return dispatchModule(around, context);
    case 'console':
      return gatewayOf(site);
    default:
      return name satisfies never;
  }
}

async function gatewayOf({ around, startPage, upstreams, consoleBuild }: Construction): Promise<ServiceModule> {
  const { publicUrl } = around.addresses;
  const session = createConsoleSession({
    publicUrl,
    source: createSignInClient(nodesFetch(upstreams.of.identity)),
    keys: await around.keys.keySet('session'),
    clock: systemClock,
  });
  return gatewayModule({
    publicUrl,
    proof: around.gatewayProof,
    upstreams: upstreams.of,
    accessibilityContact: around.config.console.accessibilityContact,
    local: around.peers.local,
    trustProxy: around.config.shared.trustProxy,
    clock: systemClock,
    session,
    consoleBuild,
    startPage,
    isRegistrationOpen: around.config.identity.patientRegistration !== 'closed',
  });
}

async function processContextOf(
  options: SiteOptions,
  addresses: Addresses,
  upstreams: Upstreams,
): Promise<ProcessContext> {
  const { config, database } = options;
  const keys = openKeyFolder(config.shared.dataDir);
  const { tenantsFile } = config.shared;
  return {
    config,
    addresses,
    database,
    keys,
    peers: createPeers(localPeers(config), upstreams.of),
    serviceClients: await serviceClientsOf(config, keys),
    applications: await applicationsOf(config, keys),
    gatewayProof: (await keys.key('gateway')).toString('base64url'),
    links: [],
    tenantServers: createTenantServers(
      config.shared.tenantConnections,
      databaseLog(options.log.child({ service: 'kedja' })),
    ),
    tenants:
      tenantsFile === undefined
        ? undefined
        : await openTenantSource(tenantsFile, options.log.child({ service: 'kedja' })),
  };
}

/** The services that this process runs itself. */
function localPeers({ shared }: Config): ReadonlySet<PeerName> {
  const names: readonly PeerName[] = ['identity', 'dispatch', 'engine'];
  return new Set(names.filter((name) => shared.services.includes(name)));
}

/** The client credentials of Kedja's services: configured, or created in the shared data folder. */
async function serviceClientsOf({ shared }: Config, keys: KeyFolder): Promise<ServiceClient[]> {
  if (shared.serviceClients !== undefined) return shared.serviceClients.map(revealed);
  return Promise.all(CLIENT_SERVICES.map((name) => keys.clientCredentials('service', name)));
}

/** The relying applications of the configuration; one is created when there is none. */
async function applicationsOf({ shared }: Config, keys: KeyFolder): Promise<ServiceCredentials[]> {
  if (shared.ssoClients !== undefined) return shared.ssoClients.map(revealed);
  return [await keys.clientCredentials('client', 'application')];
}

function revealed<Client extends ClientCredentials>({ clientId, clientSecret }: Client) {
  return { clientId: clientId as Client['clientId'], clientSecret: clientSecret.reveal() };
}
