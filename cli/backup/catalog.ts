// What a backup has of the database: the schemas of the services, their tables, migrations and sequences.
import type { Queryable } from '#lib/db/database.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import { MIGRATIONS } from '../services.ts';
import type { AppliedMigration, Sequence, Table } from './records.ts';

/** The schemas of the services, and the migrations by which this release makes each. */
export const SERVICE_SCHEMAS: ReadonlyMap<string, readonly MigrationSource[]> = new Map([
  ['identity', MIGRATIONS.identity],
  ['dispatch', MIGRATIONS.dispatch],
  ['engine', MIGRATIONS.engine],
]);

/**
 * The permanent tables that hold rows, with the columns that hold values of their own, by schema and name. Computed
 * columns are left out, and so are unlogged tables, which hold what may be lost. A partitioned table is its partitions.
 */
export async function readTables(db: Queryable, schemas: readonly string[]): Promise<Table[]> {
  const { rows } = await db.query<Table & { of: string | null; bounds: string | null }>(
    `SELECT n.nspname::text AS schema, c.relname::text AS name, ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
       WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum) AS columns,
       p.relname::text AS of, pg_get_expr(c.relpartbound, c.oid) AS bounds
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_catalog.pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
     WHERE n.nspname = ANY($1::text[]) AND c.relkind = 'r' AND c.relpersistence = 'p'
     ORDER BY array_position($1::text[], n.nspname::text), c.relname`,
    [schemas],
  );
  return rows.map(({ of, bounds, ...table }) =>
    of === null || bounds === null ? table : { ...table, partition: { of, bounds } },
  );
}

/** The schema of each service that a backup has, by the service's name, in the order of the backup. */
export type SchemaNames = ReadonlyMap<string, string>;

/** Of the installation: each service's schema has the service's name. */
export const OWN_SCHEMAS: SchemaNames = new Map([...SERVICE_SCHEMAS.keys()].map((name) => [name, name]));

/** Those of the schemas that have migrations, in their order. */
export async function readSchemas(db: Queryable, schemas: SchemaNames): Promise<string[]> {
  const names = [...schemas.values()];
  const { rows } = await db.query<{ schema: string }>(
    `SELECT schemaname::text AS schema FROM pg_catalog.pg_tables
     WHERE tablename = 'schema_migration' AND schemaname = ANY($1::text[])`,
    [names],
  );
  return names.filter((name) => rows.some(({ schema }) => schema === name));
}

export async function readMigrationsOf(db: Queryable, schema: string): Promise<AppliedMigration[]> {
  const { rows } = await db.query<AppliedMigration>(
    `SELECT source, version, file, checksum FROM ${identifier(schema, 'schema_migration')} ORDER BY source, version`,
  );
  return rows;
}

/** Read after the tables: the values that the rows have were given before. */
export async function readSequences(db: Queryable, schemas: readonly string[]): Promise<Sequence[]> {
  const found = await db.query<{ schema: string; name: string }>(
    `SELECT n.nspname::text AS schema, c.relname::text AS name
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'S' AND n.nspname = ANY($1::text[]) ORDER BY 1, 2`,
    [schemas],
  );
  const sequences: Sequence[] = [];
  for (const { schema, name } of found.rows) {
    const { rows } = await db.query<Pick<Sequence, 'last_value' | 'is_called'>>(
      `SELECT last_value::text, is_called FROM ${identifier(schema, name)}`,
    );
    for (const row of rows) sequences.push({ schema, name, ...row });
  }
  return sequences;
}

/** A qualified name, quoted. */
export function identifier(schema: string, name: string): string {
  return `${quoted(schema)}.${quoted(name)}`;
}

export function columnList(columns: readonly string[]): string {
  return columns.map(quoted).join(', ');
}

/** A name as an SQL identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as an SQL literal, where a statement takes no parameters. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
