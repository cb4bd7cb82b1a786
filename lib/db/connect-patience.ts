// While a node starts, a connection that cannot be made in time is tried again: on an overloaded machine one attempt
// may take longer than its limit, and a start that gave up would make the load worse. A server that refuses, or that
// is not there, says so at once, and ends the start.
import { performance } from 'node:perf_hooks';
import type { DatabaseLog } from './connection.ts';
import { isConnectTimeout } from './failure.ts';

export interface ConnectPatience {
  /** Runs an attempt to connect, again and again while it times out. @throws as the last attempt does */
  connect<T>(attempt: () => Promise<T>): Promise<T>;
  /** The node has started: attempts are not repeated any more. */
  end(): void;
}

/** `limitMs`: so long after this call, attempts are not repeated any more. */
export function createConnectPatience(limitMs: number, log: DatabaseLog): ConnectPatience {
  const until = performance.now() + limitMs;
  let hasEnded = false;

  async function connect<T>(attempt: () => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await attempt();
      } catch (error) {
        const left = until - performance.now();
        if (hasEnded || left <= 0 || !isConnectTimeout(error)) throw error;
        log('warn', 'database_connection_repeated', { attempts, left_ms: Math.round(left) });
      }
    }
  }

  return {
    connect,
    end: () => {
      hasEnded = true;
    },
  };
}
