// A service on its own migrated schema.
import { createConnectPatience } from '#lib/db/connect-patience.ts';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { currentPace, isUnhurried } from '#lib/jobs/pace.ts';
import { stopInTurn, stopTogether } from '#lib/jobs/stop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { createMovableDatabase, type MovableDatabaseOptions } from '#lib/tenants/movable-database.ts';
import { databaseLog } from './database.ts';
import { databaseReadiness } from './module.ts';
import type { ProcessContext, TenantPlace } from './process-context.ts';
import { createSchemaChangeLoop, createStatisticsLoop } from './schema-changes.ts';

/** The most connections of a tenant. All of a process share theirs. */
const TENANT_CONNECTIONS = 8;

/** So long a start outlasts connections to the database that are not made in time. */
const START_LIMIT_MS = 30_000;

/**
 * Creates a service on its own migrated schema. The database is part of the service's readiness. It is closed when the
 * service has stopped, or when its creation fails.
 */
export async function onSchema(
  { database: address, config, tenant, tenantServers, place }: ProcessContext,
  options: {
    schema: string;
    sources: readonly MigrationSource[];
    log: Logger;
    /** Of a tenant: whether there is something to migrate. */
    isPending?: (database: Database) => Promise<boolean>;
  },
  make: (database: Database) => Promise<ServiceModule>,
): Promise<ServiceModule> {
  const { schema, sources, log, isPending } = options;
  const patience = createConnectPatience(START_LIMIT_MS, databaseLog(log));
  const pace = currentPace();
  const open = (at: DatabaseAddress) =>
    createDatabase({
      ...at,
      ...(tenant === undefined
        ? {}
        : {
            maxConnections: TENANT_CONNECTIONS,
            listeners: tenantServers.listeners,
            shared: tenantServers.connections,
            isFrugal: () => isUnhurried(pace),
          }),
      schema,
      patience,
      log: databaseLog(log),
    });
  const database = place === undefined ? open(address) : movable(place, { address, open, schema });
  // A tenant is opened often: what it needs rarely gets no connection of its own until then.
  const look = tenant === undefined ? undefined : database;
  const schemaChanges = createSchemaChangeLoop({ ...address, schema, language: config.shared.sortLanguage, log, look });
  const statistics = createStatisticsLoop({ database, log });
  try {
    if (isPending === undefined || (await isPending(database))) {
      const applied = await migrate({ ...address, schema, sources, log: databaseLog(log), patience });
      if (applied.length > 0) log.info({ event: 'database.migrated', schema, files: applied.length });
    }
    const service = await make(database);
    return {
      ...service,
      readiness: [databaseReadiness(database, sources), ...service.readiness],
      start: async () => {
        await service.start();
        patience.end();
        schemaChanges.start();
        statistics.start();
      },
      stop: () => stopInTurn([() => stopTogether([statistics, schemaChanges]), service.stop, () => database.close()]),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function movable(
  place: TenantPlace,
  { schema, ...options }: Pick<MovableDatabaseOptions, 'address' | 'open'> & { readonly schema: string },
): Database {
  const database = createMovableDatabase({ ...options, find: (from) => place.find(from, schema) });
  place.onMoved(database.moveTo);
  return database;
}
