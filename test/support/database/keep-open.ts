// Keeps a test's transaction from being ended for idleness while something else runs that it holds up.
import type { Queryable } from '#lib/db/database.ts';

const EVERY_MS = 5_000;

/** Waits for the work, and uses the transaction meanwhile. */
export async function keepOpen<T>(tx: Queryable, work: Promise<T>): Promise<T> {
  const timer = setInterval(() => void tx.query('SELECT 1').catch(() => undefined), EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
