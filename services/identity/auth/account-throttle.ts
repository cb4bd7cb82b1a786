// The lock of an account after failed sign-ins (decision I2), by #lib/auth/login-failures.ts. Accounts that do not
// exist behave alike.
import { emailKey } from '#lib/auth/email.ts';
import { lockFailures, saveFailures } from '#lib/auth/failure-store.ts';
import { accountOf, afterFailure, FAILURE_WINDOW_MS, refuseLocked } from '#lib/auth/login-failures.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { keyRevoked } from '../revocations/service.ts';
import type { Credentials } from '../shared/credentials.ts';
import * as store from './store.ts';

export interface AccountThrottle {
  /** @throws ServiceError `rate_limited` while the account is locked */
  check(email: string): Promise<void>;
  /**
   * Locks the account's record until the transaction ends, so that its guesses are checked one at a time.
   * @throws ServiceError `rate_limited` while the account is locked
   */
  lock(tx: Transaction, email: string): Promise<void>;
  /**
   * The account of the address, if there is one.
   * @throws ServiceError `rate_limited` while it is locked, whether it exists or not
   */
  find(email: string): Promise<Credentials | null>;
  /**
   * Records a sign-in and clears the failures, in one statement. Returns false, and changes nothing, when the password
   * or the second factor is no longer as it was verified.
   * @throws ServiceError `rate_limited` when others have locked the account meanwhile, `unavailable` when the token's
   * key is gone
   */
  recordSignIn(email: string, record: Omit<store.SignInRecord, 'account'>): Promise<boolean>;
  /** Counts a failure. @throws ServiceError `rate_limited` when others have locked the account meanwhile */
  recordFailure(tx: Transaction, email: string): Promise<void>;
  /**
   * Clears the failures after a success.
   * @throws ServiceError `rate_limited` when others have locked the account meanwhile
   */
  recordSuccess(tx: Transaction, email: string): Promise<void>;
  /** Clears the failures and a lock: they were about a password that has been replaced. */
  forget(tx: Transaction, email: string): Promise<void>;
  sweep(): Promise<void>;
}

export function createAccountThrottle(deps: { database: Database; clock: Clock }): AccountThrottle {
  const { database, clock } = deps;
  const refuse = (lockedUntil: Date | null): void => refuseLocked(lockedUntil, clock.now());
  return {
    check: async (email) => refuse(await store.readLock(database, accountOf(email))),
    async find(email) {
      const now = clock.now();
      const key = { account: accountOf(email), emailKey: emailKey(email), now: new Date(now) };
      const found = await store.findAccount(database, key);
      refuseLocked(found.lockedUntil, now);
      return found.credentials;
    },
    async recordSignIn(email, record) {
      const row = await store.recordSignIn(database, { account: accountOf(email), ...record });
      if (row.is_proven) return true;
      refuse(row.locked_until);
      if (!row.has_key) throw keyRevoked();
      return false;
    },
    async lock(tx, email) {
      refuse((await lockFailures(tx, accountOf(email), new Date(clock.now()))).locked_until);
    },
    async recordFailure(tx, email) {
      const now = clock.now();
      const account = accountOf(email);
      const known = await lockFailures(tx, account, new Date(now));
      refuse(known.locked_until);
      await saveFailures(tx, account, afterFailure(known, now));
    },
    recordSuccess: async (tx, email) => refuse(await store.clearFailures(tx, accountOf(email))),
    forget: async (tx, email) => {
      await store.clearFailures(tx, accountOf(email));
    },
    sweep: () =>
      store.sweep(database, { now: new Date(clock.now()), failedBefore: new Date(clock.now() - FAILURE_WINDOW_MS) }),
  };
}
