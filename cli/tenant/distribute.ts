// `kedja tenant distribute`: Citus takes each schema of the tenant, with its rows, to one of its nodes
// (docs/operations/citus.md).
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { distributedSchemas, distributeSchema } from '#lib/db/schema/distributed.ts';
import { findNewPlace } from '#lib/tenants/moved-place.ts';
import { schemaOf, TENANT_SERVICES } from '#lib/tenants/tenant.ts';
import { placeOf } from '#lib/tenants/tenants-file.ts';
import { databaseOf } from '../../runtime/tenants/tenant-context.ts';
import type { CommandSite } from '../site.ts';
import { requireTenant, tenantsFileOf } from './file.ts';

/** What Citus asks for before it distributes tables with triggers. */
const SETTING = 'citus.enable_unsafe_triggers';

/** Each schema is taken as a whole or not at all; those that are on a node already stay there. */
export async function distributeTenant(site: CommandSite, name: string): Promise<number> {
  const tenant = await requireTenant(tenantsFileOf(site), name);
  const named = databaseOf({ database: site.address }, tenant);
  const address = (await findNewPlace(named, schemaOf(tenant, 'engine'))) ?? named;
  const url = address.directUrl ?? address.url;
  const database = createDatabase({ url, schema: 'public', statementTimeoutMs: 0 });
  try {
    await requireCitus(database);
    const schemas = TENANT_SERVICES.map((service) => schemaOf(tenant, service));
    const there = await distributedSchemas(database, schemas);
    for (const schema of schemas.filter((each) => !there.includes(each))) {
      console.error(`Taking ${schema} to a node; writes to it wait …`);
      await database.transaction((transaction) => distributeSchema(transaction, schema));
    }
    console.log(`Tenant ${name} is on nodes of Citus: ${schemas.join(', ')} of ${placeOf(url)}.`);
    return 0;
  } finally {
    await database.close();
  }
}

/** @throws Error that names what is missing */
async function requireCitus(database: Database): Promise<void> {
  const { rows } = await database.query<{ known: boolean; setting: string | null }>(
    `SELECT to_regprocedure('citus_schema_distribute(regnamespace)') IS NOT NULL AS known,
       current_setting($1::text, true) AS setting`,
    [SETTING],
  );
  if (rows[0]?.known !== true) throw new Error('The tenant’s database is not on Citus, version 12 or later');
  if (rows[0].setting !== 'on')
    throw new Error(`The database needs the setting ${SETTING} = on, at each node: docs/operations/citus.md`);
}
