// Account lockout after failed logins, whatever address they come from (decision I2). Ten failures within a quarter of
// an hour lock the account for half a minute, and each further failure for twice as long. This file holds the rule;
// failure-store.ts stores the record. The errors of a refused sign-in are the same at every service.
import { HOUR_MS, MINUTE_MS } from '../clock.ts';
import { sha256 } from '../crypto/secret.ts';
import { ServiceError } from '../errors.ts';
import { emailKey } from './email.ts';

/** Failures older than this, in milliseconds, are forgotten. */
export const FAILURE_WINDOW_MS = 15 * MINUTE_MS;
const ALLOWED_FAILURES = 10;
const FIRST_LOCK_MS = 30_000;
const LONGEST_LOCK_MS = HOUR_MS;

/** The failures of an account, as a row of the table `login_failure`. */
export interface FailureRow {
  failed_at: Date[];
  lock_count: number;
  locked_until: Date | null;
  last_failed_at: Date;
}

/**
 * The record after one more failure. A quarter of an hour without a failure, counted from the end of the last lock,
 * resets it.
 */
export function afterFailure(known: FailureRow, now: number): FailureRow {
  const quietSince = Math.max(known.last_failed_at.getTime(), known.locked_until?.getTime() ?? 0);
  const isForgotten = now - quietSince > FAILURE_WINDOW_MS;
  const isSeries = known.lock_count > 0 && !isForgotten;
  const recent = known.failed_at.filter(
    (time) => !isForgotten && (isSeries || time.getTime() > now - FAILURE_WINDOW_MS),
  );
  const failedAt = [...recent, new Date(now)].slice(-ALLOWED_FAILURES);
  const lockCount = isForgotten ? 0 : known.lock_count;
  const base = { failed_at: failedAt, last_failed_at: new Date(now) };
  if (failedAt.length < ALLOWED_FAILURES) return { ...base, lock_count: lockCount, locked_until: null };
  const lockMs = Math.min(FIRST_LOCK_MS * 2 ** Math.min(lockCount, 20), LONGEST_LOCK_MS);
  return { ...base, lock_count: lockCount + 1, locked_until: new Date(now + lockMs) };
}

/** The key of an address's failures, whether it has an account or not: 32 bytes that do not reveal it. */
export function accountOf(email: string): Buffer {
  return sha256(emailKey(email));
}

/** @throws ServiceError `rate_limited` while the account is locked */
export function refuseLocked(lockedUntil: Date | null, now: number): void {
  const remaining = (lockedUntil?.getTime() ?? 0) - now;
  if (remaining <= 0) return;
  const seconds = Math.ceil(remaining / 1000);
  throw new ServiceError('rate_limited', `Too many failed sign-ins; try again in ${seconds} seconds`, {
    retryAfterSeconds: seconds,
    headers: {
      'ratelimit-limit': String(ALLOWED_FAILURES),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
    },
  });
}

/** One error for an unknown address and a wrong password. */
export function wrongCredentials(): ServiceError {
  return new ServiceError('authentication_failed', 'The e-mail address or the password is wrong');
}

/** For a code of the second factor that is wrong or no longer valid. */
export function wrongCode(): ServiceError {
  return new ServiceError('authentication_failed', 'The code is wrong or was used before');
}
