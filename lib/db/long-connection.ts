// A connection of its own for long work on whole tables, past a pooler and without time limits: COPY in both
// directions, and statements.
import type pg from 'pg';
import { to } from 'pg-copy-streams';
import { type DatabaseAddress, endClient } from './connection.ts';
import { beginCopy, type CopyIn } from './copy.ts';
import type { Queryable } from './database.ts';
import { isUnavailable, unavailable } from './failure.ts';
import { connectAlone } from './schema/own-connection.ts';
import { runStatement } from './statement.ts';

export interface LongConnection extends Queryable {
  /** What `COPY … TO STDOUT` writes, in pieces of any size. @throws as `query` does */
  copyOut(statement: string): AsyncGenerator<Buffer>;
  /** Begins a `COPY … FROM STDIN`. */
  copyIn(statement: string): CopyIn;
  /** Ends it, also while a statement runs; the server then rolls back. */
  end(): Promise<void>;
}

/** `name` is in `pg_stat_activity`. The search path is `public`. @throws ServiceError `unavailable` */
export async function openLongConnection(address: DatabaseAddress, name: string): Promise<LongConnection> {
  const client = await connectAlone({ ...address, schema: 'public' }, name);
  return {
    query: (statement, values) => runStatement(client, statement, values),
    copyOut: (statement) => copyOut(client, statement),
    copyIn: (statement) => beginCopy(client, statement),
    end: () => endClient(client),
  };
}

async function* copyOut(client: pg.Client, statement: string): AsyncGenerator<Buffer> {
  const stream = client.query(to(statement));
  try {
    for await (const bytes of stream) if (Buffer.isBuffer(bytes)) yield bytes;
  } catch (error) {
    throw isUnavailable(error) ? unavailable(error) : error;
  }
}
