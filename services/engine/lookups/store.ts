// SQL statements for the lookup tables. Table and column names come from ./tables.ts, never from a request.
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, containing, instant, LIKE, selectPage, showingWritten } from '../shared/sql.ts';
import type { LookupFields, LookupTable } from './tables.ts';

function columnsOf({ table, fields }: LookupTable): string {
  return [`${table}_guid`, ...fields, 'revision', instant('created_at'), instant('updated_at')].join(', ');
}

export function listEntries(
  db: Database,
  spec: LookupTable,
  query: PageRequest & { readonly search?: string | undefined },
): Promise<Page<LookupFields>> {
  const searched = spec.fields.map((field) => `coalesce(${field}, '')`).join(` || ' ' || `);
  const conditions = new Conditions().add(containing(query.search), (pattern) => `(${searched}) ${LIKE} ${pattern}`);
  const statement = { columns: columnsOf(spec), from: spec.table, orderBy: byName('name', `${spec.table}_guid`) };
  return selectPage<LookupFields>(db, statement, conditions, query);
}

export async function findEntry(db: Queryable, spec: LookupTable, guid: string): Promise<LookupFields | undefined> {
  const { rows } = await db.query<LookupFields>(
    `SELECT ${columnsOf(spec)} FROM ${spec.table} WHERE ${spec.table}_guid = $1`,
    [guid],
  );
  return rows[0];
}

interface WrittenFields {
  readonly fields: LookupFields;
  readonly at: Date;
}

export async function insertEntry(
  db: Queryable,
  spec: LookupTable,
  guid: string,
  written: WrittenFields,
): Promise<LookupFields | undefined> {
  const values = spec.fields.map((field) => written.fields[field] ?? null);
  const placeholders = values.map((_, index) => `$${index + 3}`).join(', ');
  const { rows } = await db.query<LookupFields>(
    showingWritten(
      `INSERT INTO ${spec.table} (${spec.table}_guid, created_at, updated_at, ${spec.fields.join(', ')})
       VALUES ($1, $2, $2, ${placeholders})`,
      columnsOf(spec),
    ),
    [guid, written.at, ...values],
  );
  return rows[0];
}

export async function updateEntry(
  db: Queryable,
  spec: LookupTable,
  guid: string,
  written: WrittenFields,
): Promise<LookupFields | undefined> {
  const assignments = spec.fields.map((field, index) => `${field} = $${index + 3}`).join(', ');
  const { rows } = await db.query<LookupFields>(
    showingWritten(
      `UPDATE ${spec.table} SET ${assignments}, updated_at = $2 WHERE ${spec.table}_guid = $1`,
      columnsOf(spec),
    ),
    [guid, written.at, ...spec.fields.map((field) => written.fields[field] ?? null)],
  );
  return rows[0];
}

/** Locks the entry against new references to it; false when there is none. */
export async function lockEntry(tx: Transaction, spec: LookupTable, guid: string): Promise<boolean> {
  const { rowCount } = await tx.query(`SELECT FROM ${spec.table} WHERE ${spec.table}_guid = $1 FOR UPDATE`, [guid]);
  return rowCount === 1;
}
