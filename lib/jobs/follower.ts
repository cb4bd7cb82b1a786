// Keeps a node's copy of shared data current. A hint wakes it, and a poll every second is the guarantee. It keeps
// polling at that rate after a failure, so that every node knows within two seconds (decision G8).
import type { Logger } from '../log/logger.ts';
import { createPeriodicLoop, type WorkerLoop } from './worker-loop.ts';

const POLL_MS = 1_000;

export function createFollower({
  name,
  log,
  refresh,
}: {
  readonly name: string;
  readonly log: Logger;
  readonly refresh: () => Promise<void>;
}): WorkerLoop {
  return createPeriodicLoop({ name, intervalMs: POLL_MS, maxBackoffMs: POLL_MS, log, run: refresh, isFollower: true });
}

/** A follower of the node's state: loaded once before it starts, and again by a caller who needs the latest at once. */
export interface LoadedFollower extends Pick<WorkerLoop, 'wake' | 'stop'> {
  /** Loads the present state, then follows its changes. */
  start(): Promise<void>;
  /** Loads everything that has been written until now. */
  refresh(): Promise<void>;
}

/** Calls of `load` run one after the other, so that older data never replaces newer. */
export function createLoadedFollower({
  name,
  log,
  load,
}: {
  readonly name: string;
  readonly log: Logger;
  readonly load: () => Promise<void>;
}): LoadedFollower {
  let last: Promise<void> = Promise.resolve();
  const refresh = (): Promise<void> => {
    const mine = last.then(load);
    last = mine.catch(() => undefined);
    return mine;
  };
  const follow = createFollower({ name, log, refresh });
  return {
    start: async () => {
      await refresh();
      follow.start();
    },
    refresh,
    wake: follow.wake,
    stop: follow.stop,
  };
}
