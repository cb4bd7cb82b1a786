// The services as commands know them: the migrations of each, and those that a site's database has.
import type { Database } from '#lib/db/database.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import { migrations as dispatchMigrations } from '#services/dispatch/migrations.ts';
import { migrations as engineMigrations } from '#services/engine/migrations.ts';
import { migrations as identityMigrations } from '#services/identity/migrations.ts';
import type { CommandSite } from './site.ts';

export type Service = 'identity' | 'engine' | 'dispatch';

export const MIGRATIONS: Readonly<Record<Service, readonly MigrationSource[]>> = {
  identity: identityMigrations,
  engine: engineMigrations,
  dispatch: dispatchMigrations,
};

export interface OpenedService {
  readonly service: Service;
  /** Without a time limit for statements. */
  readonly database: Database;
}

/** Those that this database has, in the given order. @throws Error when one is of another release, or there is none */
export async function openServices(
  site: Pick<CommandSite, 'database' | 'hasSchema'>,
  order: readonly Service[],
): Promise<OpenedService[]> {
  const found: OpenedService[] = [];
  for (const service of order) {
    if (!(await site.hasSchema(service))) continue;
    const database = await site.database(service, MIGRATIONS[service], { hasNoTimeLimit: true });
    found.push({ service, database });
  }
  if (found.length === 0) throw new Error('No service was ever started on this database');
  return found;
}
