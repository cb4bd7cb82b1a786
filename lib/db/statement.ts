// Runs one statement on one connection and classifies the driver's errors (failure.ts).
import type { ClientBase } from 'pg';
import pg from 'pg';
import { beginStatement, errorType } from '../traces/steps.ts';
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
  const span = beginStatement(statement);
  try {
    const result = await send<R>(client, statement, values);
    span?.end();
    return { rows: result.rows, rowCount: result.rowCount ?? 0, command: result.command };
  } catch (error) {
    span?.end({ error: errorType(error) });
    // The driver's stack trace begins at the socket; this one shows the caller.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw isUnavailable(error) ? unavailable(error) : error;
  }
}

/** Replaces the driver's own promise, which would copy the statement with all its property descriptors. */
function send<R extends object>(
  client: ClientBase,
  statement: string | PreparedStatement,
  values: readonly unknown[],
): Promise<pg.QueryResult<R>> {
  return new Promise((resolve, reject) => {
    // Several statements in one message have several results, of which the last counts.
    const done = (error: Error | null | undefined, result: pg.QueryResult<R> | pg.QueryResult<R>[]) =>
      error ? reject(error) : resolve(Array.isArray(result) ? (result.at(-1) as pg.QueryResult<R>) : result);
    const { text, name } = typeof statement === 'string' ? { text: statement, name: undefined } : statement;
    const query = new pg.Query<R>(text, [...values], done);
    writeTogether(client);
    client.query(name === undefined ? query : Object.assign(query, { name }));
  });
}

/** What the driver keeps of its socket. */
interface Wired {
  readonly connection?: { readonly stream?: { cork(): void; uncork(): void } };
}

/**
 * Statements that are sent in the same turn reach the server by one write to the socket. Each write costs as much as
 * several statements, as it wakes the server's process.
 */
function writeTogether(client: ClientBase): void {
  const stream = (client as Wired).connection?.stream;
  if (stream === undefined) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
