// The tenant whose address the current request has, for identity, which is common to all tenants: a token that it
// issues is for that tenant.
import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();

/** Runs `work`, and what it starts, for the tenant of this name. */
export function runForTenant<T>(name: string, work: () => T): T {
  return storage.run(name, work);
}

/** The name of the tenant of the current request; undefined for the default one. */
export function currentTenant(): string | undefined {
  return storage.getStore();
}
