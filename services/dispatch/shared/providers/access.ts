// Who acts for a provider (decisions G12, D10, L10): the one place where it is decided.
import type { Principal } from '#lib/auth/principal.ts';
import { notFound } from '#lib/errors.ts';

/** A provider's key or user acts for that provider, an administrator for any. */
export function actsForProvider(principal: Principal, providerGuid: string): boolean {
  return principal.roles.has('admin') || principal.providerGuid === providerGuid;
}

/** What belongs to another provider is as absent. @throws ServiceError `not_found` */
export function requireActsFor(principal: Principal, providerGuid: string, what: string): void {
  if (!actsForProvider(principal, providerGuid)) throw notFound(what);
}
