// The tenant whose address the current request has, for identity, which is common to all tenants: a token that it
// issues is for that tenant.
import { AsyncLocalStorage } from 'node:async_hooks';
import { DEFAULT_TENANT } from './tenant.ts';

/** What the address of a request says. */
export interface AddressedTenant {
  readonly name: string;
  /** Whether the host name alone names it, and not the path too. */
  readonly isByHost: boolean;
}

const storage = new AsyncLocalStorage<AddressedTenant>();

/** Runs `work`, and what it starts, for the tenant. */
export function runForTenant<T>(tenant: AddressedTenant, work: () => T): T {
  return storage.run(tenant, work);
}

/** The name of the tenant of the current request; undefined for the default one. */
export function currentTenant(): string | undefined {
  return storage.getStore()?.name;
}

/** As it is written where the default one needs a name, too. */
export function currentTenantName(): string {
  return currentTenant() ?? DEFAULT_TENANT;
}

/** The name of the tenant of the current request where its host name alone says it; undefined otherwise. */
export function currentTenantByHost(): string | undefined {
  const tenant = storage.getStore();
  return tenant?.isByHost === true ? tenant.name : undefined;
}
