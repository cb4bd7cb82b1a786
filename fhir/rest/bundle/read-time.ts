// Limits the time of all reads of a bundle: a single statement is ended by the database when it takes too long,
// but 5,000 searches, each of which is quick enough, would keep connections for an hour.
import { ServiceError } from '#lib/errors.ts';

/** As long as a single statement may take. */
const MAX_MS = 30_000;
const RETRY_AFTER_SECONDS = 2;

export interface ReadTime {
  /** Whether no further read is to begin. */
  isOver(): boolean;
}

/** The time of one bundle's reads, from now on. */
export function startReadTime(limitMs: number = MAX_MS): ReadTime {
  const start = performance.now();
  return { isOver: () => performance.now() - start >= limitMs };
}

/** The error of a read that did not begin in time; a single read that takes too long has the same code. */
export function noTime(): ServiceError {
  const message = 'The reads of this bundle took too long, and this one was not begun; ask for less at once';
  const issues = [{ message, code: 'timeout' }];
  return new ServiceError('unavailable', message, { issues, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
