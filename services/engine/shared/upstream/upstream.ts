// Calls external servers (decision E11) with authentication, a circuit breaker and a status for each server. A call
// returns a successful FHIR JSON response, or throws an UpstreamError.
import type { Dispatcher } from 'undici';
import type { Clock } from '#lib/clock.ts';
import { requirePlainPath } from '#lib/http/plain-path.ts';
import { type CircuitBreaker, type CircuitState, createCircuitBreaker } from '#lib/net/circuit-breaker.ts';
import { CallFailed, callUpstream, type UpstreamCall, type UpstreamResponse } from './call.ts';
import type { UpstreamMetrics } from './metrics.ts';
import { outcomeIn } from './response.ts';
import type { ServerDefinition } from './server-definition.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { UpstreamError, type UpstreamProblem } from './upstream-error.ts';

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * The path below the base, with slash and query: `/Patient?name=a`; or a URL that the server named, below its base.
   */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly maxBytes: number;
  /** Error statuses that are returned as a response, not thrown. */
  readonly takes?: readonly number[];
  readonly signal?: AbortSignal;
}

/** The status of a server from the calls of this process. */
export interface ServerKnowledge {
  readonly circuit: CircuitState;
  readonly status: 'up' | 'down' | 'unknown';
  readonly lastSuccessAt: number | undefined;
  readonly lastFailureAt: number | undefined;
  readonly lastFailure: string | undefined;
  readonly latencyMs: number | undefined;
}

export interface Upstream {
  /** @throws UpstreamError; ServiceError `not_found` for a path that the server may read otherwise */
  send(server: ServerDefinition, request: UpstreamRequest): Promise<UpstreamResponse>;
  /**
   * Calls the server even when its circuit breaker is open, and without a retry: for a test of the server.
   * @throws UpstreamError
   */
  probe(server: ServerDefinition, request: UpstreamRequest): Promise<UpstreamResponse>;
  knowledgeOf(server: ServerDefinition): ServerKnowledge;
}

interface Site {
  readonly revision: string;
  readonly breaker: CircuitBreaker;
  lastSuccessAt?: number;
  lastFailureAt?: number;
  lastFailure?: string;
  latencyMs?: number;
}

const BREAKER = { threshold: 5, openMs: 10_000, maxOpenMs: 300_000 };

export interface UpstreamOptions {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly metrics: UpstreamMetrics;
}

export function createUpstream({ dispatcher, clock, metrics }: UpstreamOptions): Upstream {
  const signIn = createSignIn({ dispatcher, clock });
  const sites = new Map<string, Site>();

  function siteOf({ name, revision }: ServerDefinition): Site {
    const known = sites.get(name);
    if (known?.revision === revision) return known;
    const site = { revision, breaker: createCircuitBreaker({ clock, ...BREAKER }) };
    sites.set(name, site);
    return site;
  }

  async function run(server: ServerDefinition, request: UpstreamRequest, isProbe: boolean): Promise<UpstreamResponse> {
    const site = siteOf(server);
    const attempt = site.breaker.enter();
    if (attempt === undefined && !isProbe) {
      metrics.called(server.name, 'circuit_open');
      const retryAfterSeconds = Math.max(1, Math.ceil(site.breaker.waitMs() / 1000));
      throw new UpstreamError(server.name, { reason: 'circuit_open', retryAfterSeconds });
    }
    const startedAt = performance.now();
    try {
      const answer = await signedCall(server, request, { dispatcher, signIn });
      site.latencyMs = Math.round(performance.now() - startedAt);
      if (answer.status >= 500) throw new CallFailed(problemOf(answer));
      site.lastSuccessAt = clock.now();
      attempt?.succeeded();
      metrics.called(server.name, answer.status < 400 ? 'success' : 'refused');
      return answer;
    } catch (error) {
      if (!(error instanceof CallFailed)) {
        attempt?.abandoned();
        throw error;
      }
      const { reason } = error.problem;
      site.lastFailureAt = clock.now();
      site.lastFailure = reason;
      // A response that is too large says nothing about the health of the server.
      if (reason === 'too_large') attempt?.succeeded();
      else attempt?.failed();
      metrics.called(server.name, reason);
      throw new UpstreamError(server.name, error.problem);
    }
  }

  async function send(server: ServerDefinition, request: UpstreamRequest, isProbe: boolean): Promise<UpstreamResponse> {
    // URLs that the server has named are parsed already.
    if (request.path.startsWith('/')) requirePlainPath(request.path);
    const answer = await run(server, request, isProbe);
    if (answer.status < 300 || request.takes?.includes(answer.status)) return answer;
    throw new UpstreamError(server.name, problemOf(answer));
  }

  return {
    send: (server, request) => send(server, request, false),
    probe: (server, request) => send(server, request, true),
    knowledgeOf(server) {
      const { breaker, lastSuccessAt, lastFailureAt, lastFailure, latencyMs } = siteOf(server);
      const isUp = lastSuccessAt !== undefined && lastSuccessAt >= (lastFailureAt ?? 0);
      const isKnown = lastSuccessAt !== undefined || lastFailureAt !== undefined;
      const status = isKnown ? (isUp && breaker.state() === 'closed' ? 'up' : 'down') : 'unknown';
      return { circuit: breaker.state(), status, lastSuccessAt, lastFailureAt, lastFailure, latencyMs };
    },
  };
}

/**
 * Repeats a call once. It uses a new token when the server refused the old one, or a new connection when the server had
 * closed an idle one.
 */
async function signedCall(
  server: ServerDefinition,
  request: UpstreamRequest,
  { dispatcher, signIn }: { dispatcher: Dispatcher; signIn: SignIn },
): Promise<UpstreamResponse> {
  const once = async () => callUpstream(dispatcher, callOf(server, request, await signIn.headersFor(server)));
  const answer = await once().catch((error: unknown) => {
    const isLost = error instanceof CallFailed && error.problem.reason === 'connection_lost';
    if (isLost && request.method === 'GET') return once();
    throw error;
  });
  return answer.status === 401 && signIn.refused(server) ? once() : answer;
}

function callOf(
  server: ServerDefinition,
  { method, path, headers, body, maxBytes, signal }: UpstreamRequest,
  authorization: Readonly<Record<string, string>>,
): UpstreamCall {
  return {
    method,
    url: path.startsWith('/') || path === '' ? `${server.url}${path}` : path,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/fhir+json; charset=utf-8' }),
      ...headers,
      ...authorization,
    },
    timeoutMs: server.timeoutMs,
    maxBytes,
    signal,
    ...(body === undefined ? {} : { body }),
  };
}

/** Returns the error of a response without success. */
function problemOf(answer: UpstreamResponse): UpstreamProblem {
  const { status } = answer;
  if (status >= 300 && status < 400) return { reason: 'redirect', status };
  const outcome = outcomeIn(answer);
  return {
    reason: status >= 500 ? 'failed' : 'refused',
    status,
    ...(outcome === undefined ? {} : { outcome }),
  };
}
