// What is kept of every request: a log line and a duration (spec: operations). What is the same for all requests of a
// route that end alike is prepared once: nearly every answer costs an id, a duration, who asked, and the trace.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOnlyForServices, type Permission } from '../../auth/permissions.ts';
import type { Principal } from '../../auth/principal.ts';
import { isGuid } from '../../guid.ts';
import { createLineWriter } from '../../log/line-writer.ts';
import type { Logger } from '../../log/logger.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { FhirWire } from '../fhir-wire.ts';
import type { ServedRoute } from '../response/served-route.ts';
import { millisecondsText } from './milliseconds-text.ts';
import type { TraceContext } from './trace-context.ts';

const OPERATIONS: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

/** What requests of one route, method and status have in common. */
interface Outcome {
  readonly observe: (seconds: number) => void;
  /** Takes what lines differ in, as JSON members with a comma before each. */
  readonly write: (fields: string) => void;
}

/** Of one route; bounded by the methods and statuses that there are. */
interface Route {
  readonly url: string;
  readonly level: 'debug' | 'info';
  /** What the first parameter of its address identifies; undefined where it has none. */
  readonly target: string | undefined;
  readonly outcomes: Map<string, Map<number, Outcome>>;
}

/** A request that has been answered. */
export interface RespondedRequest {
  /** Letters, digits and signs that need not be escaped. */
  readonly id: string;
  readonly principal: Principal | undefined;
  readonly trace: TraceContext | undefined;
}

export interface RequestRecord {
  /** Of a request that Fastify has answered. */
  ofReply(request: FastifyRequest, reply: FastifyReply): void;
  /** Of a GET of the route that was answered 200 after so many milliseconds. */
  ofReady(route: ServedRoute, request: RespondedRequest, ms: number): void;
}

/** `onAnswered` is told who asked, of each request. */
export function createRequestRecord({
  logger,
  metrics,
  onAnswered,
  keyOf,
}: {
  logger: Logger;
  metrics: Metrics;
  onAnswered: (principal: Principal | undefined) => void;
  keyOf: FhirWire['keyOf'];
}): RequestRecord {
  const routes = new WeakMap<object, Route>();
  // Who is remembered by the authenticator is the same object for as long.
  const actors = new WeakMap<Principal, string>();

  function begin(key: object, url: string, permission: Permission | undefined): Route {
    const level = isRoutine(url, permission) ? 'debug' : 'info';
    const route: Route = { url, level, target: kindOfTarget(url), outcomes: new Map() };
    routes.set(key, route);
    return route;
  }

  function routeOf(request: FastifyRequest): Route {
    // What was answered before it came to its route, or has none, is found by what Fastify tells of it.
    const key = request.served ?? request.routeOptions.config;
    const known = routes.get(key);
    if (known !== undefined) return known;
    const { url = 'unknown', config } = request.routeOptions;
    return begin(key, url, config.permission);
  }

  function outcomeOf({ url: route, level, outcomes }: Route, method: string, status: number): Outcome {
    const known = outcomes.get(method)?.get(status);
    if (known !== undefined) return known;
    const observe = metrics.requestDurations({ method, route, status });
    const write = createLineWriter(logger.child({ event: 'request.completed', method, route, status }), level);
    const outcome: Outcome = { observe, write };
    outcomes.set(method, (outcomes.get(method) ?? new Map<number, Outcome>()).set(status, outcome));
    return outcome;
  }

  function actorOf(principal: Principal): string {
    const known = actors.get(principal);
    if (known !== undefined) return known;
    const actor = `,"actor":${JSON.stringify(principal.id)}`;
    actors.set(principal, actor);
    return actor;
  }

  function keep(
    { observe, write }: Outcome,
    { id, principal, trace }: RespondedRequest,
    { ms, target = '' }: { readonly ms: number; readonly target?: string },
  ): void {
    observe(ms / 1000);
    const actor = principal === undefined ? '' : actorOf(principal);
    // Ids of requests and traces hold nothing that would have to be escaped.
    const traced = trace === undefined ? '' : `,"trace":"${trace.traceId}"`;
    write(`,"requestId":"${id}","ms":${millisecondsText(ms)}${actor}${target}${traced}`);
    onAnswered(principal);
  }

  return {
    ofReply: (request, reply) => {
      const route = routeOf(request);
      const target = route.target === undefined ? '' : targetOf(route.target, request.params, keyOf);
      keep(outcomeOf(route, request.method, reply.statusCode), request, { ms: reply.elapsedTime, target });
    },
    ofReady: (served, request, ms) => {
      const route = routes.get(served) ?? begin(served, served.url, served.permission);
      keep(outcomeOf(route, 'GET', 200), request, { ms });
    },
  };
}

/** `…/Patient/:id/_history` is about a Patient, `/api/v1/requests/:request_guid/status` about one of the requests. */
function kindOfTarget(url: string): string | undefined {
  return /\/([\w-]+)\/:/.exec(url)?.[1];
}

/**
 * What the request was about: the kind with a guid. A resource whose id is none is named by the key under which it is
 * stored, as an id that a client chose may be a number of a person; of other addresses what is no guid, which may be a
 * secret, is left out.
 */
function targetOf(kind: string, params: unknown, keyOf: FhirWire['keyOf']): string {
  const [id] = typeof params === 'object' && params !== null ? Object.values(params) : [];
  if (typeof id !== 'string') return '';
  if (isGuid(id)) return `,"target":"${kind}/${id}"`;
  const key = keyOf(kind, id);
  return key === undefined ? '' : `,"target":"${kind}/${key}"`;
}

/**
 * Polls of other services and of operators' tools come every second and say nothing new: they are logged at `debug`.
 */
function isRoutine(route: string, permission: Permission | undefined): boolean {
  return (permission !== undefined && isOnlyForServices(permission)) || OPERATIONS.has(route);
}
