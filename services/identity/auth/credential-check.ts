// Judging an e-mail address and a password (decision I2): the same answer and the same work whether the account exists or not,
// failures counted and recorded, and the grant made in the transaction that records the success.
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Origin } from '../actor.ts';
import type { Credentials, Users } from '../users/service.ts';
import type { AccountThrottle } from './account-throttle.ts';

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
  /** Whether a person signs in at our own page, which has a temporary password changed first (decision I13). */
  readonly isAtPage?: boolean;
}

export interface CredentialCheck {
  /**
   * Verifies the password and runs `grant` in the transaction that records the sign-in.
   * @throws ServiceError `authentication_failed`, `rate_limited`, `unavailable`
   */
  verify<T>(attempt: SignInAttempt, grant: (tx: Transaction, account: Credentials) => Promise<T>): Promise<T>;
  /** Counts and records a failure, then throws `authentication_failed` (or `rate_limited`). */
  refuse(email: string, entry: Omit<AuditEntry, 'action' | 'outcome'>): Promise<never>;
}

export interface CredentialCheckDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: Users;
  readonly passwords: PasswordHasher;
  readonly throttle: AccountThrottle;
  readonly audit: Audit;
}

export function createCredentialCheck(deps: CredentialCheckDeps): CredentialCheck {
  const { database, clock, users, passwords, throttle, audit } = deps;

  async function refuse(email: string, entry: Omit<AuditEntry, 'action' | 'outcome'>): Promise<never> {
    await database.transaction(async (tx) => {
      await throttle.recordFailure(tx, email);
      await audit.record(tx, { ...entry, action: 'E', outcome: 'failure' });
    });
    throw wrongCredentials();
  }

  async function verify<T>(
    attempt: SignInAttempt,
    grant: (tx: Transaction, account: Credentials) => Promise<T>,
  ): Promise<T> {
    const { email, password, origin } = attempt;
    await throttle.check(email);
    const account = await users.findCredentials(email);
    const isRight = await passwords.verify(account?.passwordHash, password);
    if (account === null || !isRight || isOutOfDate(account, clock.now())) {
      const detail = account === null ? 'no such account' : 'wrong or outdated password';
      return refuse(email, {
        event: 'user.sign-in',
        principal: undefined,
        subjectGuid: account?.userGuid,
        detail,
        ...origin,
      });
    }
    const { userGuid, passwordHash: verifiedHash } = account;
    const newHash = passwords.needsRehash(verifiedHash) ? await passwords.hash(password) : verifiedHash;
    return database.transaction(async (tx) => {
      await throttle.recordSuccess(tx, email);
      if (!(await users.recordSignIn(tx, { userGuid, verifiedHash, newHash }))) throw wrongCredentials();
      return grant(tx, account);
    });
  }

  return { verify, refuse };
}

/** One answer for an unknown address and a wrong password. */
export function wrongCredentials(): ServiceError {
  return new ServiceError('authentication_failed', 'The e-mail address or the password is wrong');
}

/** A temporary password stops working (decision I13). */
function isOutOfDate({ passwordExpiresAt }: Credentials, now: number): boolean {
  return passwordExpiresAt !== null && passwordExpiresAt.getTime() <= now;
}
