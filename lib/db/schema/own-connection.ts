// A connection of its own, beside the pool and past a pooler, for long work on a schema. That is migrations, and what
// nodes change after their start.
import pg from 'pg';
import { type DatabaseAddress, type DatabaseLog, directConfig, endClient } from '../connection.ts';
import type { Queryable } from '../database.ts';
import { unavailable } from '../failure.ts';
import { runStatement } from '../statement.ts';

/**
 * Connects without time limits for statements. The caller ends the connection. `name` is in `pg_stat_activity`, before
 * the name of the schema.
 * @throws ServiceError `unavailable`
 */
export async function connectAlone(
  address: DatabaseAddress & { readonly schema: string },
  name: string,
): Promise<pg.Client> {
  const client = new pg.Client({
    ...directConfig({ ...address, applicationName: `${name}-${address.schema}`, statementTimeoutMs: 0 }),
    pipeline: false,
    idle_in_transaction_session_timeout: 0,
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw unavailable(error);
  }
  return client;
}

export function asQueryable(client: pg.Client): Queryable {
  return { query: (statement, values) => runStatement(client, statement, values) };
}

/** A change of a schema that nodes make after their start. */
export interface SchemaChangeOptions extends DatabaseAddress {
  readonly schema: string;
  /** The schema over connections that are there. They say whether there is anything to do. */
  readonly look?: Queryable | undefined;
  /** Aborts it. The next call does the unfinished part again. */
  readonly signal?: AbortSignal;
  readonly log?: DatabaseLog;
}

/**
 * Runs the change on a connection of its own, which ends with it; `busy` when the signal is aborted meanwhile.
 * @throws ServiceError `unavailable` when the database cannot be reached
 * @throws any error of the change
 */
export async function changeAlone<Outcome>(
  options: SchemaChangeOptions,
  name: string,
  change: (client: pg.Client) => Promise<Outcome>,
): Promise<Outcome | 'busy'> {
  const { signal } = options;
  const client = await connectAlone(options, name);
  const end = () => void endClient(client);
  signal?.addEventListener('abort', end);
  try {
    return await change(client);
  } catch (error) {
    if (signal?.aborted === true) return 'busy';
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
    await endClient(client);
  }
}

/**
 * Whether this node makes the change of this name in the schema, until the connection ends. The lock is only tried:
 * CREATE INDEX CONCURRENTLY would wait for a statement that waits for it.
 */
export async function takesChange(client: pg.Client, change: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(hashtextextended($1::text || ' ' || current_schema(), 0)) AS locked`,
    [`kedja ${change}`],
  );
  return rows[0]?.locked === true;
}
