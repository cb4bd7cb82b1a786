// What `kedja backup` says of tenants: it saves the default one, and names how each of the others is saved.
import { schemaOf, TENANT_SERVICES } from '#lib/tenants/tenant.ts';
import { placeOf, readTenantsFile } from '#lib/tenants/tenants-file.ts';
import { keyOfTenant, TENANT_KEYS } from '../../runtime/tenants/tenant-context.ts';
import type { CommandSite } from '../site.ts';

/** A line for each tenant that is not in the backup; no address shows a password. */
export async function tenantsLeftOut({ config }: Pick<CommandSite, 'config'>): Promise<readonly string[]> {
  const { tenantsFile } = config.shared;
  if (tenantsFile === undefined) return [];
  return (await readTenantsFile(tenantsFile)).map((tenant) => {
    const schemas = TENANT_SERVICES.map((service) => `--schema ${schemaOf(tenant, service)}`).join(' ');
    const keys = TENANT_KEYS.map((key) => `${keyOfTenant(tenant.name, key)}.key`).join(', ');
    return `Not in it: tenant ${tenant.name}. Save ${placeOf(tenant.databaseUrl)} by pg_dump --format=custom ${schemas}, and ${keys}.`;
  });
}
