// Creates the services and routes of external servers (decision E11): the list, their status, and the proxy.

import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import { createAddressGuard, type Resolver } from '#lib/net/address-guard.ts';
import { createGuardedAgent } from '#lib/net/guarded-agent.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import { createUpstreamMetrics } from '../shared/upstream/metrics.ts';
import type { ServerDefinition } from '../shared/upstream/server-definition.ts';
import { createUpstream, type Upstream } from '../shared/upstream/upstream.ts';
import { registerServerProxy } from './proxy-routes.ts';
import { createProxyService } from './proxy-service.ts';
import { registerServers } from './routes.ts';
import { createServerService, type ServerService } from './service.ts';
import { createServerStatusService, type ServerStatusService } from './status-service.ts';

/** Which external servers the engine may reach. */
export interface ServerAccess {
  /** As KEDJA_WEBHOOK_ALLOW_PRIVATE: whether servers registered through the API may have private addresses. */
  readonly allowPrivate: boolean | readonly string[];
  /** The servers of KEDJA_SERVERS_FILE. They may have any address. */
  readonly servers: readonly ServerDefinition[];
  /** The system's resolver when left out. */
  readonly resolve?: Resolver;
}

export interface ExternalServerDependencies extends WriteDependencies {
  readonly metrics: Metrics;
  readonly sealingKeys: KeySet;
  readonly serverAccess?: ServerAccess;
  readonly resourceTypes: ReadonlySet<string>;
  readonly baseUrl: string;
  readonly sortLanguage?: string;
  /** For long bodies. All are read on the event loop when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
}

export interface ExternalServers {
  readonly servers: ServerService;
  readonly statuses: ServerStatusService;
  readonly upstream: Upstream;
  register(app: HttpApp): Promise<void>;
  /** Closes the connections. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** The most open connections to one server. */
const CONNECTIONS = 16;
const CLOSED: ServerAccess = { allowPrivate: false, servers: [] };

export function createExternalServers(deps: ExternalServerDependencies): ExternalServers {
  const { allowPrivate, servers: fileServers, resolve } = deps.serverAccess ?? CLOSED;
  const guard = createAddressGuard({
    allow: allowPrivate,
    trustedOrigins: fileServers.flatMap(addressesOf),
    ...(resolve === undefined ? {} : { resolve }),
  });
  const dispatcher = createGuardedAgent({
    guard,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    connectionsPerOrigin: CONNECTIONS,
  });
  const { clock } = deps;
  const upstream = createUpstream({ dispatcher, clock, metrics: createUpstreamMetrics(deps.metrics) });
  const strangers = createUpstream({ dispatcher, clock, metrics: { called: () => undefined } });
  const servers = createServerService({ ...deps, guard, fileServers });
  const statuses = createServerStatusService({
    servers,
    upstream,
    unregistered: strangers,
    clock,
    workerThreads: deps.workerThreads,
  });
  return {
    servers,
    statuses,
    upstream,
    register: async (app) => {
      registerServers(app, servers, statuses);
      await registerServerProxy(app, createProxyService({ ...deps, servers, upstream }));
    },
    close: () => dispatcher.destroy(),
  };
}

function addressesOf({ url, auth }: ServerDefinition): string[] {
  return auth.type === 'client_credentials' ? [url, auth.tokenUrl] : [url];
}
