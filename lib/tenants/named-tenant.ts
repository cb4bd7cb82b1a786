// Which tenant a request names: by the path before the service's own address (`/t/north/api/v1/Patient`), or by its
// host name. Nothing of a body, a query or another header counts. Where both name one, they must name the same.
import type { Tenant } from './tenant.ts';

/** The tenants of this moment. */
export interface TenantNames {
  byName(name: string): Tenant | undefined;
  byHost(host: string): Tenant | undefined;
}

/** `tenant` is undefined for the default one. `url` is the address that the service routes. */
export type Named = { readonly tenant: Tenant | undefined; readonly url: string; readonly prefix: string } | 'unknown';

/** Exactly so: no escapes, no capital letters, no empty name; the rest is an address of the service. */
const PATH = /^\/t\/([a-z][a-z0-9-]{0,30})(\/.*)$/s;
/** Whatever a router might read as the beginning of such an address. */
const SIMILAR = /^\/+(?:t|%74|%54)(?:\/|%2f)/i;

/**
 * @param url the request's target
 * @param host the host that the client asked for, perhaps with a port
 */
export function namedTenant(url: string, host: string, names: TenantNames): Named {
  const atHost = names.byHost(hostName(host));
  const [, name, rest = ''] = PATH.exec(url) ?? [];
  if (name === undefined) return SIMILAR.test(url) ? 'unknown' : { tenant: atHost, url, prefix: '' };
  const tenant = names.byName(name);
  // An address below a tenant's has no second tenant.
  if (tenant === undefined || (atHost !== undefined && atHost.name !== tenant.name) || SIMILAR.test(rest))
    return 'unknown';
  return { tenant, url: rest, prefix: url.slice(0, url.length - rest.length) };
}

/** Without the port, a dot at its end and capital letters (RFC 9110 §4.2.3; RFC 1034 §3.1). */
function hostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}
