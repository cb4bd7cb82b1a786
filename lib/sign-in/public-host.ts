// Redirects a login to the public origin. Its cookie is bound to one host (RFC 6265 §5.4), and identity redirects to
// the public one. A browser that uses another name of the same machine (`localhost` for `127.0.0.1`, an alias) is
// redirected first.
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';

const MARK = 'at';
const MARKED = 'public';

/** The query parameter that says that the browser has been led to the public origin. */
export const AT_FIELD = { [MARK]: Type.Optional(Type.String({ maxLength: 64 })) };

/**
 * The address of the same request at `url`, an absolute address without a query. Undefined for a browser whose `Host`
 * is already that of `url`. A browser is redirected once: with a proxy that writes its own `Host` the redirects would
 * not end.
 */
export function addressAtPublicHost(request: Pick<FastifyRequest, 'host' | 'url'>, url: string): string | undefined {
  const target = new URL(url);
  const query = new URLSearchParams(request.url.split('?', 2)[1]);
  if (query.has(MARK) || URL.parse(`${target.protocol}//${request.host}`)?.hostname === target.hostname)
    return undefined;
  query.set(MARK, MARKED);
  return `${url}?${query}`;
}
