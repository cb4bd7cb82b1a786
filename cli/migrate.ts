// `kedja migrate`: applies pending migrations as a start does, and ends. For a job before the nodes of a release start.
import type { DatabaseAddress } from '#lib/db/connection.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { findNewPlace } from '#lib/tenants/moved-place.ts';
import { schemaOf, TENANT_SERVICES } from '#lib/tenants/tenant.ts';
import { readTenantsFile } from '#lib/tenants/tenants-file.ts';
import { readConfig } from '../config.ts';
import { configuredAddress } from '../runtime/database.ts';
import { explainError } from '../runtime/process.ts';
import { databaseOf } from '../runtime/tenants/tenant-context.ts';
import { printable } from './printable.ts';
import { MIGRATIONS, type Service } from './services.ts';

const USAGE = `usage: kedja migrate

Applies the pending migrations of the services in KEDJA_SERVICES to the database of KEDJA_DATABASE_URL, and to those of the
tenants in KEDJA_TENANTS_FILE, and ends. Every start does this too. Nodes of the release before serve on meanwhile; make a backup first.
Exit code 0: the database is that of this release; 1: it is not.`;

/** Returns the exit code. */
export async function runMigrate(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  if (args.length > 0) {
    console.error(`"${printable(args.join(' '))}" is none of the uses below.\n\n${USAGE}`);
    return 1;
  }
  const result = readConfig({ mode: 'production', environment: process.env, envFile: '.env', purpose: 'command' });
  if (!result.ok) {
    for (const issue of result.issues) console.error(issue);
    return 1;
  }
  const address = configuredAddress(result.values);
  if (address === undefined) {
    console.error('KEDJA_DATABASE_URL is missing: the embedded database is migrated by the start that runs it');
    return 1;
  }
  try {
    const { services, tenantsFile } = result.values.shared;
    for (const schema of Object.keys(MIGRATIONS) as Service[]) {
      if (services.includes(schema)) await migrateSchema(address, schema, schema);
    }
    return await migrateTenants(address, tenantsFile, services);
  } catch (error) {
    console.error(explainError(error));
    return 1;
  }
}

async function migrateSchema(address: DatabaseAddress, schema: string, service: Service): Promise<void> {
  const applied = await migrate({ ...address, schema, sources: MIGRATIONS[service] });
  console.log(`${schema}: ${applied.length === 0 ? 'nothing was pending' : `applied ${applied.length} files`}`);
}

/** A tenant whose database is away keeps no other from being migrated. Returns the exit code. */
async function migrateTenants(
  database: DatabaseAddress,
  file: string | undefined,
  services: readonly string[],
): Promise<number> {
  let exitCode = 0;
  for (const tenant of file === undefined ? [] : await readTenantsFile(file)) {
    try {
      for (const service of TENANT_SERVICES.filter((name) => services.includes(name))) {
        const [address, schema] = [databaseOf({ database }, tenant), schemaOf(tenant, service)];
        await migrateSchema((await findNewPlace(address, schema)) ?? address, schema, service);
      }
    } catch (error) {
      console.error(`Tenant ${tenant.name}: ${explainError(error)}`);
      exitCode = 1;
    }
  }
  return exitCode;
}
