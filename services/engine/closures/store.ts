// Closure tables: SQL only. A table is locked while concepts are added, so that of two requests at once the second adds
// to what the first has added.
import type { ClosureConcept, ClosureEntry } from '#fhir/terminology/operations/closure.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { columnsOf, readCount } from '#lib/db/rows.ts';
import { newGuid } from '#lib/guid.ts';

export interface ClosureKey {
  /** The caller who made it. */
  readonly owner: string;
  readonly name: string;
}

export interface ClosureTable {
  readonly guid: string;
  readonly version: number;
  /** The version of the last initialisation. */
  readonly firstVersion: number;
}

interface Row {
  readonly closure_guid: string;
  readonly version: number;
  readonly first_version: number;
}

function tableOf({ closure_guid: guid, version, first_version: firstVersion }: Row): ClosureTable {
  return { guid, version, firstVersion };
}

/** Makes others who initialise tables of the same owner wait until the transaction ends. */
export async function lockOwner(tx: Transaction, owner: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('closure ' || $1, 0))`, [owner]);
}

export function countTables(db: Queryable, owner: string): Promise<number> {
  return readCount(db, 'SELECT count(*) AS count FROM closure_table WHERE owner = $1', [owner]);
}

/** Deletes the owner's tables that were last used before the time. */
export async function deleteUnused(tx: Transaction, owner: string, before: Date): Promise<void> {
  await tx.query('DELETE FROM closure_table WHERE owner = $1 AND used_at < $2', [owner, before]);
}

/** Makes the table, or empties it; its version is the next one. */
export async function initialise(tx: Transaction, { owner, name }: ClosureKey, now: Date): Promise<ClosureTable> {
  const { rows } = await tx.query<Row>(
    `INSERT INTO closure_table AS t (closure_guid, owner, name, version, first_version, used_at)
     VALUES ($1, $2, $3, 1, 1, $4)
     ON CONFLICT (owner, name) DO UPDATE
       SET version = t.version + 1, first_version = t.version + 1, used_at = excluded.used_at
     RETURNING closure_guid, version, first_version`,
    [newGuid(), owner, name, now],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An upsert returns its row');
  await tx.query('DELETE FROM closure_concept WHERE closure_guid = $1', [row.closure_guid]);
  await tx.query('DELETE FROM closure_entry WHERE closure_guid = $1', [row.closure_guid]);
  return tableOf(row);
}

export async function findTable(db: Queryable, { owner, name }: ClosureKey): Promise<ClosureTable | undefined> {
  const { rows } = await db.query<Row>(
    'SELECT closure_guid, version, first_version FROM closure_table WHERE owner = $1 AND name = $2',
    [owner, name],
  );
  return rows.map(tableOf)[0];
}

/** The table, locked until the transaction ends, and marked as used. */
export async function lockTable(
  tx: Transaction,
  { owner, name }: ClosureKey,
  now: Date,
): Promise<ClosureTable | undefined> {
  const { rows } = await tx.query<Row>(
    `UPDATE closure_table SET used_at = $3 WHERE owner = $1 AND name = $2
     RETURNING closure_guid, version, first_version`,
    [owner, name, now],
  );
  return rows.map(tableOf)[0];
}

export async function codesOf(db: Queryable, guid: string, system: string): Promise<string[]> {
  const { rows } = await db.query<{ code: string }>(
    'SELECT code FROM closure_concept WHERE closure_guid = $1 AND system = $2',
    [guid, system],
  );
  return rows.map(({ code }) => code);
}

export interface ClosureSize {
  readonly concepts: number;
  readonly entries: number;
}

export async function sizeOf(db: Queryable, guid: string): Promise<ClosureSize> {
  const concepts = 'SELECT count(*) AS count FROM closure_concept WHERE closure_guid = $1';
  const entries = 'SELECT count(*) AS count FROM closure_entry WHERE closure_guid = $1';
  return { concepts: await readCount(db, concepts, [guid]), entries: await readCount(db, entries, [guid]) };
}

/** Adds concepts and entries as the next version, which is returned. */
export async function addVersion(
  tx: Transaction,
  guid: string,
  { concepts, entries }: { readonly concepts: readonly ClosureConcept[]; readonly entries: readonly ClosureEntry[] },
): Promise<number> {
  const { rows } = await tx.query<{ version: number }>(
    'UPDATE closure_table SET version = version + 1 WHERE closure_guid = $1 RETURNING version',
    [guid],
  );
  const version = rows[0]?.version ?? 0;
  await tx.query(
    'INSERT INTO closure_concept (closure_guid, system, code) SELECT $1, * FROM unnest($2::text[], $3::text[])',
    [guid, ...columnsOf(concepts, 'system', 'code')],
  );
  await tx.query(
    `INSERT INTO closure_entry (closure_guid, version, system, narrower, broader)
     SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[])`,
    [guid, version, ...columnsOf(entries, 'system', 'narrower', 'broader')],
  );
  return version;
}

/** The entries that were added after the version. */
export async function entriesSince(db: Queryable, guid: string, version: number): Promise<ClosureEntry[]> {
  const { rows } = await db.query<ClosureEntry>(
    `SELECT system, narrower, broader FROM closure_entry WHERE closure_guid = $1 AND version > $2
     ORDER BY system, narrower, broader`,
    [guid, version],
  );
  return rows;
}
