// Schemas that Citus takes to a node (docs/operations/citus.md). The server that is asked then has their tables without
// a row.

import { schemaIdentifier } from '../connection.ts';
import type { Queryable } from '../database.ts';

/** Those of the schemas that are on a node, in alphabetical order; none on a server without Citus. */
export async function distributedSchemas(db: Queryable, schemas: readonly string[]): Promise<string[]> {
  const { rows: found } = await db.query<{ known: boolean }>(
    "SELECT to_regclass('pg_dist_schema') IS NOT NULL AS known",
  );
  if (found[0]?.known !== true) return [];
  const { rows } = await db.query<{ name: string }>(
    `SELECT n.nspname::text AS name FROM pg_dist_schema d JOIN pg_namespace n ON n.oid = d.schemaid
     WHERE n.nspname = ANY($1::text[]) ORDER BY 1`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}

/**
 * Takes the schema with its rows to a node, within the caller's transaction. Citus copies table after table, and would
 * run the triggers for each copied row: they are off meanwhile, and come to the node as they are here.
 * @throws Error of the server, when it has no Citus or refuses a table
 */
export async function distributeSchema(db: Queryable, schema: string): Promise<void> {
  const { rows: tables } = await db.query<{ name: string }>(
    `SELECT DISTINCT t.tgrelid::regclass::text AS name FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = $1::regnamespace AND NOT t.tgisinternal AND t.tgparentid = 0 ORDER BY 1`,
    [schemaIdentifier(schema)],
  );
  for (const { name } of tables) await db.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  await db.query('SELECT citus_schema_distribute($1::regnamespace)', [schemaIdentifier(schema)]);
  for (const { name } of tables) await db.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
}
