// Counts the use of each API key (decision E8) without a write for each request. Counts are kept in memory and sent
// every few seconds and at shutdown. A batch has a guid by which the engine counts it once, however often it arrives. A
// node that is killed loses a few seconds of counts at most. A service that is not the engine passes its own database
// as the sink.
import { type Clock, DAY_MS } from '../clock.ts';
import { newGuid } from '../guid.ts';
import type { HttpApp } from '../http/http-app.ts';
import { createPeriodicLoop, type WorkerLoop } from '../jobs/worker-loop.ts';
import type { Logger } from '../log/logger.ts';

/** The requests of one key on one day. */
export interface KeyUse {
  readonly keyGuid: string;
  /** In UTC: `2026-01-31`. */
  readonly day: string;
  readonly requests: number;
  /** Milliseconds since the epoch. */
  readonly lastUsedAt: number;
}

export interface KeyUseBatch {
  readonly batchGuid: string;
  readonly uses: readonly KeyUse[];
}

export interface KeyUsage {
  /** Counts the requests of the application, whatever their response. Call it before the routes are registered. */
  register(app: HttpApp): void;
  /** Sends what was counted before the call. @throws what the sink throws; nothing is lost then */
  flush(): Promise<void>;
  readonly loop: WorkerLoop;
}

const EVERY_MS = 5_000;
/** The most entries in the body of one request. */
export const MAX_USES = 5_000;

/** `sink` stores the batch durably, and once. */
export function createKeyUsage(deps: {
  clock: Clock;
  log: Logger;
  sink: (batch: KeyUseBatch) => Promise<void>;
}): KeyUsage {
  const { clock, log, sink } = deps;
  let counts = new Map<string, { requests: number; lastUsedAt: number }>();
  let countedDay = -1;
  const waiting: KeyUseBatch[] = [];
  let handing = Promise.resolve();

  /** Closes the current counts as a batch, which never holds two days. */
  function close(): void {
    if (counts.size === 0) return;
    const day = new Date(countedDay * DAY_MS).toISOString().slice(0, 10);
    const uses = [...counts].map(([keyGuid, use]) => ({ keyGuid, day, ...use }));
    for (let start = 0; start < uses.length; start += MAX_USES) {
      waiting.push({ batchGuid: newGuid(clock.now()), uses: uses.slice(start, start + MAX_USES) });
    }
    counts = new Map();
  }

  function count(keyGuid: string): void {
    const now = clock.now();
    const day = Math.floor(now / DAY_MS);
    if (day !== countedDay) {
      close();
      countedDay = day;
    }
    const known = counts.get(keyGuid);
    if (known === undefined) counts.set(keyGuid, { requests: 1, lastUsedAt: now });
    else {
      known.requests += 1;
      known.lastUsedAt = now;
    }
  }

  async function handOn(): Promise<void> {
    for (let batch = waiting[0]; batch !== undefined; batch = waiting[0]) {
      await sink(batch);
      waiting.shift();
    }
  }

  function flush(): Promise<void> {
    close();
    // One at a time: two concurrent runs would send the same batch, and each would remove one.
    const done = handing.then(handOn);
    handing = done.catch(() => undefined);
    return done;
  }

  return {
    register: (app) =>
      app.onResponseSent((principal) => {
        if (principal?.kind === 'api_key') count(principal.id);
      }),
    flush,
    loop: createPeriodicLoop({ name: 'key-usage', intervalMs: EVERY_MS, log, run: flush }),
  };
}
