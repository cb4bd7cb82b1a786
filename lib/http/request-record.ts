// What is kept of every request: a log line and a duration (spec: operations). What is the same for all requests of a route that end
// alike is prepared once: nearly every answer costs an id, a duration, who asked, and the trace.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '../auth/permissions.ts';
import { createLineWriter } from '../log/line-writer.ts';
import type { Logger } from '../log/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';

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
  readonly outcomes: Map<string, Map<number, Outcome>>;
}

/** Makes what is called with each request that has been answered. */
export function createRequestRecord({ logger, metrics }: { logger: Logger; metrics: Metrics }) {
  const routes = new WeakMap<object, Route>();

  function routeOf(request: FastifyRequest): Route {
    // What was answered before it came to its route, or has none, is found by what Fastify tells of it.
    const key = request.served ?? request.routeOptions.config;
    const known = routes.get(key);
    if (known !== undefined) return known;
    const { url = 'unknown', config } = request.routeOptions;
    const level = isRoutine(url, config.permission) ? 'debug' : 'info';
    const route: Route = { url, level, outcomes: new Map() };
    routes.set(key, route);
    return route;
  }

  function outcomeOf(request: FastifyRequest, status: number): Outcome {
    const { method } = request;
    const { url: route, level, outcomes } = routeOf(request);
    const known = outcomes.get(method)?.get(status);
    if (known !== undefined) return known;
    const observe = metrics.requestDurations({ method, route, status });
    const write = createLineWriter(logger.child({ event: 'request.completed', method, route, status }), level);
    const outcome: Outcome = { observe, write };
    outcomes.set(method, (outcomes.get(method) ?? new Map<number, Outcome>()).set(status, outcome));
    return outcome;
  }

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { statusCode, elapsedTime: ms } = reply;
    const { observe, write } = outcomeOf(request, statusCode);
    observe(ms / 1000);
    const { id, principal, trace } = request;
    const told = Math.round(ms * 1000) / 1000;
    // Ids of requests and traces hold nothing that would have to be escaped.
    const actor = principal === undefined ? '' : `,"actor":${JSON.stringify(principal.id)}`;
    write(`,"requestId":"${id}","ms":${told}${actor}${trace === undefined ? '' : `,"trace":"${trace.traceId}"`}`);
  };
}

/** Polls of other services and of operators' tools come every second and say nothing new: they are logged at `debug`. */
function isRoutine(route: string, permission: Permission | undefined): boolean {
  return permission === 'service:sync' || OPERATIONS.has(route);
}
