// Where a tenant is whose schemas `kedja tenant move` has set aside. The transaction that renames them also notes the
// new place in a table of theirs, so there is no moment without a place: before it the old server is in charge, after
// it the new one. Nodes find the note by themselves, whether or not the tenants file names the new place yet.
import { type DatabaseAddress, endClient, schemaIdentifier } from '../db/connection.ts';
import type { Queryable } from '../db/database.ts';
import { connectAlone } from '../db/schema/own-connection.ts';
import { runStatement } from '../db/statement.ts';

/** The name of a schema that has moved away. */
export function asideOf(schema: string): string {
  return `${schema}_moved`;
}

/** It holds a password: its owner alone may read it. */
const NOTE = 'kedja_new_place';

/** Sets the schema aside, and notes where it is from now on. Run it in a transaction. */
export async function setAside(
  db: Queryable,
  schema: string,
  { url, directUrl, pooling }: DatabaseAddress,
): Promise<void> {
  const aside = schemaIdentifier(asideOf(schema));
  await db.query(`ALTER SCHEMA ${schemaIdentifier(schema)} RENAME TO ${aside}`);
  await db.query(`CREATE TABLE ${aside}.${NOTE} (url text NOT NULL, direct_url text, pooling text)`);
  await db.query(`INSERT INTO ${aside}.${NOTE} VALUES ($1::text, $2::text, $3::text)`, [
    url,
    directUrl ?? null,
    pooling ?? null,
  ]);
}

/** Where the schema is that has moved away from here; undefined when it has not. */
export async function readNewPlace(db: Queryable, schema: string): Promise<DatabaseAddress | undefined> {
  const note = `${schemaIdentifier(asideOf(schema))}.${NOTE}`;
  const { rows: found } = await db.query<{ moved: boolean }>(
    'SELECT to_regnamespace($1::text) IS NULL AND to_regclass($2::text) IS NOT NULL AS moved',
    [schema, note],
  );
  if (found[0]?.moved !== true) return undefined;
  const { rows } = await db.query<{ url: string; direct_url: string | null; pooling: string | null }>(
    `SELECT url, direct_url, pooling FROM ${note}`,
  );
  const [place] = rows;
  if (place === undefined) return undefined;
  return {
    url: place.url,
    directUrl: place.direct_url ?? undefined,
    pooling: place.pooling === 'transaction' ? 'transaction' : 'session',
  };
}

/** {@link readNewPlace} over a connection of its own. @throws ServiceError `unavailable` */
export async function findNewPlace(address: DatabaseAddress, schema: string): Promise<DatabaseAddress | undefined> {
  const client = await connectAlone({ ...address, schema: 'public' }, 'kedja-place');
  try {
    return await readNewPlace({ query: (statement, values) => runStatement(client, statement, values) }, schema);
  } finally {
    await endClient(client);
  }
}
