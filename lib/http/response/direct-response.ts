// The interface by which a plugin offers responses that are sent before routing (docs/adr/0032, docs/adr/0089).
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../auth/principal.ts';
import type { ServedRoute } from './served-route.ts';

/** What the direct responses of one route have in common. */
export interface DirectRoute {
  readonly served: ServedRoute;
  readonly contentType: string;
  /**
   * Whether the route has admitted exactly this caller before, with nothing changed since that its permission depends
   * on.
   */
  admits(principal: Principal): boolean;
  /**
   * The caller, where it takes more than the credentials of one. Undefined where only the route can tell. The
   * application's authenticator knows the caller when left out.
   */
  readonly callerOf?: (request: IncomingMessage) => Principal | undefined;
  /** The request headers that `callerOf` reads beside `Authorization`, in lower case. */
  readonly callerHeaders?: ReadonlySet<string>;
}

/** The response to a GET, with status 200 and without headers of its own. */
export interface DirectResponse {
  readonly route: DirectRoute;
  /**
   * The UTF-8 bytes. They are sent as they are; other text would be encoded each time. Of a body that is too short to
   * be compressed they are a `latin1` string, one character each. A buffer is compressed for clients that accept it
   * (./compression.ts), so it is sent directly to others alone.
   */
  readonly body: string | Buffer;
  /** In bytes. */
  readonly contentLength: string;
}

/** A route whose responses are computed at once. */
export interface ComputingRoute {
  readonly route: DirectRoute;
  /**
   * The response to a request of an admitted caller, at the end of the turn in which it arrived. Undefined where only
   * the route can respond. It never throws.
   */
  compute(request: IncomingMessage, principal: Principal): DirectResponse | undefined;
}

/** Finds a response, or what computes it, by the request's address, `Accept` and `Accept-Language`. */
export type FindDirectResponse = (request: IncomingMessage) => DirectResponse | ComputingRoute | undefined;
