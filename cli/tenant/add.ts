// `kedja tenant add`: the schemas and the keys first, the file last, so that no node serves half a tenant.
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { schemaOf, TENANT_SERVICES, type Tenant } from '#lib/tenants/tenant.ts';
import { parseTenants, placeOf, tenantsText } from '#lib/tenants/tenants-file.ts';
import { databaseOf, keyOfTenant, TENANT_KEYS } from '../../runtime/tenants/tenant-context.ts';
import { MIGRATIONS } from '../services.ts';
import type { CommandSite } from '../site.ts';
import { changeTenants, readTenants, revealed, tenantsFileOf } from './file.ts';

export async function addTenant(site: CommandSite, given: Tenant): Promise<number> {
  const file = tenantsFileOf(site);
  const tenant = {
    ...given,
    databaseUrl: given.databaseUrl && (await revealed(given.databaseUrl)),
    directUrl: given.directUrl && (await revealed(given.directUrl)),
  };
  // Every error of the tenant is named before anything is made.
  requireAddable([...(await readTenants(file)), tenant]);
  const address = databaseOf({ database: site.address }, tenant);
  await requireUnused(address, tenant);
  for (const service of TENANT_SERVICES)
    await migrate({ ...address, schema: schemaOf(tenant, service), sources: MIGRATIONS[service] });
  for (const key of TENANT_KEYS) await site.keys.keySet(keyOfTenant(tenant.name, key));
  await changeTenants(file, (tenants) => [...tenants, tenant]);
  console.log(`Tenant ${tenant.name} is at ${placeOf(tenant.databaseUrl)}, below /t/${tenant.name} of each service.`);
  console.error(
    `Its keys are in ${site.keys.folder}: back them up, and copy them to nodes with a folder of their own.`,
  );
  return 0;
}

/** @throws Error that names every error */
export function requireAddable(tenants: readonly Tenant[]): void {
  const read = parseTenants(tenantsText(tenants));
  if ('issues' in read) throw new Error(read.issues.map((issue) => issue.replace(/^tenants\[\d+\]: /, '')).join('\n'));
}

/** Another tenant's data must not become this one's by a wrong address. @throws Error that names the schemas */
async function requireUnused(address: DatabaseAddress, tenant: Tenant): Promise<void> {
  const database = createDatabase({ ...address, schema: 'public' });
  try {
    const { rows } = await database.query<{ nspname: string }>(
      'SELECT nspname FROM pg_namespace WHERE nspname = ANY($1) ORDER BY nspname',
      [TENANT_SERVICES.map((service) => schemaOf(tenant, service))],
    );
    if (rows.length === 0) return;
    const found = rows.map(({ nspname }) => nspname).join(' and ');
    throw new Error(`${placeOf(tenant.databaseUrl)} has ${found} already: choose another --schema, or drop them`);
  } finally {
    await database.close();
  }
}
