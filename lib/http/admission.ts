// Who is let in to a route: what its permission asks for is found out when the route is registered, and each request is
// judged by that alone.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import { authorise, isForServices, type Permission } from '../auth/permissions.ts';
import { hasServiceCredentials, withoutServiceCredentials } from '../auth/service-credentials.ts';
import { ServiceError } from '../errors.ts';
import { actingFor } from './acting-for.ts';
import { whenDone } from './hooks.ts';
import type { Caching } from './response/served-route.ts';

const FORBIDDEN = 403;

/**
 * Lets in to the route whom its permission lets in, before any other hook of the route itself. To be called for each
 * route as it is registered.
 */
export function guardRoute(route: RouteOptions, authenticator: Authenticator): void {
  const { url } = route;
  const permission = route.config?.permission;
  if (permission === undefined) return;
  const { caching = 'unstored', refusedWithBody = false } = route.config ?? {};
  const isOpen = permission === 'public' || permission === 'receipt:hold';
  if (!isOpen && isForAnybody(caching)) throw new Error(`${route.method} ${url} is kept for others than its caller`);
  const served = { url, permission, caching };
  const enter = whenDone((request) => {
    request.served = served;
    // A public route does not look at credentials, so that wrong ones do no harm there.
    if (isOpen) return;
    const admitted = () => admit(request, permission, authenticator);
    return refusedWithBody ? keepRefusal(request, admitted) : admitted();
  });
  route.onRequest = [enter, route.onRequest ?? []].flat();
  if (refusedWithBody) route.preValidation = [refuseKept, route.preValidation ?? []].flat();
}

function isForAnybody(caching: Caching): boolean {
  return caching === 'public' || caching === 'for-a-minute';
}

/** A caller who is known and may not do this is refused later on; whoever is not known is refused before the body. */
function keepRefusal(request: FastifyRequest, admitted: () => void | Promise<void>): void | Promise<void> {
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

function refuseKept({ refusal }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  done(refusal);
}

/** Authenticates and authorises. */
function admit(request: FastifyRequest, permission: Permission, authenticator: Authenticator): void | Promise<void> {
  const { headers } = request;
  const known = authenticator.recall(headers);
  request.principal = known && actingFor(known, headers);
  if (request.principal !== undefined) return authorise(permission, request.principal);
  // Where no service may call, service credentials count as none: what is missing is a user's token (401, not 403).
  const isMisplaced = hasServiceCredentials(headers) && !isForServices(permission);
  const shown = isMisplaced ? withoutServiceCredentials(headers) : headers;
  return authenticator.authenticate(shown, request.ip).then((principal) => {
    request.principal = principal && actingFor(principal, headers);
    authorise(permission, request.principal);
  });
}
