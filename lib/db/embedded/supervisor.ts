// Restarts the server on the same port when it ends by itself (killed, out of memory), until it is stopped.
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseLog } from '../connection.ts';
import type { Server } from './server.ts';

const PAUSES_MS = [100, 500, 2_000, 5_000];

export interface Supervised {
  stop(): Promise<void>;
}

/** Without `restart` a server that ended stays down. */
export function supervise(first: Server, restart: (() => Promise<Server>) | undefined, log: DatabaseLog): Supervised {
  const stopping = new AbortController();
  let server: Server | undefined = first;

  async function watch(): Promise<void> {
    while (server !== undefined) {
      await server.ended;
      server = undefined;
      if (stopping.signal.aborted || restart === undefined) return;
      log('error', 'database_ended_unexpectedly', {});
      server = await restartServer(restart);
    }
  }

  async function restartServer(start: () => Promise<Server>): Promise<Server | undefined> {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      try {
        const next = await start();
        if (stopping.signal.aborted) return void (await next.stop());
        log('warn', 'database_restarted', {});
        return next;
      } catch (error) {
        log('error', 'database_restart_failed', { error: String(error) });
        const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
        await delay(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      }
    }
    return undefined;
  }

  const watching = watch();
  return {
    stop: async () => {
      stopping.abort();
      await server?.stop();
      await watching;
    },
  };
}
