// What every answer says of caches and of its type, however it came about (RFC 9111 §5.2.2, RFC 9110 §12.5.5): the
// route's configuration decides, and an answer is kept nowhere unless its route says so. Answers that leave before the
// router take the same headers from here.
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

/** What a kept answer depends on beside its address: who asks, and the format. */
const KEPT_VARY = ['Accept', 'Authorization', 'Cookie', 'X-API-Key'];
const KEPT_VARY_TEXT = KEPT_VARY.join(', ');

/** Of answers that pass no hook. */
export const UNSTORED_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['cache-control', CACHE_CONTROL.unstored],
  ['x-content-type-options', 'nosniff'],
];

const UNSTORED = Object.fromEntries(UNSTORED_HEADERS);

/** To be called before the routes are registered. */
export function guardResponses(app: HttpApp): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-content-type-options', 'nosniff');
    // What carries a token says `no-store` alone (RFC 6749 §5.1); the gateway passes on what the service says.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', cacheControlOf(request, reply));
    if (reply.getHeader('cache-control') === CACHE_CONTROL.revalidated) varyByCaller(reply);
    done();
  });
}

/** An error is kept nowhere, whatever its route says. Also for those that pass no hook. */
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
  if (reply.hasHeader('vary')) for (const name of KEPT_VARY) varyBy(reply, name);
  else reply.header('vary', KEPT_VARY_TEXT);
}
