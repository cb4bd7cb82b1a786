// Reads that many stores make alike: a row by its guid, and a count.
import type { PreparedStatement, Queryable, Transaction } from './database.ts';

interface RowsByGuid<Row> {
  /** Undefined when there is no such row. */
  readonly find: (db: Queryable, guid: string) => Promise<Row | undefined>;
  /** The row, locked until the transaction ends. */
  readonly lock: (tx: Transaction, guid: string) => Promise<Row | undefined>;
}

/** Reads a row of a table by its guid. */
export function rowsByGuid<Row extends object>(table: string, key: string, columns: string): RowsByGuid<Row> {
  const text = `SELECT ${columns} FROM ${table} WHERE ${key} = $1`;
  return {
    find: async (db, guid) => (await db.query<Row>(text, [guid])).rows[0],
    lock: async (tx, guid) => (await tx.query<Row>(`${text} FOR UPDATE`, [guid])).rows[0],
  };
}

/** Runs a statement that selects one row with the column `count`. */
export async function readCount(
  db: Queryable,
  statement: string | PreparedStatement,
  values?: readonly unknown[],
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(statement, values);
  return rows[0]?.count ?? 0;
}

/**
 * The values of rows by column, in the order of the names, as `unnest` takes them. An undefined value becomes null.
 * Names are ours, never a caller's.
 */
export function columnsOf<Row extends object>(rows: readonly Row[], ...names: readonly (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name] ?? null));
}

/** The first row of a statement, converted; undefined when there is none. */
export async function findRow<Row extends object, T>(
  db: Queryable,
  statement: string | PreparedStatement,
  values: readonly unknown[],
  convert: (row: Row) => T,
): Promise<T | undefined> {
  const [row] = (await db.query<Row>(statement, values)).rows;
  return row === undefined ? undefined : convert(row);
}
