// Databases of tests on a Citus cluster (docs/operations/citus.md): each service's schema is distributed as a whole to
// one node. Templates are of no use there, as the rows of a distributed schema are in another database.
import assert from 'node:assert/strict';
import pg from 'pg';
import { createDatabase } from '#lib/db/pool.ts';
import { distributedSchemas, distributeSchema } from '#lib/db/schema/distributed.ts';

/** The coordinator, by an account that may create databases and extensions on every node. */
export const CITUS_VARIABLE = 'KEDJA_TEST_CITUS_URL';

/** The schema that no tenant has. */
const AT_COORDINATOR = 'identity';

interface Node {
  readonly host: string;
  readonly port: number;
}

/** Whether the tests of this process run on the cluster. */
export function isOnCitus(adminUrl: string): boolean {
  return adminUrl === process.env[CITUS_VARIABLE];
}

/** For `skip` of a test that is about one PostgreSQL server: the reason, on a cluster. */
export function skipOnCitus(reason: string): string | false {
  const cluster = process.env[CITUS_VARIABLE];
  return cluster !== undefined && cluster === process.env['KEDJA_TEST_DATABASE_URL'] && reason;
}

/** @throws Error when the server has no Citus that distributes schemas */
export async function requireCitus(adminUrl: string): Promise<void> {
  const [row] = await run(
    adminUrl,
    "SELECT to_regprocedure('citus_schema_distribute(regnamespace)') IS NOT NULL AS is",
  );
  if (row?.['is'] === true) return;
  throw new Error(`${CITUS_VARIABLE} leads to no database with the extension citus, version 12 or later`);
}

/** Makes the database on every node, and joins the nodes in it. */
export async function createCitusDatabase(adminUrl: string, name: string): Promise<void> {
  const workers = await workersOf(adminUrl);
  for (const node of [undefined, ...workers]) {
    const there = addressOf(adminUrl, { node });
    await run(there, `CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE template0`);
    // Triggers of a distributed schema see their own tables alone, which are all on the same node.
    await run(there, `ALTER DATABASE ${pg.escapeIdentifier(name)} SET citus.enable_unsafe_triggers = on`);
    await run(addressOf(adminUrl, { node, database: name }), 'CREATE EXTENSION citus');
  }
  const database = addressOf(adminUrl, { database: name });
  const { host, port } = await coordinatorOf(adminUrl);
  await run(database, 'SELECT citus_set_coordinator_host($1, $2::integer)', [host, port]);
  for (const worker of workers)
    await run(database, 'SELECT citus_add_node($1, $2::integer)', [worker.host, worker.port]);
  // A cluster of one node keeps the rows at the coordinator.
  if (workers.length === 0)
    await run(database, "SELECT citus_set_node_property($1, $2::integer, 'shouldhaveshards', true)", [host, port]);
}

/** On the cluster, takes the schemas of services to a node each, but for identity's: accounts stay where they are. */
export async function distributeOnCitus(databaseUrl: string, schemas: readonly string[]): Promise<void> {
  if (isOnCitus(process.env['KEDJA_TEST_DATABASE_URL'] ?? ''))
    await distributeSchemas(
      databaseUrl,
      schemas.filter((schema) => schema !== AT_COORDINATOR),
    );
}

/** Takes the schemas with all their tables and rows to a node each. Tables that they get later go there, too. */
async function distributeSchemas(databaseUrl: string, schemas: readonly string[]): Promise<void> {
  const database = createDatabase({ url: databaseUrl, schema: 'public', statementTimeoutMs: 0 });
  try {
    for (const schema of schemas) await database.transaction((transaction) => distributeSchema(transaction, schema));
    assert.deepEqual(await distributedSchemas(database, schemas), [...schemas].sort());
  } finally {
    await database.close();
  }
}

export async function dropCitusDatabase(adminUrl: string, name: string): Promise<void> {
  for (const node of [undefined, ...(await workersOf(adminUrl))])
    await run(addressOf(adminUrl, { node }), `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`);
}

async function workersOf(adminUrl: string): Promise<Node[]> {
  const rows = await run(
    adminUrl,
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_node
     WHERE groupid <> 0 AND isactive AND noderole = 'primary' ORDER BY nodeid`,
  );
  return rows.map(({ host, port }) => ({ host: String(host), port: Number(port) }));
}

/** As the workers reach it. */
async function coordinatorOf(adminUrl: string): Promise<Node> {
  const [row] = await run(adminUrl, 'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid = 0');
  if (row !== undefined) return { host: String(row['host']), port: Number(row['port']) };
  const { hostname, port } = new URL(adminUrl);
  return { host: hostname, port: Number(port || 5432) };
}

/** Workers are reached under the names that the cluster has of them, by the account of the coordinator. */
function addressOf(adminUrl: string, to: { readonly node?: Node | undefined; readonly database?: string }): string {
  const url = new URL(adminUrl);
  if (to.node !== undefined) {
    url.hostname = to.node.host;
    url.port = String(to.node.port);
  }
  if (to.database !== undefined) url.pathname = `/${to.database}`;
  return url.href;
}

async function run(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}
