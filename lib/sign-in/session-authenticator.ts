// Authenticates a session cookie (decision G8). The cookie holds a Bearer token, which is checked like any other, so a
// session ends with its token. A browser sends cookies by itself, also for other websites (CSRF). So a request that
// changes something must come from a page of our own origin.
import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticator } from '../auth/authenticator.ts';
import { hasServiceCredentials } from '../auth/service-credentials.ts';
import type { SessionCookies } from './cookies.ts';

type Headers = Parameters<Authenticator['authenticate']>[0];

/** Adds sessions to the authenticator. Other credentials take precedence. */
export function withSessions(inner: Authenticator, cookies: Pick<SessionCookies, 'readToken'>): Authenticator {
  const bearing = (headers: Headers): Headers => {
    const token = tokenOfSession(headers, cookies);
    return token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
  };
  return {
    findCached: (headers, sequence) => inner.findCached(bearing(headers), sequence),
    authenticate: (headers, address) => inner.authenticate(bearing(headers), address),
  };
}

/** The token of the session that authenticates the request; undefined when it has other credentials, or none. */
export function tokenOfSession(headers: Headers, cookies: Pick<SessionCookies, 'readToken'>): string | undefined {
  const { authorization, 'x-api-key': apiKey, cookie } = headers;
  if (authorization !== undefined || apiKey !== undefined || typeof cookie !== 'string') return undefined;
  return hasServiceCredentials(headers) ? undefined : cookies.readToken(cookie);
}

/**
 * Whether a browser says that the request comes from a page of the origin: by Sec-Fetch-Site
 * (w3.org/TR/fetch-metadata), and where it sends none by Origin. A request that says neither does not.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, publicOrigin: string): boolean {
  const { 'sec-fetch-site': site, origin } = headers;
  if (site !== undefined) return site === 'same-origin';
  return origin === publicOrigin;
}
