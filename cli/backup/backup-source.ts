// What `kedja backup` saves in one file: the installation (the default tenant and identity), or one tenant
// (docs/adr/0148).
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { ServiceError } from '#lib/errors.ts';
import { findNewPlace } from '#lib/tenants/moved-place.ts';
import { DEFAULT_TENANT, schemaOf, TENANT_SERVICES, type Tenant } from '#lib/tenants/tenant.ts';
import { placeOf } from '#lib/tenants/tenants-file.ts';
import { databaseOf } from '../../runtime/tenants/tenant-context.ts';
import type { CommandSite } from '../site.ts';
import { explain } from '../site-command.ts';
import { OWN_SCHEMAS, type SchemaNames } from './catalog.ts';
import { type DumpOptions, dump } from './dump.ts';
import { digestOfKey, readKeyFolder, readTenantKeys } from './key-files.ts';
import type { BackupRecord, KeyContent, TenantFacts } from './records.ts';

export interface BackupSource {
  /** Of the tenant. */
  readonly name: string;
  /** What an operator should know of it beforehand. */
  readonly warning?: string;
  readonly keys: readonly KeyContent[];
  /** Fails with an error that names the tenant and its place. */
  records(options: Pick<DumpOptions, 'signal' | 'onRows'>): AsyncIterable<BackupRecord>;
}

/** The schemas of a tenant, by service. */
export function schemasOfTenant(tenant: Pick<Tenant, 'schema'>): SchemaNames {
  return new Map(TENANT_SERVICES.map((service) => [service, schemaOf(tenant, service)]));
}

/** @throws Error when the key folder has no keys and they are asked for */
export async function installationSource({ address, keys }: CommandSite, withKeys: boolean): Promise<BackupSource> {
  const saved = withKeys ? await readKeyFolder(keys.folder) : [];
  return {
    name: DEFAULT_TENANT,
    keys: saved,
    records: (options) => dump({ ...options, address, schemas: OWN_SCHEMAS, keys: saved }),
  };
}

/** @throws Error that names the keys that are asked for and not in the key folder */
export async function tenantSource(site: CommandSite, tenant: Tenant, withKeys: boolean): Promise<BackupSource> {
  const { name, schema, hosts } = tenant;
  const { keys: known, missing } = await readTenantKeys(site.keys.folder, name);
  const keys = withKeys ? known : [];
  const absent = `Tenant ${name}: there is no ${missing.join(', ')} in ${site.keys.folder}`;
  if (withKeys && missing.length > 0)
    throw new Error(`${absent}; KEDJA_DATA_DIR must be the data folder that the nodes use`);
  const facts: TenantFacts = {
    name,
    schema,
    hosts: [...hosts],
    keys: known.map(({ path, content }) => ({ path, digest: digestOfKey(content) })),
  };
  return {
    name,
    keys,
    ...(missing.length === 0 ? {} : { warning: `${absent}: a restore will not know whether it has the right ones.` }),
    async *records(options) {
      try {
        const address = await placeNow(databaseOf({ database: site.address }, tenant), tenant);
        yield* dump({ ...options, address, schemas: schemasOfTenant(tenant), tenant: facts, keys });
      } catch (error) {
        if (options.signal.aborted) throw error;
        throw ofTenant(error, tenant);
      }
    },
  };
}

/** The file may still name the place that the tenant has left. */
async function placeNow(address: DatabaseAddress, tenant: Tenant): Promise<DatabaseAddress> {
  return (await findNewPlace(address, schemaOf(tenant, 'engine'))) ?? address;
}

/** The error with the tenant's name, and the place of a database that cannot be reached. */
export function ofTenant(error: unknown, { name, databaseUrl }: Pick<Tenant, 'name' | 'databaseUrl'>): Error {
  const isAway = error instanceof ServiceError && error.status === 503;
  const where = isAway ? ` (${placeOf(databaseUrl)})` : '';
  return new Error(`Tenant ${name}${where}: ${explain(error).join('; ')}`, { cause: error });
}
