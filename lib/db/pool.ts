// The database of one service. It is a pool of connections bound to its schema (decisions on operations: a lost
// database is 503 with Retry-After and heals by itself).
import type { PoolClient } from 'pg';
import pg from 'pg';
import { ServiceError } from '../errors.ts';
import type { ConnectPatience } from './connect-patience.ts';
import { type ConnectionOptions, connectionConfig, type DatabaseLog, serverOf } from './connection.ts';
import type { Database, TransactionOptions } from './database.ts';
import { endWithRequest } from './end-with-request.ts';
import { unavailable } from './failure.ts';
import { createListener } from './listener.ts';
import { createPooledTransactions } from './pooled-transactions.ts';
import type { ConnectionLimit } from './shared/connection-limit.ts';
import type { SharedListeners } from './shared/shared-listeners.ts';
import { runStatement } from './statement.ts';
import { retryLostRaces, runPooledStatement, runTransaction } from './transaction.ts';

export interface DatabaseOptions extends ConnectionOptions {
  /** Upper bound of the pool. Default 10. The LISTEN connection comes on top. */
  readonly maxConnections?: number;
  /** Milliseconds after which an unused connection is closed. Default 30 000. */
  readonly idleMs?: number;
  /** A limit that several pools share; none when left out. */
  readonly limit?: ConnectionLimit;
  /** Listeners that several pools share; a connection of its own when left out. */
  readonly listeners?: SharedListeners;
  /** Of a node that starts. */
  readonly patience?: ConnectPatience;
  readonly log?: DatabaseLog;
}

const MAX_CONNECTIONS = 10;
/** The upper bound of the connections that COPY. Their pool is created on first use. */
const MAX_COPYING = 3;
const IDLE_TIMEOUT_MS = 30_000;
/** Pools that share a limit are many, and open connections often, also while the machine is busy. */
const LIMITED_CONNECT_MS = 10_000;

/**
 * Creates the pool. It connects at the first statement, so it never throws for an unavailable database. A statement
 * waits at most 3 s for a connection, or as long as a shared limit lets it. After that, and whenever the server is
 * gone, it fails with `unavailable`. Behind a pooler of transactions say so in `pooling`.
 */
export function createDatabase(options: DatabaseOptions): Database {
  const log = options.log ?? (() => {});
  const max = options.maxConnections ?? MAX_CONNECTIONS;
  const { schema } = options;
  const { limit } = options;
  const own = {
    ...(options.idleMs === undefined ? {} : { idleTimeoutMillis: options.idleMs }),
    ...(limit === undefined ? {} : { connectionTimeoutMillis: LIMITED_CONNECT_MS }),
  };
  const server = limit === undefined ? '' : serverOf(options.url);
  const takeOnce = limit === undefined ? checkOut : (from: pg.Pool) => limit.checkOut(from, server);
  const { patience } = options;
  const take = patience === undefined ? takeOnce : (from: pg.Pool) => patience.connect(() => takeOnce(from));
  const pool = createPool({ ...connectionConfig(options), max, ...own }, { schema, log });
  let copying: pg.Pool | undefined;
  const pooled = options.pooling === 'transaction' ? createPooledTransactions(options, log) : undefined;
  const connect = async ({ copies = false }: TransactionOptions = {}) => {
    if (pooled !== undefined) await pooled.prepare(() => take(pool));
    if (!copies) return take(pool);
    const config = { ...connectionConfig(options), pipeline: false, max: Math.min(max, MAX_COPYING), ...own };
    copying ??= createPool(config, { schema, log });
    return take(copying);
  };
  const host = {
    connect,
    pooled,
    onEffectError: (error: unknown) => log('error', 'after_commit_failed', { schema, error: String(error) }),
  };
  let closing: Promise<void> | undefined;
  const query: Database['query'] = (statement, values) =>
    // A statement is a transaction of its own.
    retryLostRaces(() =>
      runPooled(connect, (client) =>
        pooled === undefined
          ? runStatement(client, statement, values)
          : runPooledStatement(client, pooled, { statement, ...(values === undefined ? {} : { values }) }),
      ),
    );
  const listener = options.listeners?.of(options, { query }) ?? createListener(options, { query }, log);
  return {
    schema,
    query,
    transaction: (work, transactionOptions = {}) => runTransaction(host, work, transactionOptions),
    listen: listener.listen,
    close: () => {
      closing ??= Promise.all([listener.close(), pool.end(), copying?.end()]).then(() => {});
      return closing;
    },
  };
}

export function createPool(config: pg.PoolConfig, { schema, log }: { schema: string; log: DatabaseLog }): pg.Pool {
  const pool = new pg.Pool({ idleTimeoutMillis: IDLE_TIMEOUT_MS, ...config });
  pool.on('error', (error) => log('warn', 'database_connection_lost', { schema, error: error.message }));
  // A connection in use reports its loss to the running statement too; without a listener the process would end.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** @throws ServiceError `unavailable` */
export async function checkOut(pool: pg.Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw unavailable(error);
  }
}

async function runPooled<T>(connect: () => Promise<PoolClient>, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await connect();
  const goOn = endWithRequest(client);
  try {
    const result = await run(client);
    goOn();
    client.release();
    return result;
  } catch (error) {
    goOn();
    client.release(error instanceof ServiceError);
    throw error;
  }
}
