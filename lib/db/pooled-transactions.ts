// Statements behind a pooler of transactions (PgBouncer with `pool_mode = transaction`): each transaction may get
// another connection of the server, so each brings its settings along (docs/adr/0114-pooler.md).
import { randomUUID } from 'node:crypto';
import type { ClientBase } from 'pg';
import { type ConnectionOptions, type DatabaseLog, transactionSettings } from './connection.ts';
import type { PreparedStatement } from './database.ts';
import { runStatement } from './statement.ts';

export interface PooledTransactions {
  /** What BEGIN is followed by, in the same message. */
  readonly settings: string;
  /** Finds out once what the pooler can do. Call it before the first statement. @throws as `runStatement` does */
  prepare(connect: () => Promise<PooledClient>): Promise<void>;
  /** The statement as this pooler runs it. */
  adapt(statement: string | PreparedStatement): string | PreparedStatement;
}

interface PooledClient extends ClientBase {
  release(isBroken?: boolean): void;
}

export function createPooledTransactions(options: ConnectionOptions, log: DatabaseLog): PooledTransactions {
  const { schema } = options;
  const named = new Map<string, PreparedStatement>();
  let isPreparing: boolean | undefined;
  let asking: Promise<boolean> | undefined;

  async function ask(connect: () => Promise<PooledClient>): Promise<boolean> {
    const client = await connect();
    try {
      const keeps = await keepsPreparedStatements(client);
      client.release();
      if (!keeps) log('warn', 'database_pooler_without_prepared_statements', { schema });
      return keeps;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  return {
    settings: transactionSettings(options),
    async prepare(connect) {
      if (isPreparing !== undefined) return;
      asking ??= ask(connect);
      try {
        isPreparing = await asking;
      } finally {
        asking = undefined;
      }
    },
    adapt(statement) {
      if (typeof statement === 'string') return statement;
      if (isPreparing !== true) return statement.text;
      const known = named.get(statement.name);
      if (known !== undefined) return known;
      // The pooler shares a prepared statement among all clients that have the same text. PostgreSQL would plan it
      // again each time that another schema uses it.
      const adapted = { name: statement.name, text: `/* ${schema} */ ${statement.text}` };
      named.set(statement.name, adapted);
      return adapted;
    },
  };
}

/**
 * Whether a prepared statement is there in each transaction, whichever connection it gets. PgBouncer from 1.21 keeps
 * them where `max_prepared_statements` is not 0, under names of its own. If the server knows the statement by the
 * client's name, another connection does not know it.
 */
async function keepsPreparedStatements(client: ClientBase): Promise<boolean> {
  const name = `kedja_${randomUUID()}`;
  const text = 'SELECT count(*)::int AS own FROM pg_prepared_statements WHERE name = $1';
  await runStatement(client, 'BEGIN');
  const { rows } = await runStatement<{ own: number }>(client, { name, text }, [name]);
  const keeps = rows[0]?.own === 0;
  if (!keeps) await runStatement(client, `DEALLOCATE ${client.escapeIdentifier(name)}`);
  await runStatement(client, 'COMMIT');
  return keeps;
}
