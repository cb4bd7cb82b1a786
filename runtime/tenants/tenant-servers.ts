// What the tenants of a process have in common: worker threads (docs/adr/0156), and towards each database server
// LISTEN, connections, and turns for opening (docs/adr/0147, 0158).
import { availableParallelism } from 'node:os';
import { type DatabaseLog, serverOf } from '#lib/db/connection.ts';
import { createSharedConnections, type SharedConnections } from '#lib/db/shared/shared-connections.ts';
import { createSharedListeners, type SharedListeners } from '#lib/db/shared/shared-listeners.ts';
import { ServiceError } from '#lib/errors.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from '#lib/jobs/concurrency-limit.ts';
import { createThreadLimit, type ThreadLimit } from '#lib/jobs/thread-limit.ts';

export interface TenantServers {
  readonly listeners: SharedListeners;
  readonly connections: SharedConnections;
  /** Of worker threads, which all tenants share. The default tenant has its own. */
  readonly threads: ThreadLimit;
  /** Runs `open` in turn, a few at a time for each server: a server that is away holds up its own tenants alone. */
  inTurn<T>(databaseUrl: string, open: () => Promise<T>): Promise<T>;
}

/** As many as the default tenant has: two of the engine and one of dispatch. */
const LEAST_THREADS = 3;
const OPENED_AT_ONCE = 2;
/** A request waits no longer until its tenant is opened. */
const PATIENCE_MS = 45_000;

/** @param connections the most that pools of tenants hold to one server */
export function createTenantServers(connections: number, log: DatabaseLog): TenantServers {
  const turns = new Map<string, ConcurrencyLimit>();
  return {
    listeners: createSharedListeners(log),
    connections: createSharedConnections({ perServer: connections }),
    threads: createThreadLimit(Math.max(LEAST_THREADS, availableParallelism())),
    inTurn(databaseUrl, open) {
      const server = serverOf(databaseUrl);
      const known = turns.get(server);
      const turn =
        known ??
        createConcurrencyLimit({ atOnce: OPENED_AT_ONCE, patienceMs: PATIENCE_MS, timeoutError: tooManyOpening });
      if (known === undefined) turns.set(server, turn);
      return turn(open);
    },
  };
}

function tooManyOpening(): ServiceError {
  return new ServiceError('unavailable', 'Too many tenants are being opened', { retryAfterSeconds: 2 });
}
