// For tests of followers of definitions: counts the rows that they read, and commits writes late or never.
import assert from 'node:assert/strict';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Database, Queryable } from '#lib/db/database.ts';

interface Resource {
  readonly resourceType: string;
  readonly id: string;
}

/** The database, and the number of rows that it has returned. */
export function countRows(db: Database): { readonly database: Database; rows(): number } {
  let rows = 0;
  const database: Database = {
    ...db,
    query: async (...args: Parameters<Database['query']>) => {
      const result = await db.query(...args);
      rows += result.rows.length;
      return result as never;
    },
  };
  return { database, rows: () => rows };
}

/** Runs `meanwhile` while a transaction that has written the resource is open; it is then committed. */
export async function whileUncommitted(
  db: Database,
  resource: Resource,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const end = Promise.withResolvers<void>();
  const isWritten = Promise.withResolvers<void>();
  const writing = db.transaction(async (tx) => {
    await insert(tx, resource);
    isWritten.resolve();
    await end.promise;
  });
  await isWritten.promise;
  await meanwhile();
  end.resolve();
  await writing;
}

/** Writes the resource in a transaction that is rolled back. */
export async function writeInVain(db: Database, resource: Resource): Promise<void> {
  const refused = db.transaction(async (tx) => {
    await insert(tx, resource);
    throw new Error('refused');
  });
  await assert.rejects(refused, /refused/);
}

async function insert(tx: Queryable, resource: Resource): Promise<void> {
  await tx.query(
    'INSERT INTO fhir_resource (type, rid, version, updated_at, id, content) VALUES ($1, $2, 1, now(), $3, $4)',
    [nameKey(resource.resourceType), resourceKey(resource.id), resource.id, JSON.stringify(resource)],
  );
}
