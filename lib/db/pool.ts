// The database of one service. It is a pool of connections bound to its schema (decisions on operations: a lost
// database is 503 with Retry-After and heals by itself).
import type { PoolClient } from 'pg';
import pg from 'pg';
import { ServiceError } from '../errors.ts';
import type { ConnectPatience } from './connect-patience.ts';
import { type ConnectionOptions, connectionConfig, type DatabaseLog } from './connection.ts';
import type { Database, TransactionOptions } from './database.ts';
import { endWithRequest } from './end-with-request.ts';
import { unavailable } from './failure.ts';
import { createListener } from './listener.ts';
import { createPooledTransactions } from './pooled-transactions.ts';
import type { SchemaConnections, SharedConnections } from './shared/shared-connections.ts';
import type { SharedListeners } from './shared/shared-listeners.ts';
import { runStatement } from './statement.ts';
import { retryLostRaces, runPooledStatement, runTransaction } from './transaction.ts';

export interface DatabaseOptions extends ConnectionOptions {
  /** Upper bound of the pool. Default 10. The LISTEN connection comes on top. */
  readonly maxConnections?: number;
  /** Connections that several databases share; a pool of its own when left out. */
  readonly shared?: SharedConnections;
  /** Of shared connections: see there. */
  readonly isFrugal?: (() => boolean) | undefined;
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

/**
 * Creates the pool. It connects at the first statement, so it never throws for an unavailable database. A statement
 * waits at most 3 s for a connection, or for shared ones as long as these let it. After that, and whenever the server
 * is gone, it fails with `unavailable`. Behind a pooler of transactions say so in `pooling`.
 */
export function createDatabase(options: DatabaseOptions): Database {
  const log = options.log ?? (() => {});
  const { schema, patience } = options;
  const source = options.shared === undefined ? ownConnections(options, log) : sharedConnections(options, log);
  const take = (copies: boolean) =>
    patience === undefined ? source.checkOut({ copies }) : patience.connect(() => source.checkOut({ copies }));
  const pooled = options.pooling === 'transaction' ? createPooledTransactions(options, log) : undefined;
  const connect = async ({ copies = false }: TransactionOptions = {}) => {
    if (pooled !== undefined) await pooled.prepare(() => take(false));
    return take(copies);
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
  const site = { options, pool: { query } };
  const listener = options.listeners?.of(site) ?? createListener(() => site, log);
  return {
    schema,
    query,
    transaction: (work, transactionOptions = {}) => runTransaction(host, work, transactionOptions),
    listen: listener.listen,
    close: () => {
      closing ??= Promise.all([listener.close(), source.close()]).then(() => {});
      return closing;
    },
  };
}

function ownConnections(options: DatabaseOptions, log: DatabaseLog): SchemaConnections {
  const { schema, maxConnections: max = MAX_CONNECTIONS } = options;
  const pool = createPool({ ...connectionConfig(options), max }, { schema, log });
  let copying: pg.Pool | undefined;
  return {
    checkOut({ copies }) {
      if (!copies) return checkOut(pool);
      const config = { ...connectionConfig(options), pipeline: false, max: Math.min(max, MAX_COPYING) };
      copying ??= createPool(config, { schema, log });
      return checkOut(copying);
    },
    close: async () => void (await Promise.all([pool.end(), copying?.end()])),
  };
}

function sharedConnections(options: DatabaseOptions, log: DatabaseLog): SchemaConnections {
  const { shared, maxConnections: max = MAX_CONNECTIONS, isFrugal, ...address } = options;
  if (shared === undefined) throw new Error('There are no shared connections');
  return shared.of({ ...address, max, maxCopying: Math.min(max, MAX_COPYING), log, isFrugal });
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
