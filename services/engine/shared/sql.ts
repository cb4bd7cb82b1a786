// Builds SQL statements of lists from conditions, and those that all kinds of records share. The texts contain only $n
// placeholders; the values are bound.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { limitOf, makePage, type Page, type PageRequest } from '#lib/http/response/page.ts';

/** Collects `AND`ed conditions; each is written with its own placeholder. */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #parts: string[] = [];

  /** Adds `condition(placeholder)` unless the value is undefined. */
  add(value: unknown, condition: (placeholder: string) => string): this {
    if (value === undefined) return this;
    this.values.push(value);
    this.#parts.push(condition(`$${this.values.length}`));
    return this;
  }

  get where(): string {
    return this.#parts.length === 0 ? '' : `WHERE ${this.#parts.join(' AND ')}`;
  }
}

export interface ListStatement {
  readonly columns: string;
  readonly from: string;
  readonly orderBy: string;
}

/** One page of rows and the total of all (decision G5). */
export async function selectPage<R extends object>(
  db: Queryable,
  { columns, from, orderBy }: ListStatement,
  conditions: Conditions,
  request: PageRequest,
): Promise<Page<R>> {
  const { limit, offset } = limitOf(request);
  const { where, values } = conditions;
  const total = db.query<{ total: number }>(`SELECT count(*) AS total FROM ${from} ${where}`, values);
  const rows = db.query<R>(
    `SELECT ${columns} FROM ${from} ${where} ORDER BY ${orderBy} LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
    [...values, limit, offset],
  );
  const [counted, found] = await Promise.all([total, rows]);
  return makePage(found.rows, counted.rows[0]?.total ?? 0, request);
}

/** A kind of record that counts its changes (docs/adr/0155). */
interface VersionedTable {
  readonly table: string;
  /** The column of its guid, where it does not have the name of the table. */
  readonly key?: string;
  readonly counter?: 'version' | 'revision';
}

/** Returns the version that was there; undefined when there is no such record. */
export async function deleteRecord(
  tx: Transaction,
  { table, key = `${table}_guid`, counter = 'version' }: VersionedTable,
  guid: string,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ version: number }>(
    `DELETE FROM ${table} WHERE ${key} = $1 RETURNING ${counter} AS version`,
    [guid],
  );
  return rows[0]?.version;
}

/** A column of type timestamptz as an instant in UTC (decision G11); the session's time zone is UTC. */
export function instant(column: string, name = column.split('.').at(-1)): string {
  return `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${name}`;
}

/**
 * The statement, which inserts or updates rows of one table, with these columns of what it wrote. Citus takes
 * expressions like those of {@link instant} in a SELECT only, and not in RETURNING (docs/operations/citus.md).
 */
export function showingWritten(statement: string, columns: string): string {
  return `WITH written AS (${statement} RETURNING *) SELECT ${columns} FROM written`;
}

/**
 * Compares a text in parentheses with a pattern, without regard to case in any alphabet. The database's default
 * collation folds only ASCII letters.
 */
export const LIKE = 'COLLATE "und-x-icu" ILIKE';

/** Returns a LIKE pattern that finds the text anywhere. Wildcards in the text are escaped. */
export function containing(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** @throws ServiceError `not_found` for a text that is not a guid (decision G1) */
export function requireGuid(id: string, what: string): string {
  if (!isGuid(id)) throw notFound(what);
  return id;
}

/** Returns the first row. @throws ServiceError `not_found` */
export function requireRow<R>(rows: readonly R[], what: string): R {
  const [row] = rows;
  if (row === undefined) throw notFound(what);
  return row;
}
