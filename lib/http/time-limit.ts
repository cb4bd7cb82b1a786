// One limit around every handler (docs/adr/0058): a request that has been worked on, or has waited, for longer is
// answered 503, and what works for it is ended. A caller who has gone ends what only reads, or is all or nothing.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { ServiceError } from '../errors.ts';
import { createRequestTime, type OwnRequestTime, runInTime } from '../jobs/request-time.ts';
import { Slots } from '../slots.ts';
import type { HttpApp } from './http-app.ts';

/** How often it is looked whose time is over. */
const CHECK_MS = 250;
const COME_AGAIN_SECONDS = 5;
const NO_SLOT = -1;
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface Running {
  readonly time: OwnRequestTime;
  readonly startedAt: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Among those that run; `NO_SLOT` when there is nothing more to be looked at. */
  slot: number;
}

export interface TimeLimit {
  /** To be called for each route as it is registered. */
  bound(route: RouteOptions): void;
}

/**
 * @param limitMs milliseconds, from when the body has come until the answer begins; nothing is bounded when left out
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
    for (const [, each] of running.entries()) if (look(each, now, limitMs)) forget(each);
  }, CHECK_MS).unref();
  app.addHook('onClose', (_app, done) => {
    clearInterval(check);
    done();
  });
  return {
    bound: (route) => {
      const { handler, config } = route;
      if (config?.takesItsTime === true) return;
      // Whoever is forwarded to bounds the time.
      const isForwarded = config?.forwardsBody === true;
      route.handler = function timed(request, reply) {
        const time = createRequestTime();
        const answered = runInTime(time, () => handler.call(this, request, reply));
        if (!(answered instanceof Promise || isForwarded)) return answered;
        const startedAt = isForwarded ? Number.POSITIVE_INFINITY : performance.now();
        const own: Running = { time, startedAt, request, reply, slot: NO_SLOT };
        own.slot = running.add(own);
        return answered instanceof Promise ? untilOver(answered, time, () => forget(own)) : answered;
      };
    },
  };
}

/** The handler's answer, or what ended it. */
function untilOver(answered: Promise<unknown>, time: OwnRequestTime, forget: () => void): Promise<unknown> {
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

/** Whether there is nothing more to be looked at. */
function look({ time, startedAt, request, reply }: Running, now: number, limitMs: number): boolean {
  // What has begun to be sent takes as long as its reader needs.
  if (reply.raw.headersSent) return true;
  if (request.raw.socket?.destroyed === true && endsWithCaller(request)) time.end(gone());
  else if (now - startedAt > limitMs) time.end(tooLong(limitMs));
  return time.over !== undefined;
}

/** Asked of few: it may be that only what is registered later says so of a route. */
function endsWithCaller({ method, routeOptions: { config } }: FastifyRequest): boolean {
  return config.endsWithCaller ?? (config.forwardsBody === true || SAFE.has(method));
}

function tooLong(limitMs: number): ServiceError {
  const message = `The request took longer than ${limitMs / 1000} s and was given up: ask for less at a time, or try again later`;
  return new ServiceError('unavailable', message, { retryAfterSeconds: COME_AGAIN_SECONDS });
}

function gone(): ServiceError {
  return new ServiceError('unavailable', 'The caller has closed the connection');
}
