// Reading what a metric shows, within a time that a scrape can wait. A locked table would hold up all metrics, so that
// Prometheus would take the process for dead.

/** Milliseconds. Prometheus gives up a scrape after ten seconds. The reads of one scrape run together. */
const READ_MS = 5_000;

/**
 * Reads at most once at a time: a call during a read that is late waits for that one, so scrapes pile up no statements.
 * @returns undefined when the read fails, or does not end within `withinMs`
 */
export function boundedRead<T>(read: () => T | Promise<T>, withinMs = READ_MS): () => Promise<T | undefined> {
  let running: Promise<T | undefined> | undefined;
  const begin = async (): Promise<T | undefined> => {
    try {
      return await read();
    } catch {
      return undefined;
    } finally {
      running = undefined;
    }
  };
  return async () => {
    running ??= begin();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), withinMs);
    });
    try {
      return await Promise.race([running, late]);
    } finally {
      clearTimeout(timer);
    }
  };
}
