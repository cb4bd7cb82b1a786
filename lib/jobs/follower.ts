// How a node keeps up with what others may change at any moment: a hint wakes it, a poll every second is the guarantee, and after a failure
// it asks as often as ever, so that every node knows within two seconds (decision G8).
import type { Logger } from '../log/logger.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';

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
  return createWorkerLoop({
    name,
    intervalMs: POLL_MS,
    maxBackoffMs: POLL_MS,
    log,
    step: async () => {
      await refresh();
      return false;
    },
  });
}
