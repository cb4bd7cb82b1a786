// Lets V8 give memory back while the process has little to do (docs/adr/0158). V8 does it by itself when hardly
// anything is allocated any more. The background work of many tenants is always more than that, so the garbage of a
// busy time would stay for minutes. With `--optimize-for-size` V8 does it within ten seconds, in short steps. Under
// load requests would take a quarter more processor time, so it is set while there is none.
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';

export interface SpareMemory {
  start(): void;
  stop(): void;
}

export interface SpareMemoryOptions {
  /** V8's own when left out. */
  readonly setFlag?: (flag: string) => void;
  /** The share of the time since the last call for which the event loop was busy, 0 to 1. */
  readonly busyShare?: () => number;
  readonly checkMs?: number;
}

const FLAG = '--optimize-for-size';
const NO_FLAG = '--no-optimize-for-size';
const CHECK_MS = 1_000;
/** A hundred quiet tenants take about a tenth. */
const LITTLE = 0.25;
/** So many checks in a row must find little to do. One that does not ends it. */
const CHECKS = 2;

/** Worker threads of this process, whose heaps the flag is for, too. */
let threads = 0;
const onThread = new Set<() => void>();

/** Call it before a worker thread is made; call what it returns when the thread has ended. */
export function beginThread(): () => void {
  threads += 1;
  // Before it starts, as V8 uses compiled code that was kept under the same flags alone.
  for (const each of onThread) each();
  let hasEnded = false;
  return () => {
    if (!hasEnded) threads -= 1;
    hasEnded = true;
  };
}

/** {@link beginThread} for a thread that `make` makes. */
export function makeThread(make: () => Worker): Worker {
  const end = beginThread();
  try {
    const worker = make();
    worker.once('exit', end);
    return worker;
  } catch (error) {
    end();
    throw error;
  }
}

export function createSpareMemory(options: SpareMemoryOptions = {}): SpareMemory {
  const { setFlag = setFlagsFromString, busyShare = createBusyShare(), checkMs = CHECK_MS } = options;
  let timer: NodeJS.Timeout | undefined;
  let isSparing = false;
  let found = 0;

  function spare(to: boolean): void {
    if (to === isSparing) return;
    isSparing = to;
    setFlag(to ? FLAG : NO_FLAG);
  }

  function check(): void {
    const hasLittle = busyShare() < LITTLE && threads === 0;
    found = hasLittle ? found + 1 : 0;
    spare(found >= CHECKS);
  }

  function end(): void {
    found = 0;
    spare(false);
  }

  return {
    start() {
      onThread.add(end);
      timer ??= setInterval(check, checkMs).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
      onThread.delete(end);
      end();
    },
  };
}

function createBusyShare(): () => number {
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
