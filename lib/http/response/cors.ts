// Which pages of other origins may call a service from a browser (https://fetch.spec.whatwg.org/#http-cors-protocol):
// those that the configuration names, with tokens and API keys, never with cookies.
import cors, { type FastifyCorsOptionsDelegateCallback } from '@fastify/cors';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { HttpApp } from '../http-app.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What callers send beside what browsers always let pass. */
const REQUEST_HEADERS = [
  'Accept',
  'Accept-Language',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-Modified-Since',
  'If-None-Exist',
  'If-None-Match',
  'Kedja-Organisation',
  'Prefer',
  'Range',
  'traceparent',
  'X-API-Key',
  'X-Request-Id',
];

/** What a page may read beside what browsers always show. */
const ANSWER_HEADERS = [
  'Accept-Patch',
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'X-Progress',
  'X-Request-Id',
  'X-Total-Count',
];

/** For so long a browser need not ask again. */
const MAX_AGE_SECONDS = 600;

/** The address that the library adds, of no method but OPTIONS; it is none that callers are told of. */
export function isPreflightRoute({ method, url }: Pick<RouteOptions, 'method' | 'url'>): boolean {
  return method === 'OPTIONS' && url === '*';
}

/** What an answer to a request without `Origin` says, where the given origins may call. */
export function headersWithoutOrigin(origins: readonly string[]): readonly string[] {
  return origins.length === 0 ? [] : ['vary', 'Origin'];
}

/**
 * Answers pages of the given origins; nobody else's page reads an answer. Registered before callers are judged, so that
 * refusals are read, too.
 */
export async function allowOrigins(app: HttpApp, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  const answers = {
    methods: METHODS,
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ANSWER_HEADERS,
    maxAge: MAX_AGE_SECONDS,
  };
  // Judged by request: a list of origins would answer the preflight of every page with 204, and each OPTIONS as if it
  // were one.
  const delegator: FastifyCorsOptionsDelegateCallback = (request, done) => {
    const { origin = '' } = request.headers;
    done(null, { ...answers, origin: allowed.has(origin) ? origin : false, preflight: isPreflight(request) });
  };
  await app.register(cors, { delegator });
}

/** A browser's own question, before it sends what the page asked for. */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
