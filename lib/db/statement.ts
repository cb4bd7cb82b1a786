// One statement on one connection, with the driver's errors sorted (failure.ts).
import type { ClientBase } from 'pg';
import type { PreparedStatement, QueryResult } from './database.ts';
import { isUnavailable, unavailable } from './failure.ts';

export interface StatementResult<R> extends QueryResult<R> {
  /** PostgreSQL's command tag: `SELECT`, `COMMIT` … */
  readonly command: string;
}

/** @throws ServiceError `unavailable` when the connection is lost; the driver's DatabaseError otherwise. */
export async function runStatement<R extends object>(
  client: ClientBase,
  statement: string | PreparedStatement,
  values: readonly unknown[] = [],
): Promise<StatementResult<R>> {
  const config = typeof statement === 'string' ? { text: statement } : { text: statement.text, name: statement.name };
  try {
    const result = await client.query<R, unknown[]>({ ...config, values: [...values] });
    return { rows: result.rows, rowCount: result.rowCount ?? 0, command: result.command };
  } catch (error) {
    throw isUnavailable(error) ? unavailable(error) : error;
  }
}
