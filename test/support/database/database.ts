// A separate database for each test file: a clone of a template with the migrated schemas, dropped afterwards. The
// template is built once per set of migrations (keyed by their checksums).
import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '#lib/db/database.ts';
import { createDatabase, type DatabaseOptions } from '#lib/db/pool.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { fingerprint, type MigrationSource, readMigrations } from '#lib/db/schema/migration-files.ts';
import type { Hooks } from '../hooks.ts';
import { createCitusDatabase, distributeOnCitus, dropCitusDatabase, isOnCitus } from './citus.ts';
import { type TestServer, testServer } from './server.ts';

export interface TestSchema {
  readonly schema: string;
  readonly migrations: readonly MigrationSource[];
}

export interface TemplateContents {
  readonly schemas?: readonly TestSchema[];
  /** Done once, when the template has been migrated. */
  readonly complete?: (url: string) => Promise<unknown>;
}

export interface TestDatabase {
  /** The clone's address, for code that connects by itself. */
  readonly url: string;
  /** A pool bound to a schema, closed at the end. Calls for the same schema without options share it. */
  database(schema: string, options?: Partial<DatabaseOptions>): Database;
}

/**
 * Clones a database with these schemas, all migrations applied. It is dropped, and its pools closed, by `hooks.after`.
 */
export async function createTestDatabase(hooks: Hooks, contents: TemplateContents = {}): Promise<TestDatabase> {
  const server = await testServer();
  const name = `kedja_test_${randomBytes(6).toString('hex')}`;
  const url = addressOf(server.serviceUrl, name);
  const isDistributed = isOnCitus(server.adminUrl);
  await (isDistributed ? makeDistributed(server, name, contents) : makeClone(server, name, contents));
  const pools: Database[] = [];
  const shared = new Map<string, Database>();
  hooks.after(async () => {
    await Promise.all(pools.map((pool) => pool.close()));
    if (isDistributed) await dropCitusDatabase(server.adminUrl, name);
    else await withAdmin(server, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  });
  function database(schema: string, options?: Partial<DatabaseOptions>): Database {
    const known = shared.get(schema);
    if (known !== undefined && options === undefined) return known;
    const pool = createDatabase({ url, schema, ...options });
    pools.push(pool);
    if (options === undefined) shared.set(schema, pool);
    return pool;
  }
  return { url, database };
}

async function makeClone(server: TestServer, name: string, contents: TemplateContents): Promise<void> {
  const template = await templateName(contents);
  await withAdmin(server, async (admin) => {
    await buildTemplate(admin, server, template, contents);
    await cloneTemplate(
      admin,
      `CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${owner(server)} STRATEGY FILE_COPY`,
    );
  });
}

async function makeDistributed(
  server: TestServer,
  name: string,
  { schemas = [], complete }: TemplateContents,
): Promise<void> {
  const url = addressOf(server.serviceUrl, name);
  await createCitusDatabase(server.adminUrl, name);
  for (const { schema, migrations } of schemas) await migrate({ url, schema, sources: migrations });
  await complete?.(url);
  await distributeOnCitus(
    url,
    schemas.map(({ schema }) => schema),
  );
}

async function templateName({ schemas = [], complete }: TemplateContents): Promise<string> {
  const parts = await Promise.all(
    schemas.map(async ({ schema, migrations }) => `${schema}-${fingerprint(await readMigrations(migrations))}`),
  );
  if (complete !== undefined) parts.push(complete.toString());
  return `kedja_template_${createHash('sha256').update(parts.join()).digest('hex').slice(0, 32)}`;
}

/** Builds the template unless it exists. Concurrent processes wait for the one that builds. */
async function buildTemplate(
  admin: pg.Client,
  server: TestServer,
  template: string,
  { schemas = [], complete }: TemplateContents,
): Promise<void> {
  await admin.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [template]);
  const { rows } = await admin.query<{ complete: boolean }>(
    'SELECT datistemplate AS complete FROM pg_database WHERE datname = $1',
    [template],
  );
  if (!rows[0]?.complete) {
    await admin.query(`DROP DATABASE IF EXISTS ${template}`);
    await admin.query(`CREATE DATABASE ${template} OWNER ${owner(server)}`);
    const url = addressOf(server.serviceUrl, template);
    for (const { schema, migrations } of schemas) await migrate({ url, schema, sources: migrations });
    await complete?.(url);
    await admin.query(`ALTER DATABASE ${template} IS_TEMPLATE true`);
  }
  await admin.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [template]);
}

/**
 * Lets the kernel copy the files, which takes a third of the processor time. Servers before PostgreSQL 18, and systems
 * without such a call, refuse it and copy the files themselves.
 */
async function cloneTemplate(admin: pg.Client, statement: string): Promise<void> {
  try {
    await admin.query("SET file_copy_method = 'clone'");
    await admin.query(statement);
  } catch {
    await admin.query('RESET file_copy_method').catch(() => undefined);
    await admin.query(statement);
  }
}

async function withAdmin(server: TestServer, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: server.adminUrl });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function addressOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

function owner(server: TestServer): string {
  return pg.escapeIdentifier(decodeURIComponent(new URL(server.serviceUrl).username));
}
