// A database server for the benchmarks of tenants, and a database on it for each tenant.
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '#lib/db/embedded/embedded.ts';
import { migrate } from '#lib/db/schema/migrate.ts';
import { schemaOf, TENANT_SERVICES } from '#lib/tenants/tenant.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { temporaryDataDir, testServer } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { MIGRATIONS } from '../../cli/services.ts';
import type { BenchmarkOptions } from '../options.ts';
import { progress } from '../report.ts';
import type { Hooks } from './site.ts';

const CONNECTIONS = 1_000;
const TENANTS = 100;
const FEW = 20;

/** The most of a figure that `all` tenants may take, for fewer of them. */
export function shareOf(all: number, count: number): number {
  return (all * count) / TENANTS;
}

/**
 * Runs a benchmark with a database for each tenant, on a server of its own: 100, or 20 with `--quick`. Everything that
 * was begun with the hooks ends with it.
 */
export async function withTenantDatabases<T>(
  { isQuick, sizes }: BenchmarkOptions,
  run: (hooks: Hooks, databases: readonly string[]) => Promise<T>,
): Promise<T> {
  const cleanUps: (() => Promise<void>)[] = [];
  const hooks = lastFirst({ after: (cleanUp) => void cleanUps.push(cleanUp) });
  try {
    await startServer(hooks);
    return await run(hooks, await makeDatabases(hooks, sizes?.[0] ?? (isQuick ? FEW : TENANTS)));
  } finally {
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

/** A server with connections for all tenants in use at once. */
async function startServer(hooks: Hooks): Promise<void> {
  const dataDir = await temporaryDataDir();
  const options = { dataDir, log: () => undefined, durable: false, databases: [] } as const;
  const first = await startEmbeddedPostgres(options);
  const client = new pg.Client({ connectionString: first.adminUrl });
  await client.connect();
  await client.query(`ALTER SYSTEM SET max_connections = ${CONNECTIONS}`);
  await client.end();
  await first.stop();
  const server = await startEmbeddedPostgres({ ...options, port: first.port });
  process.env['KEDJA_TEST_DATABASE_URL'] = server.adminUrl;
  process.env['KEDJA_TEST_SERVICE_URL'] = server.url('postgres');
  hooks.after(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });
}

/** Copies of one database with a tenant's schemas. */
async function makeDatabases(hooks: Hooks, count: number): Promise<readonly string[]> {
  const { adminUrl } = await testServer();
  const { url: template } = await createTestDatabase(hooks);
  for (const service of TENANT_SERVICES)
    await migrate({ url: template, schema: schemaOf({ schema: 'own' }, service), sources: MIGRATIONS[service] });
  const source = new URL(template).pathname.slice(1);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const owner = pg.escapeIdentifier(decodeURIComponent(new URL(template).username));
  const names = Array.from({ length: count }, (_, index) => `${source}_t${index}`);
  hooks.after(async () => {
    for (const name of names) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.end();
  });
  for (const [index, name] of names.entries()) {
    progress(`database ${index + 1} of ${count}`);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${source} OWNER ${owner} STRATEGY FILE_COPY`);
  }
  return names.map((name) => new URL(`/${name}`, template).href);
}
