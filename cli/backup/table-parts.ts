// Takes indexes, constraints and triggers off tables while rows are loaded, and puts them back by the definitions that
// PostgreSQL has of them. An index is made faster of all rows at once, and references are checked once.
import type { Queryable } from '#lib/db/database.ts';
import { identifier, quoted } from './catalog.ts';

interface Constraint {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly kind: string;
  readonly definition: string;
}

export interface TableParts {
  /** Those that have an index. */
  readonly keys: readonly Constraint[];
  readonly references: readonly Constraint[];
  /** Statements that make an index. */
  readonly indexes: readonly string[];
  /** Qualified names of tables whose triggers are off. */
  readonly triggers: readonly string[];
}

/** Removes the parts of all tables of these schemas within the caller's transaction. */
export async function takeOff(db: Queryable, schemas: readonly string[]): Promise<TableParts> {
  // Definitions then have the schema with every name, whatever the search path is when they are used.
  await db.query("SELECT set_config('search_path', '', true)");
  const constraints = await readConstraints(db, schemas);
  const references = constraints.filter(({ kind }) => kind === 'f');
  const keys = constraints.filter(({ kind }) => kind !== 'f');
  for (const { schema, table, name } of [...references, ...keys]) {
    await db.query(`ALTER TABLE ${identifier(schema, table)} DROP CONSTRAINT ${quoted(name)}`);
  }
  const indexes = await readIndexes(db, schemas);
  for (const { schema, name } of indexes) await db.query(`DROP INDEX ${identifier(schema, name)}`);
  const triggers = await readTriggeredTables(db, schemas);
  for (const table of triggers) await db.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  return { keys, references, indexes: indexes.map(({ definition }) => definition), triggers };
}

/** Puts the parts back. @throws the driver's error for rows that a constraint refuses */
export async function putBack(db: Queryable, { keys, references, indexes, triggers }: TableParts): Promise<void> {
  const add = ({ schema, table, name, definition }: Constraint) =>
    db.query(`ALTER TABLE ${identifier(schema, table)} ADD CONSTRAINT ${quoted(name)} ${definition}`);
  for (const key of keys) await add(key);
  for (const index of indexes) await db.query(index);
  for (const reference of references) await add(reference);
  for (const table of triggers) await db.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
}

/** Primary keys, unique, exclusion and foreign keys. */
async function readConstraints(db: Queryable, schemas: readonly string[]): Promise<Constraint[]> {
  const { rows } = await db.query<Constraint>(
    `SELECT n.nspname::text AS schema, c.relname::text AS table, k.conname::text AS name, k.contype::text AS kind,
       pg_get_constraintdef(k.oid) AS definition
     FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY($1::text[]) AND k.contype IN ('p', 'u', 'x', 'f') AND k.conparentid = 0 ORDER BY 1, 2, 3`,
    [schemas],
  );
  return rows;
}

/** Indexes that no constraint has. */
async function readIndexes(
  db: Queryable,
  schemas: readonly string[],
): Promise<{ schema: string; name: string; definition: string }[]> {
  const { rows } = await db.query<{ schema: string; name: string; definition: string }>(
    // Of a partitioned table, PostgreSQL writes the index without those of its partitions.
    `SELECT n.nspname::text AS schema, c.relname::text AS name, replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') AS definition
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY($1::text[]) AND c.relkind IN ('i', 'I') AND NOT c.relispartition
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = c.oid) ORDER BY 1, 2`,
    [schemas],
  );
  return rows;
}

/** Qualified names. */
async function readTriggeredTables(db: Queryable, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ schema: string; name: string }>(
    `SELECT DISTINCT n.nspname::text AS schema, c.relname::text AS name
     FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY($1::text[]) AND NOT t.tgisinternal ORDER BY 1, 2`,
    [schemas],
  );
  return rows.map(({ schema, name }) => identifier(schema, name));
}
