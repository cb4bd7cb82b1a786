// Guessing one account's password is slowed whatever address it comes from (decision I2): ten failures within a quarter of an
// hour lock the account for half a minute, and each further failure for twice as long. Accounts that do not exist behave alike.
import { createHash } from 'node:crypto';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { emailKey } from '../email.ts';
import { keyRevoked } from '../revocations/service.ts';
import type { Credentials } from '../shared/credentials.ts';
import * as store from './store.ts';

const WINDOW_MS = 15 * 60_000;
const ALLOWED_FAILURES = 10;
const FIRST_LOCK_MS = 30_000;
const LONGEST_LOCK_MS = 60 * 60_000;

export interface AccountThrottle {
  /** @throws ServiceError `rate_limited` while the account is locked */
  check(email: string): Promise<void>;
  /**
   * Holds the account's record until the transaction ends, so that its guesses are judged one at a time.
   * @throws ServiceError `rate_limited` while the account is locked
   */
  hold(tx: Transaction, email: string): Promise<void>;
  /** The account of the address, if there is one. @throws ServiceError `rate_limited` while it is locked, whether it exists or not */
  find(email: string): Promise<Credentials | null>;
  /**
   * Records a sign-in and forgets failures, in one statement. False, and nothing has happened, when the password or whether there is a
   * second factor is no longer what was verified.
   * @throws ServiceError `rate_limited` when others have locked the account meanwhile, `unavailable` when the token's key is gone
   */
  recordSignIn(email: string, record: Omit<store.SignInRecord, 'account'>): Promise<boolean>;
  /** Counts a failure. @throws ServiceError `rate_limited` when others have locked the account meanwhile */
  recordFailure(tx: Transaction, email: string): Promise<void>;
  /** Forgets failures after a success. @throws ServiceError `rate_limited` when others have locked the account meanwhile */
  recordSuccess(tx: Transaction, email: string): Promise<void>;
  sweep(): Promise<void>;
}

export function createAccountThrottle(deps: { database: Database; clock: Clock }): AccountThrottle {
  const { database, clock } = deps;
  const refuseLocked = (lockedUntil: Date | null): void => {
    const remaining = (lockedUntil?.getTime() ?? 0) - clock.now();
    if (remaining > 0) throw locked(remaining);
  };
  return {
    check: async (email) => refuseLocked(await store.readLock(database, accountOf(email))),
    async find(email) {
      const found = await store.findAccount(database, { account: accountOf(email), emailKey: emailKey(email) });
      refuseLocked(found.lockedUntil);
      return found.credentials;
    },
    async recordSignIn(email, record) {
      const row = await store.recordSignIn(database, { account: accountOf(email), ...record });
      if (row.is_proven) return true;
      refuseLocked(row.locked_until);
      if (!row.has_key) throw keyRevoked();
      return false;
    },
    async hold(tx, email) {
      refuseLocked((await store.lockFailures(tx, accountOf(email), new Date(clock.now()))).locked_until);
    },
    async recordFailure(tx, email) {
      const now = clock.now();
      const account = accountOf(email);
      const known = await store.lockFailures(tx, account, new Date(now));
      refuseLocked(known.locked_until);
      await store.saveFailures(tx, account, afterFailure(known, now));
    },
    recordSuccess: async (tx, email) => refuseLocked(await store.clearFailures(tx, accountOf(email))),
    sweep: () => store.sweep(database, { now: new Date(clock.now()), failedBefore: new Date(clock.now() - WINDOW_MS) }),
  };
}

/** The record after one more failure. A quarter of an hour without one, after the last lock has ended, forgets everything. */
export function afterFailure(known: store.FailureRow, now: number): store.FailureRow {
  const quietSince = Math.max(known.last_failed_at.getTime(), known.locked_until?.getTime() ?? 0);
  const isForgotten = now - quietSince > WINDOW_MS;
  const isSeries = known.lock_count > 0 && !isForgotten;
  const recent = known.failed_at.filter((time) => !isForgotten && (isSeries || time.getTime() > now - WINDOW_MS));
  const failedAt = [...recent, new Date(now)].slice(-ALLOWED_FAILURES);
  const lockCount = isForgotten ? 0 : known.lock_count;
  const base = { failed_at: failedAt, last_failed_at: new Date(now) };
  if (failedAt.length < ALLOWED_FAILURES) return { ...base, lock_count: lockCount, locked_until: null };
  const lockMs = Math.min(FIRST_LOCK_MS * 2 ** Math.min(lockCount, 20), LONGEST_LOCK_MS);
  return { ...base, lock_count: lockCount + 1, locked_until: new Date(now + lockMs) };
}

function accountOf(email: string): Buffer {
  return createHash('sha256').update(emailKey(email)).digest();
}

function locked(remainingMs: number): ServiceError {
  const seconds = Math.ceil(remainingMs / 1000);
  return new ServiceError('rate_limited', `Too many failed sign-ins; try again in ${seconds} seconds`, {
    retryAfterSeconds: seconds,
    headers: {
      'ratelimit-limit': String(ALLOWED_FAILURES),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(seconds),
    },
  });
}
