// What a tenant's service is created with: the process's, but for its database, its addresses and its keys. Its calls
// to other services are to the same tenant's.
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { pathOfTenant, type Tenant } from '#lib/tenants/tenant.ts';
import type { Addresses } from '../../config.ts';
import type { KeyFolder } from '../keys/keys.ts';
import type { ProcessContext } from '../process-context.ts';

export function tenantContext(around: ProcessContext, tenant: Tenant): ProcessContext {
  const path = pathOfTenant(tenant.name);
  return {
    ...around,
    tenant,
    tenants: undefined,
    movedTo: () => movedTo(around, tenant),
    addresses: addressesOfTenant(around.addresses, tenant),
    database: databaseOf(around, tenant),
    keys: keysOf(around.keys, tenant),
    peers: {
      ...around.peers,
      fetchOf: (name, prefix = '') => around.peers.fetchOf(name, path + prefix),
    },
  };
}

/** A move ends with the file; a node that asks meanwhile waits for it. */
const MOVE_ENDS_MS = 5_000;
const ASK_EVERY_MS = 50;

/** Where a tenant is whose tables are not where they were; undefined when the file does not say. */
async function movedTo(around: ProcessContext, tenant: Tenant): Promise<DatabaseAddress | undefined> {
  const { tenants: source } = around;
  const until = performance.now() + MOVE_ENDS_MS;
  while (source !== undefined && performance.now() < until) {
    await source.refresh();
    const now = source.byName(tenant.name);
    if (now === undefined) return undefined;
    if (now.databaseUrl !== tenant.databaseUrl || now.directUrl !== tenant.directUrl) return databaseOf(around, now);
    await delay(ASK_EVERY_MS);
  }
  return undefined;
}

/** Its own database, or its schemas in that of the installation. */
export function databaseOf({ database }: Pick<ProcessContext, 'database'>, tenant: Tenant): ProcessContext['database'] {
  const { databaseUrl: url, directUrl } = tenant;
  if (url === undefined) return database;
  return { url, directUrl, pooling: directUrl === undefined ? 'session' : 'transaction' };
}

/** By its host name where it has one, else by its path. */
function addressesOfTenant(addresses: Addresses, { name, hosts: [host] }: Tenant): Addresses {
  const path = pathOfTenant(name);
  const { protocol, port } = new URL(addresses.publicUrl);
  const publicUrl = host === undefined ? addresses.publicUrl : `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
  return {
    ...addresses,
    publicUrl,
    tenantPath: host === undefined ? path : '',
    identityUrl: addresses.identityUrl + path,
    dispatchUrl: addresses.dispatchUrl + path,
    engineUrl: addresses.engineUrl + path,
  };
}

/** The names of the keys that a tenant has. `kedja tenant add` makes them. */
export const TENANT_KEYS = ['engine-inbox', 'dispatch-delivery', 'session'] as const;

export function keyOfTenant(name: string, key: string): string {
  return `tenant-${name}-${key}`;
}

/**
 * A node makes no key of a tenant: nodes with copies of the key folder would make different ones.
 */
function keysOf(keys: KeyFolder, { name }: Tenant): KeyFolder {
  return {
    ...keys,
    keySet: (key) => keys.existingKeySet(keyOfTenant(name, key)),
    existingKeySet: (key) => keys.existingKeySet(keyOfTenant(name, key)),
  };
}
