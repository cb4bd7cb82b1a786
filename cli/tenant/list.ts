// `kedja tenant list`: each tenant with its place, whether its database answers and is of this release, and its
// members.

import { lostNodeOf } from '#lib/db/failure.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { hasPendingMigrations } from '#lib/db/schema/migrate.ts';
import { ServiceError } from '#lib/errors.ts';
import { readNewPlace } from '#lib/tenants/moved-place.ts';
import { schemaOf, TENANT_SERVICES, type Tenant } from '#lib/tenants/tenant.ts';
import { placeOf } from '#lib/tenants/tenants-file.ts';
import { databaseOf } from '../../runtime/tenants/tenant-context.ts';
import { MIGRATIONS } from '../services.ts';
import type { CommandSite } from '../site.ts';
import { tableOf } from '../table.ts';
import { readTenants, tenantsFileOf } from './file.ts';
import { membershipsOf } from './members.ts';

export async function listTenants(site: CommandSite): Promise<number> {
  const tenants = await readTenants(tenantsFileOf(site));
  if (tenants.length === 0) {
    console.log('There are no tenants beside the default one. Add one by: kedja tenant add NAME');
    return 0;
  }
  const members = await (await membershipsOf(site)).count();
  const rows: string[][] = [['name', 'schema', 'database', 'hosts', 'members', 'state']];
  let isWhole = true;
  for (const tenant of tenants) {
    const state = await stateOf(site, tenant);
    isWhole &&= state === 'ok';
    const { name, schema, databaseUrl, hosts } = tenant;
    rows.push([name, schema, placeOf(databaseUrl), hosts.join(' '), String(members.get(name) ?? 0), state]);
  }
  console.log(tableOf(rows));
  return isWhole ? 0 : 1;
}

/** What {@link stateOf} says of a tenant that nodes bring up to date themselves. */
export const PENDING = 'migrations are to be applied';

/** `ok`, or what keeps the tenant from being served. */
export async function stateOf(site: Pick<CommandSite, 'address'>, tenant: Tenant): Promise<string> {
  const address = databaseOf({ database: site.address }, tenant);
  for (const service of TENANT_SERVICES) {
    const schema = schemaOf(tenant, service);
    const database = createDatabase({ ...address, schema, maxConnections: 1 });
    try {
      const moved = await readNewPlace(database, schema);
      if (moved !== undefined) return `it has moved to ${placeOf(moved.url)}: run kedja tenant move again`;
      if (await hasPendingMigrations(database, MIGRATIONS[service])) return PENDING;
    } catch (error) {
      const node = lostNodeOf(error);
      if (node !== undefined) return `its database cannot reach the node ${node}`;
      if (error instanceof ServiceError) return 'its database cannot be reached';
      return 'its database is not of this release';
    } finally {
      await database.close();
    }
  }
  return 'ok';
}
