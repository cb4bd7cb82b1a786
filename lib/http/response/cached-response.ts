// The interface by which a plugin offers cached responses, which are sent before routing (docs/adr/0032).
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../auth/principal.ts';
import type { ServedRoute } from './served-route.ts';

/** What the cached responses of one route have in common. */
export interface CachedRoute {
  readonly served: ServedRoute;
  readonly contentType: string;
  /**
   * Whether the route has admitted exactly this caller before, with nothing changed since that its permission depends
   * on.
   */
  admits(principal: Principal): boolean;
}

/**
 * The cached response to a GET: status 200, no headers of its own, and too short to be compressed (./compression.ts).
 */
export interface CachedResponse {
  readonly route: CachedRoute;
  /**
   * The UTF-8 bytes as a `latin1` string, one character each. They are sent as they are; other text would be encoded
   * each time.
   */
  readonly body: string;
  /** In bytes. */
  readonly contentLength: string;
}

/** Finds a cached response by the request's address, `Accept` and `Accept-Language`. */
export type FindCachedResponse = (request: IncomingMessage) => CachedResponse | undefined;
