// Limits the time of all reads of a bundle. The database ends a single statement that takes too long. But 5,000
// searches, each of which is quick enough, would hold connections for an hour.
import { ServiceError } from '#lib/errors.ts';

/** The same limit as for a single statement. */
const MAX_MS = 30_000;
const RETRY_AFTER_SECONDS = 2;

export interface ReadTime {
  /** Whether the time is used up: no further read may begin. */
  isOver(): boolean;
}

/** Starts the time of one bundle's reads. */
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
