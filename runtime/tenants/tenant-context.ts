// What a tenant's service is created with: the process's, but for its database, its addresses and its keys. Its calls
// to other services are to the same tenant's.
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { findNewPlace } from '#lib/tenants/moved-place.ts';
import { pathOfTenant, type Tenant } from '#lib/tenants/tenant.ts';
import { originOfHost, signInRootOf } from '#lib/tenants/tenant-addresses.ts';
import { type Addresses, rootOf } from '../../config.ts';
import type { KeyFolder } from '../keys/keys.ts';
import type { ProcessContext, TenantPlace } from '../process-context.ts';

export function tenantContext(around: ProcessContext, tenant: Tenant): ProcessContext & { place: TenantPlace } {
  const path = pathOfTenant(tenant.name);
  return {
    ...around,
    tenant,
    tenants: undefined,
    place: placeOfTenant(around, tenant),
    addresses: addressesOfTenant(around, tenant),
    database: databaseOf(around, tenant),
    keys: keysOf(around.keys, tenant),
    peers: {
      ...around.peers,
      fetchOf: (name, prefix = '') => around.peers.fetchOf(name, path + prefix),
    },
  };
}

/** Who changes the place by hand writes the file soon. */
const FILE_FOLLOWS_MS = 5_000;
const ASK_EVERY_MS = 50;

function placeOfTenant(around: ProcessContext, tenant: Tenant): TenantPlace {
  const listeners: ((address: DatabaseAddress) => void)[] = [];
  return {
    onMoved: (listener) => void listeners.push(listener),
    moveTo: (now) => {
      for (const each of listeners) each(databaseOf(around, now));
    },
    find: async (from, schema) => (await findNewPlace(from, schema)) ?? placeInFile(around, tenant, from),
  };
}

/** Where the file says that the tenant is, once that is not `from`; undefined when it does not say so in time. */
async function placeInFile(
  around: ProcessContext,
  { name }: Tenant,
  from: DatabaseAddress,
): Promise<DatabaseAddress | undefined> {
  const { tenants: source } = around;
  const until = performance.now() + FILE_FOLLOWS_MS;
  while (source !== undefined && performance.now() < until) {
    await source.refresh();
    const now = source.byName(name);
    if (now === undefined) return undefined;
    const place = databaseOf(around, now);
    if (place.url !== from.url || place.directUrl !== from.directUrl) return place;
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
function addressesOfTenant({ addresses, tenants }: ProcessContext, tenant: Tenant): Addresses {
  const {
    name,
    hosts: [host],
  } = tenant;
  const path = pathOfTenant(name);
  const identity = rootOf('identity', addresses);
  return {
    ...addresses,
    publicUrl: host === undefined ? addresses.publicUrl : originOfHost(addresses.publicUrl, host),
    signInRoot: tenants === undefined ? identity + path : signInRootOf(identity, tenant, tenants),
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
