// What the systems of the benchmarks have in common: a durable PostgreSQL in a folder, and how it all ends.
import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Database } from '#lib/db/database.ts';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { ended } from './processes.ts';

export const ADMIN = { email: 'admin@example.org', password: 'skogens-grona-stigar-1' } as const;
const SERVICE_CLIENTS = 'identity:a-secret-for-benches-1,engine:a-secret-for-benches-2,dispatch:a-secret-for-benches-3';

export interface Site {
  /** Of PostgreSQL, the keys and the logs. */
  readonly folder: string;
  readonly url: string;
  /** The variables of every service. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the services, then PostgreSQL, and removes the folder. */
  stop(database: Database, services: readonly (ChildProcess | undefined)[]): Promise<void>;
}

/** An empty database; every service gets `variables` besides its own. */
export async function startSite(variables: Readonly<Record<string, string>> = {}): Promise<Site> {
  const folder = await temporaryDataDir();
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined });
  const url = postgres.url('kedja');
  return {
    folder,
    url,
    environment: {
      KEDJA_DATABASE_URL: url,
      KEDJA_DATA_DIR: folder,
      KEDJA_ADMIN_EMAIL: ADMIN.email,
      KEDJA_ADMIN_PASSWORD: ADMIN.password,
      KEDJA_SERVICE_CLIENTS: SERVICE_CLIENTS,
      ...variables,
    },
    async stop(database, services) {
      await database.close();
      for (const service of services) if (service !== undefined) await ended(service);
      await postgres.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
