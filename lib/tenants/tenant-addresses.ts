// Addresses of a tenant as browsers reach it, made of the public one and of the operator's list of host names. Nothing
// of a request is in them.
import type { TenantNames } from './named-tenant.ts';
import { pathOfTenant, type Tenant } from './tenant.ts';

/** The origin of a tenant's host: with scheme and port of the public address. */
export function originOfHost(publicUrl: string, host: string): string {
  const { protocol, port } = new URL(publicUrl);
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

/**
 * The root of identity at which the tenant's users sign in, without a slash at its end. It is at the public origin,
 * where the session of a browser is. Where the public host is that of one of the tenants, another tenant's address is
 * not served there, and its users sign in at its own host.
 * @param identityUrl identity's root at the public origin
 */
export function signInRootOf(
  identityUrl: string,
  { name, hosts: [host] }: Pick<Tenant, 'name' | 'hosts'>,
  tenants: Pick<TenantNames, 'byHost'>,
): string {
  const { hostname, pathname } = new URL(identityUrl);
  const atPublicHost = tenants.byHost(hostname);
  if (atPublicHost !== undefined && host !== undefined) return `${originOfHost(identityUrl, host)}${pathname}`;
  return `${identityUrl}${pathOfTenant(name)}`;
}
