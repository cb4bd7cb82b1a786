// CORS: which pages of other origins may call a service from a browser
// (https://fetch.spec.whatwg.org/#http-cors-protocol). The configuration names them. They call with tokens and API
// keys, never with cookies.
import cors, { type FastifyCorsOptionsDelegateCallback } from '@fastify/cors';
import type { FastifyRequest, RouteOptions } from 'fastify';
import type { HttpApp } from '../http-app.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Request headers beyond those that browsers always allow. */
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
  'Kedja-Patient',
  'Kedja-Position',
  'Prefer',
  'Range',
  'traceparent',
  'tracestate',
  'X-API-Key',
  'X-Request-Id',
];

/** Response headers beyond those that browsers always expose. */
const EXPOSED_HEADERS = [
  'Accept-Patch',
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Kedja-Position',
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

/** How long a browser may cache a preflight response. */
const MAX_AGE_SECONDS = 600;

/** Whether a route is the preflight route of the plugin: `OPTIONS *`. It is not documented. */
export function isPreflightRoute({ method, url }: Pick<RouteOptions, 'method' | 'url'>): boolean {
  return method === 'OPTIONS' && url === '*';
}

/** The headers of a response to a request without `Origin`, for the given origins. */
export function headersWithoutOrigin(origins: readonly string[]): readonly string[] {
  return origins.length === 0 ? [] : ['vary', 'Origin'];
}

/**
 * Allows pages of the given origins and no others. Register it before authentication, so that a page can read refusals,
 * too.
 */
export async function allowOrigins(app: HttpApp, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  const answers = {
    methods: METHODS,
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: MAX_AGE_SECONDS,
  };
  // Decided for each request. With a list of origins the plugin would respond 204 to the preflight of every page, and
  // treat every OPTIONS request as a preflight.
  const delegator: FastifyCorsOptionsDelegateCallback = (request, done) => {
    const { origin = '' } = request.headers;
    done(null, { ...answers, origin: allowed.has(origin) ? origin : false, preflight: isPreflight(request) });
  };
  await app.register(cors, { delegator });
}

/** Whether the request is a preflight, which a browser sends before the page's request. */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
