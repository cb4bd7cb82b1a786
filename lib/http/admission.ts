// Authentication and authorization of each route. The required permission is read once, when the route is registered,
// and every request is checked against it. Within a family it is that of the route that the request is for.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import { authorise, isForServices, type Permission } from '../auth/permissions.ts';
import { hasServiceCredentials, withoutServiceCredentials } from '../auth/service-credentials.ts';
import { ServiceError } from '../errors.ts';
import { isGuid } from '../guid.ts';
import { actingFor } from './acting-for.ts';
import { whenDone } from './hooks.ts';
import type { Caching } from './response/served-route.ts';

const FORBIDDEN = 403;

/** Who checks the callers of a request. */
export type AuthenticatorOf = (request: IncomingMessage) => Authenticator;

/**
 * Adds the permission check to the route, before any other hook of the route itself. Call it for each route when it is
 * registered.
 */
export function guardRoute(route: RouteOptions, authenticatorOf: AuthenticatorOf): void {
  const { url } = route;
  const { permission, family, ownPermission, caching = 'unstored', searched } = route.config ?? {};
  const { refusesAfterBody = false, staysOpen = false } = route.config ?? {};
  if (permission === undefined && family === undefined) return;
  const isOpen = permission === 'public' || permission === 'receipt:hold';
  if (!isOpen && isForAnybody(caching)) throw new Error(`${route.method} ${url} is kept for others than its caller`);
  const own = permission && { url, permission, caching, ...(searched === undefined ? {} : { searched }) };
  const enter = whenDone((request) => {
    const served = own ?? family?.routeOf(request.params);
    if (served === undefined) throw new TypeError('A route has a permission or is a family');
    request.served = served;
    // A public route ignores credentials, so that wrong ones do no harm there.
    if (isOpen) return ownPermission === undefined ? undefined : admitOwn(request, ownPermission, authenticatorOf);
    const admitted = () => admit(request, served.permission, authenticatorOf);
    if (staysOpen)
      request.checkAgain = async () => {
        await admitted();
        if (request.principal === undefined) throw new ServiceError('unauthorized', 'Authentication is required');
        return request.principal;
      };
    return refusesAfterBody ? deferRefusal(request, admitted) : admitted();
  });
  route.onRequest = [enter, route.onRequest ?? []].flat();
  if (refusesAfterBody) route.preValidation = [sendDeferredRefusal, route.preValidation ?? []].flat();
}

/**
 * Authenticates a caller who names the record by its guid instead of a receipt token. Without credentials or the
 * permission the guid is an unknown token, and the route answers as for any other.
 */
function admitOwn(
  request: FastifyRequest,
  permission: Permission,
  authenticatorOf: AuthenticatorOf,
): undefined | Promise<void> {
  if (!namesGuid(request) || !hasCredentials(request)) return undefined;
  return Promise.resolve()
    .then(() => admit(request, permission, authenticatorOf))
    .catch((error: unknown) => {
      request.principal = undefined;
      if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error;
    });
}

function hasCredentials({ headers }: FastifyRequest): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined || hasServiceCredentials(headers);
}

/** A receipt token is longer than a guid. */
function namesGuid({ params }: FastifyRequest): boolean {
  const values: unknown[] = typeof params === 'object' && params !== null ? Object.values(params) : [];
  return values.some((value) => typeof value === 'string' && isGuid(value));
}

function isForAnybody(caching: Caching): boolean {
  return caching === 'public' || caching === 'for-a-minute';
}

/**
 * Defers the 403 of an authenticated caller until the body has been read. A caller without valid credentials is refused
 * before the body.
 */
function deferRefusal(request: FastifyRequest, admitted: () => void | Promise<void>): void | Promise<void> {
  const keep = (error: unknown): void => {
    if (!(error instanceof ServiceError) || error.status !== FORBIDDEN || request.principal === undefined) throw error;
    request.refusal = error;
  };
  try {
    return admitted()?.catch(keep);
  } catch (error) {
    keep(error);
  }
}

function sendDeferredRefusal({ refusal }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  done(refusal);
}

/** Authenticates the caller and checks the permission. */
function admit(
  request: FastifyRequest,
  permission: Permission,
  authenticatorOf: AuthenticatorOf,
): void | Promise<void> {
  const { headers } = request;
  const authenticator = authenticatorOf(request.raw);
  const known = authenticator.findCached(headers);
  request.principal = known && actingFor(known, headers);
  if (request.principal !== undefined) return authorise(permission, request.principal);
  // Where no service may call, service credentials count as none. A user's token is missing then (401, not 403).
  const isMisplaced = hasServiceCredentials(headers) && !isForServices(permission);
  const shown = isMisplaced ? withoutServiceCredentials(headers) : headers;
  return authenticator.authenticate(shown, request.ip).then((principal) => {
    request.principal = principal && actingFor(principal, headers);
    authorise(permission, request.principal);
  });
}
