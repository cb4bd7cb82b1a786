// Connections to a standby. Before each statement the same connection says how much of the primary's log the standby
// has replayed. Both go in one message, so the check costs no round trip.
import type { PoolClient } from 'pg';
import { type ConnectionOptions, connectionConfig, type DatabaseLog } from './connection.ts';
import type { PreparedStatement, QueryResult } from './database.ts';
import { endWithRequest } from './end-with-request.ts';
import { unavailable } from './failure.ts';
import { checkOut, createPool } from './pool.ts';
import { createPooledTransactions } from './pooled-transactions.ts';
import { runStatement } from './statement.ts';
import { beginStatement } from './transaction.ts';

export interface CheckedPool {
  /**
   * Runs a statement that reads. `check` gets the position (`16/B374D848`) that had been replayed before the
   * statement's snapshot, or undefined where the server is no standby. When it throws, so does this.
   * @throws ServiceError `unavailable` as {@link Database.query}, also when the check takes longer than a second
   */
  query<R extends object>(
    statement: string | PreparedStatement,
    values: readonly unknown[] | undefined,
    check: (replayed: string | undefined) => void,
  ): Promise<QueryResult<R>>;
  /** Breaks all connections in use: their statements fail at once. */
  abort(): void;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 10;
/** There is another server to ask, so nobody waits longer for this one. */
const CONNECT_MS = 1_000;
const CHECK_MS = 1_000;
const CHECK: PreparedStatement = {
  name: 'standby_check',
  text: 'SELECT pg_last_wal_replay_lsn()::text AS replayed WHERE pg_is_in_recovery()',
};

/** Connects at the first statement. */
export function createCheckedPool(options: ConnectionOptions & { readonly log: DatabaseLog }): CheckedPool {
  const { log, schema } = options;
  const config = { ...connectionConfig(options), connectionTimeoutMillis: CONNECT_MS, max: MAX_CONNECTIONS };
  const pool = createPool(config, { schema, log });
  const pooled = options.pooling === 'transaction' ? createPooledTransactions(options, log) : undefined;
  const busy = new Set<PoolClient>();

  return {
    async query(statement, values, check) {
      await pooled?.prepare(() => checkOut(pool));
      const client = await checkOut(pool);
      const goOn = endWithRequest(client);
      busy.add(client);
      const sent: Promise<unknown>[] = [];
      const send = <T extends object>(text: string | PreparedStatement, given?: readonly unknown[]) => {
        const running = runStatement<T>(client, text, given);
        sent.push(running);
        return running;
      };
      // Read committed: the statement after the check has a snapshot of its own, in a transaction too.
      if (pooled !== undefined) send(beginStatement({ readOnly: true }, pooled));
      const checking = send<{ replayed: string }>(pooled?.adapt(CHECK) ?? CHECK);
      const running = send<never>(pooled?.adapt(statement) ?? statement, values);
      if (pooled !== undefined) send('COMMIT');
      void Promise.allSettled(sent).then((outcomes) => {
        goOn();
        busy.delete(client);
        // Another server is asked instead, so nobody misses the connection. An outdated plan goes with it.
        client.release(outcomes.some(({ status }) => status === 'rejected'));
      });
      const { rows } = await inTime(checking, () => client.connection.stream.destroy());
      check(rows[0]?.replayed);
      return running;
    },
    abort() {
      for (const client of busy) client.connection.stream.destroy();
    },
    close: () => pool.end(),
  };
}

/** @throws ServiceError `unavailable` after a second, having called `giveUp` */
async function inTime<T>(checking: Promise<T>, giveUp: () => void): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    giveUp();
    late.reject(unavailable(new Error('The standby did not respond in time')));
  }, CHECK_MS);
  try {
    return await Promise.race([checking, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
