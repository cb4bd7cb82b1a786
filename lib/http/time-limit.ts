// The time limit of every handler (docs/adr/0058). A request that runs or waits for longer gets 503, and its work is
// aborted. When the client disconnects, work is aborted that only reads or is one transaction.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ServiceError } from '../errors.ts';
import { createRequestTime, type RequestTimeControl, runWithRequestTime } from '../jobs/request-time.ts';
import { Slots } from '../slots.ts';
import type { HttpApp } from './http-app.ts';

/** How often the running requests are checked. */
const CHECK_MS = 250;
const RETRY_AFTER_SECONDS = 5;
const NO_SLOT = -1;
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface Running {
  readonly time: RequestTimeControl;
  readonly startedAt: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Its slot among the running requests; `NO_SLOT` when it needs no further check. */
  slot: number;
}

export interface TimeLimit {
  /** Adds the limit to the route. Call it for each route when it is registered. */
  bound(route: RouteOptions): void;
}

/**
 * @param limitMs milliseconds from the end of the request body to the beginning of the response; no limit when left out
 */
export function createTimeLimit(app: HttpApp, limitMs: number | undefined): TimeLimit {
  if (limitMs === undefined) return { bound: () => {} };
  const running = new Slots<Running>();
  const forget = (each: Running): void => {
    running.remove(each.slot);
    each.slot = NO_SLOT;
  };
  const check = setInterval(() => {
    const now = performance.now();
    for (const [, each] of running.entries()) if (checkTime(each, now, limitMs)) forget(each);
  }, CHECK_MS).unref();
  app.addHook('onClose', (_app, done) => {
    clearInterval(check);
    done();
  });
  return {
    bound: (route) => {
      const { handler, config } = route;
      if (config?.hasNoTimeLimit === true) return;
      // The service that gets a forwarded request has its own limit.
      const isForwarded = config?.forwardsBody === true;
      route.handler = function timed(request, reply) {
        const time = createRequestTime();
        const answered = runWithRequestTime(time, () => handler.call(this, request, reply));
        if (!(answered instanceof Promise || isForwarded)) return answered;
        const startedAt = isForwarded ? Number.POSITIVE_INFINITY : performance.now();
        const own: Running = { time, startedAt, request, reply, slot: NO_SLOT };
        own.slot = running.add(own);
        return answered instanceof Promise ? untilOver(answered, time, () => forget(own)) : answered;
      };
    },
  };
}

/** Settles like the handler, or rejects when the request is aborted. */
function untilOver(answered: Promise<unknown>, time: RequestTimeControl, forget: () => void): Promise<unknown> {
  return new Promise((resolve, reject) => {
    time.onOver(reject);
    const finish = (): void => {
      forget();
      time.finish();
    };
    answered.then(
      (answer) => {
        finish();
        resolve(answer);
      },
      (error: unknown) => {
        finish();
        reject(error);
      },
    );
  });
}

/** Aborts the request if its time is over or its client has gone. Returns whether it needs no further check. */
function checkTime({ time, startedAt, request, reply }: Running, now: number, limitMs: number): boolean {
  // A response that is being sent takes as long as its client needs.
  if (reply.raw.headersSent) return true;
  if (request.raw.socket?.destroyed === true && abortsOnDisconnect(request)) time.end(disconnected());
  else if (now - startedAt > limitMs) time.end(tooLong(limitMs));
  return time.over !== undefined;
}

/** Read late, because a route's configuration may be completed after `bound`. */
function abortsOnDisconnect({ method, routeOptions: { config } }: FastifyRequest): boolean {
  return config.abortsOnDisconnect ?? (config.forwardsBody === true || SAFE.has(method));
}

function tooLong(limitMs: number): ServiceError {
  const message = `The request took longer than ${limitMs / 1000} s and was given up: ask for less at a time, or try again later`;
  return new ServiceError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function disconnected(): ServiceError {
  return new ServiceError('unavailable', 'The caller has closed the connection');
}
