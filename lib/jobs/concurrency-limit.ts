// A concurrency limit with a first-in, first-out queue and a maximum wait.

/** Runs the work at once, or when a place is free. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

export interface ConcurrencyLimitOptions {
  /** The most calls that run at the same time. */
  readonly atOnce: number;
  /** A call that has waited this long, in milliseconds, is rejected. */
  readonly patienceMs: number;
  /** Makes the error of a rejected call. */
  readonly timeoutError: () => Error;
}

interface Waiting {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

export function createConcurrencyLimit({
  atOnce,
  patienceMs,
  timeoutError,
}: ConcurrencyLimitOptions): ConcurrencyLimit {
  const waiting = new Set<Waiting>();
  let running = 0;
  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(own);
        reject(timeoutError());
      }, patienceMs);
      const own = { begin: resolve, timer };
      waiting.add(own);
    });
  /** A finished call passes its place to the first in the queue, so that no later call takes it. */
  const handOn = () => {
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else {
      waiting.delete(next);
      clearTimeout(next.timer);
      next.begin();
    }
  };
  return async (work) => {
    if (running >= atOnce) await wait();
    else running += 1;
    try {
      return await work();
    } finally {
      handOn();
    }
  };
}
