// Runs the loader's lists concurrently, and reports the progress.

const AT_A_TIME = 8;

/**
 * Runs the work for each item, at most eight at a time; returns the results in order. After an error it starts nothing
 * more, and throws when all that was started has ended.
 */
export async function forEachOf<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
  limit = AT_A_TIME,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  let hasFailed = false;
  const worker = async () => {
    for (const [index, item] of waiting) {
      if (hasFailed) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await allEnded(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** Waits until all have ended, then throws the first error. */
export async function allEnded(works: readonly Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(works)) if (outcome.status === 'rejected') throw outcome.reason;
}

export interface Progress {
  /** One more step is done. */
  step(what: string): void;
}

export function createProgress(total: number, print: (done: number, total: number, what: string) => void): Progress {
  let done = 0;
  return {
    step(what) {
      done += 1;
      print(done, total, what);
    },
  };
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_600;

/**
 * Calls `attempt` until it returns something. Each pause is longer than the one before: reads of a patient's data are
 * in the patient's access log, and unknown addresses of tasks are limited.
 * @throws Error that names `what` after a minute
 */
export async function until<T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const found = await attempt();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`Waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
