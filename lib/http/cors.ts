// Which pages of other origins may call a service from a browser (https://fetch.spec.whatwg.org/#http-cors-protocol): those that the
// configuration names, with tokens and API keys, never with cookies.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpApp } from './http-app.ts';
import { varyBy } from './vary.ts';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

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
  'Prefer',
  'Range',
  'traceparent',
  'X-API-Key',
  'X-Request-Id',
].join(', ');

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
].join(', ');

/** For so long a browser need not ask again. */
const MAX_AGE_SECONDS = 600;

/** Answers pages of the given origins; nobody else's page reads an answer. Registered before callers are judged, so that refusals are read, too. */
export function allowOrigins(app: HttpApp, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  app.addHook('onRequest', (request, reply, done) => {
    // Caches must not give one page what was meant for another.
    varyBy(reply, 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) {
      done();
      return;
    }
    reply.header('access-control-allow-origin', origin);
    if (isPreflight(request)) answerPreflight(reply);
    else {
      reply.header('access-control-expose-headers', ANSWER_HEADERS);
      done();
    }
  });
}

/** A browser's own question, before it sends what the page asked for. */
function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function answerPreflight(reply: FastifyReply): void {
  reply
    .code(204)
    .header('access-control-allow-methods', METHODS)
    .header('access-control-allow-headers', REQUEST_HEADERS)
    .header('access-control-max-age', MAX_AGE_SECONDS)
    .send();
}
