// SQL statements for owners. The owner of a FHIR resource is a column beside its content; owners of library entries
// have their own table.

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';

/** The type and id of something with an owner. */
export type Owned =
  | { readonly kind: 'resource'; readonly type: string; readonly id: string }
  | { readonly kind: 'entry'; readonly table: LibraryTable; readonly type: string; readonly id: string };

/** The tables of the library whose entries have owners, by their paths. */
export const LIBRARY_TABLES = {
  'canonical-libs': 'canonical_lib',
  'concept-types': 'concept_type',
  'response-types': 'response_type',
  units: 'unit',
  concepts: 'concept',
  activities: 'activity',
  goals: 'goal',
} as const;
export type LibraryTable = (typeof LIBRARY_TABLES)[keyof typeof LIBRARY_TABLES];

/** Returns and locks the owner: null when it belongs to the whole system; undefined when it does not exist. */
export async function findOwner(
  db: Queryable,
  owned: Owned,
  lock: 'none' | 'update' = 'none',
): Promise<string | null | undefined> {
  const end = lock === 'update' ? 'FOR UPDATE' : '';
  if (owned.kind === 'resource') {
    const { rows } = await db.query<{ id: string; organisation: string | null }>(
      `SELECT id, organisation FROM fhir_resource WHERE type = $1 AND rid = $2 AND NOT deleted ${end}`,
      [nameKey(owned.type), resourceKey(owned.id)],
    );
    return rows[0]?.id === owned.id ? rows[0].organisation : undefined;
  }
  if (!isGuid(owned.id)) return undefined;
  const { table, id } = owned;
  const found = await db.query(`SELECT FROM ${table} WHERE ${table}_guid = $1 ${end}`, [id]);
  if (found.rowCount === 0) return undefined;
  const text = 'SELECT organisation FROM library_owner WHERE item_guid = $1';
  const { rows } = await db.query<{ organisation: string }>(text, [id]);
  return rows[0]?.organisation ?? null;
}

/** Sets the owner of something that {@link findOwner} has locked. */
export async function setOwner(tx: Transaction, owned: Owned, organisation: string | null): Promise<void> {
  if (owned.kind === 'resource') {
    const text = 'UPDATE fhir_resource SET organisation = $3 WHERE type = $1 AND rid = $2';
    await tx.query(text, [nameKey(owned.type), resourceKey(owned.id), organisation]);
  } else if (organisation === null) await tx.query('DELETE FROM library_owner WHERE item_guid = $1', [owned.id]);
  else {
    const text = `INSERT INTO library_owner (item_guid, organisation) VALUES ($1, $2)
      ON CONFLICT (item_guid) DO UPDATE SET organisation = excluded.organisation`;
    await tx.query(text, [owned.id, organisation]);
  }
}
