// The rows of a service that an erasure removes, as data: the same list counts them before and deletes them in the
// transaction (docs/adr/0131).
import type { Queryable, Transaction } from '../db/database.ts';

/** Rows of a table, in the order in which they may be deleted. */
export interface RowsOf {
  readonly table: string;
  /** The condition; `:name` is a list of texts among the values. */
  readonly where: string;
}

/** The keys by which rows are chosen, by name. */
export type RowKeys = Readonly<Record<string, readonly string[]>>;

export type RowCounts = Readonly<Record<string, number>>;

/** How many rows there are of each table that has some. */
export async function countRows(db: Queryable, rows: readonly RowsOf[], keys: RowKeys): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  for (const { table, where } of rows) {
    const [condition, values] = bind(where, keys);
    const { rows: found } = await db.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE ${condition}`,
      values,
    );
    add(counts, table, found[0]?.n ?? 0);
  }
  return counts;
}

/** Deletes them, and returns how many of each table. */
export async function deleteRows(tx: Transaction, rows: readonly RowsOf[], keys: RowKeys): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  for (const { table, where } of rows) {
    const [condition, values] = bind(where, keys);
    add(counts, table, (await tx.query(`DELETE FROM ${table} WHERE ${condition}`, values)).rowCount);
  }
  return counts;
}

function add(counts: Record<string, number>, table: string, n: number): void {
  if (n > 0) counts[table] = (counts[table] ?? 0) + n;
}

/** Replaces `:name` by placeholders of text arrays. @throws Error for a name that is not among the keys */
function bind(where: string, keys: RowKeys): [condition: string, values: unknown[]] {
  const values: unknown[] = [];
  const places = new Map<string, string>();
  const condition = where.replaceAll(/(?<!:):([a-z]+)/g, (_, name: string) => {
    const list = keys[name];
    if (list === undefined) throw new Error(`There are no keys "${name}"`);
    const place = places.get(name) ?? `$${values.push(list)}::text[]`;
    places.set(name, place);
    return place;
  });
  return [condition, values];
}
