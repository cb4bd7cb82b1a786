// The log line and the duration metric of every request (spec: operations). What all requests of a route with the same
// outcome share is prepared once, because nearly every response needs a line.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isOnlyForServices, type Permission } from '../../auth/permissions.ts';
import type { Principal } from '../../auth/principal.ts';
import { isGuid } from '../../guid.ts';
import { createLineWriter } from '../../log/line-writer.ts';
import type { Logger } from '../../log/logger.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { Span } from '../../traces/span.ts';
import type { TraceContext } from '../../traces/trace-context.ts';
import type { FhirWire } from '../fhir-wire.ts';
import { OPERATIONAL_ROUTES } from '../operations.ts';
import type { ServedRoute } from '../response/served-route.ts';
import { familyRouteOf, firstParameterIn } from '../route-family.ts';
import { handlersOf } from '../tenants/tenant-handlers.ts';
import { millisecondsText } from './milliseconds-text.ts';

/** The shared log line and metric of one route, method and status. */
interface Outcome {
  readonly observe: (seconds: number) => void;
  /** Writes a line; `fields` are its own JSON members, with a comma before each. */
  readonly write: (fields: string) => void;
  readonly labels: { readonly method: string; readonly route: string; readonly status: number };
}

/** The outcomes of one route, bounded by its methods and statuses. */
interface Route {
  readonly url: string;
  readonly level: 'debug' | 'info';
  /** The kind of resource that the first path parameter identifies; undefined where there is none. */
  readonly target: string | undefined;
  readonly outcomes: Map<string, Map<number, Outcome>>;
}

/** A request with its response sent. */
export interface RespondedRequest {
  /** Only characters that JSON need not escape. */
  readonly id: string;
  readonly principal: Principal | undefined;
  readonly trace: TraceContext | undefined;
  readonly raw: IncomingMessage;
}

export interface RequestRecord {
  /** Records a request that Fastify has responded to. */
  recordReply(request: FastifyRequest, reply: FastifyReply): void;
  /** Records a GET with a direct response (200) after so many milliseconds. */
  recordDirectResponse(route: ServedRoute, request: RespondedRequest, ms: number): void;
}

/** `onResponseSent` is called with the caller of each request. */
export function createRequestRecord({
  logger,
  metrics,
  onResponseSent,
  keyOf,
}: {
  logger: Logger;
  metrics: Metrics;
  onResponseSent: (principal: Principal | undefined, request: IncomingMessage) => void;
  keyOf: FhirWire['keyOf'];
}): RequestRecord {
  const routes = new WeakMap<object, Route>();
  // The authenticator returns the same object for a caller as long as it is cached.
  const actors = new WeakMap<Principal, string>();

  function begin(key: object, url: string, permission: Permission | undefined): Route {
    const level = isRoutine(url, permission) ? 'debug' : 'info';
    const route: Route = { url, level, target: kindOfTarget(url), outcomes: new Map() };
    routes.set(key, route);
    return route;
  }

  function routeOf(request: FastifyRequest): Route {
    // A request may be refused before its route has begun. One that matched no route is keyed by Fastify's config.
    const served = request.served ?? familyRouteOf(request);
    const key = served ?? request.routeOptions.config;
    const known = routes.get(key);
    if (known !== undefined) return known;
    if (served !== undefined) return begin(key, served.url, served.permission);
    const { url = 'unknown', config } = request.routeOptions;
    return begin(key, url, config.permission);
  }

  function outcomeOf({ url: route, level, outcomes }: Route, method: string, status: number): Outcome {
    const known = outcomes.get(method)?.get(status);
    if (known !== undefined) return known;
    const observe = metrics.requestDurations({ method, route, status });
    const write = createLineWriter(logger.child({ event: 'request.completed', method, route, status }), level);
    const outcome: Outcome = { observe, write, labels: { method, route, status } };
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
    { observe, write, labels }: Outcome,
    { id, principal, trace, raw }: RespondedRequest,
    { ms, target = '' }: { readonly ms: number; readonly target?: string },
  ): void {
    observe(ms / 1000);
    const actor = principal === undefined ? '' : actorOf(principal);
    const span = trace?.span;
    if (span !== undefined) endSpan(span, labels);
    // Ids of requests, traces and spans need no escaping.
    const spanId = span === undefined ? '' : `,"span_id":"${span.id}"`;
    const traced = trace === undefined ? '' : `,"trace_id":"${trace.traceId}"${spanId}`;
    const tenant = handlersOf(raw)?.name;
    const ofTenant = tenant === undefined ? '' : `,"tenant":"${tenant}"`;
    write(`,"requestId":"${id}","ms":${millisecondsText(ms)}${actor}${target}${traced}${ofTenant}`);
    onResponseSent(principal, raw);
  }

  return {
    recordReply: (request, reply) => {
      const route = routeOf(request);
      const target = route.target === undefined ? '' : targetOf(route.target, request.params, keyOf);
      keep(outcomeOf(route, request.method, reply.statusCode), request, { ms: reply.elapsedTime, target });
    },
    recordDirectResponse: (served, request, ms) => {
      const route = routes.get(served) ?? begin(served, served.url, served.permission);
      keep(outcomeOf(route, 'GET', 200), request, { ms });
    },
  };
}

/** By OpenTelemetry's conventions for HTTP servers, without the address: it may hold an id, a name or a token. */
function endSpan(span: Span, { method, route, status }: Outcome['labels']): void {
  const isKnown = route !== 'unknown';
  span.end({
    name: isKnown ? `${method} ${route}` : method,
    attributes: {
      'http.request.method': method,
      ...(isKnown ? { 'http.route': route } : {}),
      'http.response.status_code': status,
    },
    error: status >= 500 ? String(status) : undefined,
  });
}

/** `…/Patient/:id/_history` concerns a Patient, `/api/v1/requests/:request_guid/status` a request. */
function kindOfTarget(url: string): string | undefined {
  return /\/([\w-]+)\/:/.exec(url)?.[1];
}

/**
 * The target of the request: its kind with a guid. A resource with another id is named by the key under which it is
 * stored. The reason is that an id that a client chose may be a personal number. Other ids are left out, because they
 * may be secrets.
 */
function targetOf(kind: string, params: unknown, keyOf: FhirWire['keyOf']): string {
  const id = firstParameterIn(params);
  if (typeof id !== 'string') return '';
  if (isGuid(id)) return `,"target":"${kind}/${id}"`;
  const key = keyOf(kind, id);
  return key === undefined ? '' : `,"target":"${kind}/${key}"`;
}

/** Requests of other services and of monitoring tools come every second, and are logged at `debug`. */
function isRoutine(route: string, permission: Permission | undefined): boolean {
  return (permission !== undefined && isOnlyForServices(permission)) || OPERATIONAL_ROUTES.has(route);
}
