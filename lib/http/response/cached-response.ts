// What a plugin offers to be sent before the router is asked (docs/adr/0032).
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../auth/principal.ts';
import type { ServedRoute } from './served-route.ts';

/** What the ready answers of one route have in common. */
export interface CachedRoute {
  readonly served: ServedRoute;
  readonly contentType: string;
  /** Whether the route has let in exactly this caller before: nothing of what it judges by has changed since. */
  admits(principal: Principal): boolean;
}

/** The answer to a GET, with status 200 and no header of its own; too short to be compressed (./compression.ts). */
export interface CachedResponse {
  readonly route: CachedRoute;
  /**
   * The bytes of the text in UTF-8, one character (`latin1`) each: they leave as they are, where a text would be
   * encoded each time.
   */
  readonly body: string;
  /** In bytes. */
  readonly contentLength: string;
}

/** Finds the answer by the request's address, `Accept` and `Accept-Language`. */
export type FindCachedResponse = (request: IncomingMessage) => CachedResponse | undefined;
