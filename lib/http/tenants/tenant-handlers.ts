// The functions that one tenant's service registered for the routes of an application. The application has each route
// once, and calls the functions of the tenant that the request names.
import type { IncomingMessage } from 'node:http';
import type { Authenticator } from '../../auth/authenticator.ts';

// biome-ignore lint/complexity/noBannedTypes: functions of every form are only passed on
export type AnyFunction = Function;

export interface TenantHandlers {
  readonly name: string;
  readonly authenticator: Authenticator;
  /** By the number that the application gave each place (./shared-routes.ts). */
  readonly functions: readonly AnyFunction[];
}

const served = new WeakMap<IncomingMessage, TenantHandlers>();

/** Called once for a request, before anything of the service runs. */
export function serveAs(request: IncomingMessage, handlers: TenantHandlers): void {
  served.set(request, handlers);
}

/** Undefined for a request of the default tenant. */
export function handlersOf(request: IncomingMessage): TenantHandlers | undefined {
  return served.get(request);
}
