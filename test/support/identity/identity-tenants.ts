// Tenants for tests of identity: `north` has a host name, `west` has none. Requests name one as the address would.
import { runForTenant } from '#lib/tenants/current-tenant.ts';
import type { TenantNames } from '#lib/tenants/named-tenant.ts';
import type { Tenant } from '#lib/tenants/tenant.ts';

const tenantOf = (name: string, hosts: readonly string[]): Tenant => ({
  name,
  schema: name,
  databaseUrl: undefined,
  directUrl: undefined,
  hosts,
});
const ALL = [tenantOf('north', ['north.example.org']), tenantOf('west', [])];

export const TENANTS: TenantNames = {
  byName: (name) => ALL.find((tenant) => tenant.name === name),
  byHost: (host) => ALL.find(({ hosts }) => hosts.includes(host)),
};

/** Runs what a request at the tenant's address would. A request of `inject` begins when it is awaited: in here. */
export function atTenant<Result>(name: string, work: () => PromiseLike<Result>): Promise<Result> {
  return runForTenant({ name, isByHost: false }, async () => await work());
}
