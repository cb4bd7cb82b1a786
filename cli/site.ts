// Opens a site for a command: its configuration, its database (whether Kedja runs or not) and its keys. Unless
// asked to, it creates nothing, so a command in the wrong folder fails.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Database } from '#lib/db/database.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { hasPendingMigrations } from '#lib/db/schema/migrate.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import { createLogger } from '#lib/log/logger.ts';
import { type Config, readConfig } from '../config.ts';
import { configuredAddress, type OpenedDatabase, openDatabase } from '../runtime/database.ts';
import { type KeyFolder, openKeyFolder } from '../runtime/keys/keys.ts';

export interface CommandSite {
  readonly config: Config;
  readonly keys: KeyFolder;
  /** The database of all services. */
  readonly address: DatabaseAddress;
  /**
   * A pool on one service's schema; with `hasNoTimeLimit` a statement may take any time, for those that read whole
   * tables. @throws Error when the schema is of another release
   */
  database(
    schema: string,
    sources: readonly MigrationSource[],
    options?: { readonly hasNoTimeLimit?: boolean },
  ): Promise<Database>;
  /** Whether the service was ever started on this database. */
  hasSchema(schema: string): Promise<boolean>;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Makes the embedded database where there is none, for a command that fills it. */
  readonly makesDatabase?: boolean;
}

/** The configuration of the environment and `.env`. @throws Error that names what is wrong */
export function readCommandConfig(): Config {
  const result = readConfig({ mode: 'production', environment: process.env, envFile: '.env', purpose: 'command' });
  if (!result.ok) throw new Error(result.issues.join('\n'));
  return result.values;
}

/**
 * The site of the environment and `.env`. Without KEDJA_DATABASE_URL it uses the embedded database of KEDJA_DATA_DIR:
 * the running one, or one that it starts and stops itself. @throws Error with a message for an operator
 */
export async function openSite(onProgress: (message: string) => void, options: SiteOptions = {}): Promise<CommandSite> {
  const config = readCommandConfig();
  const { dataDir } = config.shared;
  const address = configuredAddress(config);
  const opened = address === undefined ? await openEmbedded(dataDir, onProgress, options) : openAddress(address);
  const pools: Database[] = [];
  return {
    config,
    keys: openKeyFolder(dataDir),
    address: opened.address,
    async database(schema, sources, { hasNoTimeLimit = false } = {}) {
      const pool = createDatabase({ ...opened.address, schema, ...(hasNoTimeLimit ? { statementTimeoutMs: 0 } : {}) });
      pools.push(pool);
      if (!(await hasPendingMigrations(pool, sources))) return pool;
      throw new Error(`The database is not that of this release: start ${schema} once, which brings it up to date`);
    },
    async hasSchema(schema) {
      const pool = createDatabase({ ...opened.address, schema: 'public' });
      pools.push(pool);
      const { rows } = await pool.query<{ is: boolean }>('SELECT to_regnamespace($1) IS NOT NULL AS is', [schema]);
      return rows[0]?.is === true;
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.close()));
      await opened.stop();
    },
  };
}

function openAddress(address: DatabaseAddress): OpenedDatabase {
  return { address, stop: async () => undefined };
}

/**
 * The embedded database of the folder: the running one, or one that it starts, which `stop` ends.
 * @throws Error in one line when there is none, or it cannot run
 */
export async function openEmbedded(
  dataDir: string,
  onProgress: (message: string) => void,
  { makesDatabase = false }: SiteOptions = {},
): Promise<OpenedDatabase> {
  const folder = path.join(dataDir, 'database');
  if (!existsSync(folder) && !makesDatabase) {
    throw new Error(`There is no database in ${path.resolve(dataDir)}; set KEDJA_DATA_DIR or KEDJA_DATABASE_URL`);
  }
  const published = await readFile(path.join(folder, 'url'), 'utf8').catch(() => '');
  if (published !== '' && (await answers(published.trim()))) return openAddress({ url: published.trim() });
  return openDatabase({
    address: undefined,
    dataDir,
    log: createLogger({ level: 'silent', format: 'json' }),
    onProgress,
  });
}

/** A killed process leaves the address of its database behind. */
async function answers(url: string): Promise<boolean> {
  const database = createDatabase({ url, schema: 'public' });
  try {
    await database.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await database.close();
  }
}
