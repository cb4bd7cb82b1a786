// A note in a restored tenant's schema, from the commit of its rows until the tenants file names the place. A restore
// that ended in between is finished by the same command (docs/adr/0148).
import type { DatabaseAddress } from '#lib/db/connection.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type LongConnection, openLongConnection } from '#lib/db/long-connection.ts';
import { identifier, type SchemaNames } from './catalog.ts';

/** It is there in every schema of a service. */
const TABLE = 'schema_migration';

/** Notes which backup the rows are of. Within the transaction that makes them. */
export async function setMark(db: Queryable, schemas: SchemaNames, mark: string): Promise<void> {
  const [schema = ''] = schemas.values();
  // COMMENT takes no parameters. The mark has no quotes: it is a name and an instant.
  if (!/^[\w .:-]*$/.test(mark)) throw new Error(`"${mark}" cannot be noted`);
  await db.query(`COMMENT ON TABLE ${identifier(schema, TABLE)} IS '${mark}'`);
}

/** Whether the schemas have the rows of this backup, and nobody was notified yet. */
export async function hasMark(address: DatabaseAddress, schemas: SchemaNames, mark: string): Promise<boolean> {
  const [schema = ''] = schemas.values();
  return withConnection(address, async (db) => {
    const { rows } = await db.query<{ mark: string | null }>(
      'SELECT obj_description(to_regclass($1::text), $2::text) AS mark',
      [identifier(schema, TABLE), 'pg_class'],
    );
    return rows[0]?.mark === mark;
  });
}

export async function clearMark(address: DatabaseAddress, schemas: SchemaNames): Promise<void> {
  const [schema = ''] = schemas.values();
  await withConnection(address, (db) => db.query(`COMMENT ON TABLE ${identifier(schema, TABLE)} IS NULL`));
}

async function withConnection<T>(address: DatabaseAddress, use: (db: LongConnection) => Promise<T>): Promise<T> {
  const db = await openLongConnection(address, 'kedja-restore');
  try {
    return await use(db);
  } finally {
    await db.end();
  }
}
