// Cache-Control, Vary and X-Content-Type-Options of every response (RFC 9111 §5.2.2, RFC 9110 §12.5.5). The route's
// configuration decides; no cache stores a response unless its route allows it. Cached responses that are sent before
// routing take the same headers from here.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpApp } from '../http-app.ts';
import type { Caching } from './served-route.ts';
import { varyBy } from './vary.ts';

const CACHE_CONTROL: Readonly<Record<Caching, string>> = {
  unstored: 'private, no-store',
  revalidated: 'private, no-cache',
  public: 'public, no-cache',
  'for-a-minute': 'public, max-age=60',
};

/**
 * Request headers that a stored response depends on, besides its address: the caller, the patient of a proxy, and the
 * format.
 */
const STORED_VARY = ['Accept', 'Authorization', 'Cookie', 'Kedja-Patient', 'X-API-Key'];
const STORED_VARY_TEXT = STORED_VARY.join(', ');

/** The headers of responses that pass no hook. */
export const UNSTORED_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['cache-control', CACHE_CONTROL.unstored],
  ['x-content-type-options', 'nosniff'],
];

const UNSTORED = Object.fromEntries(UNSTORED_HEADERS);

/** Adds the headers to every response. Call it before the routes are registered. */
export function guardResponses(app: HttpApp): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-content-type-options', 'nosniff');
    // A response with a token has its own `no-store` (RFC 6749 §5.1), and the gateway forwards the header of the
    // service.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', cacheControlOf(request, reply));
    if (reply.getHeader('cache-control') === CACHE_CONTROL.revalidated) varyByCaller(reply);
    done();
  });
}

/** Forbids storing an error, whatever its route allows. Also for errors that pass no hook. */
export function refuseStoring(reply: FastifyReply): void {
  const isRefused = String(reply.getHeader('cache-control') ?? '').includes('no-store');
  reply.headers(isRefused ? { 'x-content-type-options': 'nosniff' } : UNSTORED);
}

function cacheControlOf({ served, method }: FastifyRequest, reply: FastifyReply): string {
  const caching = served?.caching ?? 'unstored';
  if (reply.statusCode >= 400) return CACHE_CONTROL.unstored;
  if (caching !== 'revalidated') return CACHE_CONTROL[caching];
  const isTagged = (method === 'GET' || method === 'HEAD') && reply.hasHeader('etag');
  return CACHE_CONTROL[isTagged ? 'revalidated' : 'unstored'];
}

function varyByCaller(reply: FastifyReply): void {
  if (reply.hasHeader('vary')) for (const name of STORED_VARY) varyBy(reply, name);
  else reply.header('vary', STORED_VARY_TEXT);
}
