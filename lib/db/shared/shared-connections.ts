// Connections that many databases of one process share: those of tenants (docs/adr/0147, 0158). Together they hold a
// limited number to each server. Schemas at the same address use the same connections, one after the other. A
// statement that finds none free waits for its turn, and what others keep idle is closed for it.

import type { PoolClient } from 'pg';
import type { DatabaseLog } from '../connection.ts';
import { type ConnectionOptions, connectionConfig, serverOf } from '../connection.ts';
import { ServerConnections } from './server-connections.ts';

export interface SharedConnections {
  /** The connections of one schema. It has its share of those to its server. */
  of(options: SharedOptions): SchemaConnections;
}

export interface SharedOptions extends ConnectionOptions {
  /** The most that this schema has in use at the same time. */
  readonly max: number;
  /** The most of them that COPY. */
  readonly maxCopying: number;
  readonly log: DatabaseLog;
  /**
   * Whether what asks now can wait a little for a connection in use at its address, before another one is opened.
   * Always false when left out.
   */
  readonly isFrugal?: (() => boolean) | undefined;
}

export interface SchemaConnections {
  /**
   * A connection of the schema in its turn. Release it once.
   * @throws ServiceError `unavailable` when the server cannot be reached, or no turn comes in time
   */
  checkOut(options: { readonly copies: boolean }): Promise<PoolClient>;
  /** Resolves when all in use were released. Whoever waits for a turn is refused. */
  close(): Promise<void>;
}

export interface SharedConnectionsOptions {
  /** Of the connections to each server. */
  readonly perServer: number;
  /** How long a statement waits for a connection; 30 s when left out. */
  readonly waitMs?: number;
  /** How long one attempt to connect takes at most; 10 s when left out. It is repeated while there is time. */
  readonly connectMs?: number;
  /** After so long without use a connection is closed; 10 s when left out. */
  readonly idleMs?: number;
  /** How long who is frugal waits for a connection in use; 0.5 s when left out. */
  readonly frugalMs?: number;
}

const WAIT_MS = 30_000;
/** Longer than the rounds of a tenant's services are apart (runtime/tenants/tenant-directory.ts). */
const IDLE_MS = 10_000;
/** A statement takes milliseconds. Who needs a second connection while it holds one waits so long. */
const FRUGAL_MS = 500;
/** There are many, and they are opened also while the machine is busy. */
const CONNECT_MS = 10_000;

export function createSharedConnections(options: SharedConnectionsOptions): SharedConnections {
  const { perServer: limit, waitMs = WAIT_MS, connectMs = CONNECT_MS } = options;
  const { idleMs = IDLE_MS, frugalMs = FRUGAL_MS } = options;
  const servers = new Map<string, ServerConnections>();
  return {
    of({ max, maxCopying, log, isFrugal = () => false, ...address }) {
      const name = serverOf(address.url);
      const server = servers.get(name) ?? new ServerConnections({ limit, waitMs, idleMs, frugalMs });
      servers.set(name, server);
      const { schema } = address;
      const config = { ...connectionConfig(address), connectionTimeoutMillis: connectMs };
      const member = server.join({
        key: keyOf(address),
        config,
        schema,
        applicationName: config.application_name ?? '',
        max,
        maxCopying,
        log,
      });
      return {
        checkOut: ({ copies }) => server.checkOut(member, { copies, isFrugal: isFrugal() }),
        close: () => server.leave(member),
      };
    },
  };
}

/** Connections of the same key differ in nothing but the schema. */
function keyOf(address: ConnectionOptions): string {
  // Behind a pooler of transactions the same name is a statement of its own for each schema.
  const schema = address.pooling === 'transaction' ? address.schema : 'public';
  const { connectionString, statement_timeout } = connectionConfig({ ...address, schema });
  return [connectionString, statement_timeout, schema].join(' ');
}
