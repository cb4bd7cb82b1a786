// The status of external servers: the outcome of recent calls (status), or of a call made now (test).

import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { Clock } from '#lib/clock.ts';
import type { ResourceHead } from '../shared/upstream/resource-head.ts';
import { readResponse, type Threads } from '../shared/upstream/response.ts';
import type { ServerDefinition } from '../shared/upstream/server-definition.ts';
import type { Upstream } from '../shared/upstream/upstream.ts';
import { UpstreamError } from '../shared/upstream/upstream-error.ts';
import type { ServerChange, ServerStatus, ServerTest } from './schema.ts';
import type { ServerService } from './service.ts';

export interface ServerStatusService {
  /** Returns the status of each server. Servers without a recent call are called. */
  statuses(): Promise<ServerStatus[]>;
  /** Returns the same without any call. */
  known(): Promise<ServerStatus[]>;
  testAll(): Promise<ServerTest[]>;
  /** Tests a server that need not be registered. @throws ServiceError `validation_error` */
  test(input: ServerChange): Promise<ServerTest>;
}

export interface StatusDependencies {
  /** For long responses. All are read on the event loop when left out. */
  readonly workerThreads?: WorkerThreads | undefined;
  readonly servers: ServerService;
  readonly upstream: Upstream;
  readonly clock: Clock;
  /** Calls servers that are not registered, without a stored status. */
  readonly unregistered: Upstream;
}

/** A status that is older is refreshed. */
const MAX_AGE_MS = 30_000;
/** How long a caller waits for the status of a slow server. */
const STATUS_TIMEOUT_MS = 5_000;
const MAX_BYTES = 10 * 1024 * 1024;
/** How many servers are called at the same time. */
const CONCURRENCY = 8;

export function createServerStatusService(deps: StatusDependencies): ServerStatusService {
  const { servers, upstream, clock, unregistered, workerThreads } = deps;
  const threads = (): Threads => workerThreads && { workerThreads, budget: workerThreads.patientBudget(undefined) };
  const statusOf = (server: ServerDefinition) => toStatus(server, upstream);

  async function refresh(server: ServerDefinition): Promise<ServerStatus> {
    const { lastSuccessAt = 0, lastFailureAt = 0, circuit } = upstream.knowledgeOf(server);
    const isFresh = clock.now() - Math.max(lastSuccessAt, lastFailureAt) < MAX_AGE_MS;
    if (!isFresh && circuit !== 'open') {
      await testServer(
        { ...server, timeoutMs: Math.min(server.timeoutMs, STATUS_TIMEOUT_MS) },
        { upstream, threads: threads() },
      );
    }
    return statusOf(server);
  }

  return {
    statuses: async () => mapConcurrently(await servers.definitions(), refresh),
    known: async () => (await servers.definitions()).map(statusOf),
    testAll: async () =>
      mapConcurrently(await servers.definitions(), (server) => testServer(server, { upstream, threads: threads() })),
    async test(input) {
      const result = await testServer(await servers.draft(input), { upstream: unregistered, threads: threads() });
      return { ...result, name: input.name ?? null };
    },
  };
}

async function mapConcurrently<R>(
  servers: readonly ServerDefinition[],
  work: (server: ServerDefinition) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...servers.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [place, server] = next;
      results[place] = await work(server);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}

function toStatus(server: ServerDefinition, upstream: Upstream): ServerStatus {
  const { name, url, kind } = server;
  const known = upstream.knowledgeOf(server);
  return {
    name,
    url,
    kind,
    status: known.status,
    circuit: known.circuit,
    last_success_at: instantOf(known.lastSuccessAt),
    last_failure_at: instantOf(known.lastFailureAt),
    last_failure: known.lastFailure ?? null,
    latency_ms: known.latencyMs ?? null,
  };
}

function instantOf(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

/** Reads the capability statement, which every FHIR server has. */
async function testServer(
  server: ServerDefinition,
  { upstream, threads }: { readonly upstream: Upstream; readonly threads: Threads },
): Promise<ServerTest> {
  const { name, url, kind } = server;
  const base = { name, url, kind, fhir_version: null, software: null, resource_types: null };
  try {
    const answer = await upstream.probe(server, { method: 'GET', path: '/metadata', maxBytes: MAX_BYTES });
    const statement = await readResponse(answer, { name, types: ['CapabilityStatement'] }, { threads });
    const latency = upstream.knowledgeOf(server).latencyMs ?? null;
    return { ...base, ...describe(statement), reachable: true, latency_ms: latency, error: null };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return {
      ...base,
      reachable: false,
      latency_ms: null,
      error: { reason: error.problem.reason, message: error.message },
    };
  }
}

function describe({ capabilities }: ResourceHead): Pick<ServerTest, 'fhir_version' | 'software' | 'resource_types'> {
  const { fhirVersion = null, software = null, resourceTypes = 0 } = capabilities ?? {};
  return { fhir_version: fhirVersion, software, resource_types: resourceTypes };
}
