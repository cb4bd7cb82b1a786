// A backup is restored into schemas without tables only.
import type { Queryable } from '#lib/db/database.ts';

/** @param advice where to restore instead. @throws Error that says what is there */
export async function requireEmpty(db: Queryable, schemas: readonly string[], advice: string): Promise<void> {
  const { rows } = await db.query<{ schema: string; tables: number; size: string }>(
    `SELECT n.nspname::text AS schema, count(*) AS tables, pg_size_pretty(sum(pg_total_relation_size(c.oid))) AS size
     FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = ANY($1::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') GROUP BY 1 ORDER BY 1`,
    [schemas],
  );
  if (rows.length === 0) return;
  const found = rows.map(({ schema, tables, size }) => `${schema} has ${tables} tables (${size})`).join(', ');
  throw new Error(`The database is not empty: ${found}. ${advice}`);
}
