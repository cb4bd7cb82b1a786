// Verifies an e-mail address and a password (decision I2). The response and the work are the same whether the account
// exists or not. Failures are counted and recorded.
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { wrongCredentials } from '#lib/auth/login-failures.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Origin } from '../actor.ts';
import type { Credentials, PasswordProof } from '../shared/credentials.ts';
import type { AccountThrottle } from './account-throttle.ts';

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
}

export interface CredentialCheck {
  /**
   * Returns the account with this address and password, or counts and records the failure under `event`.
   * @throws ServiceError `authentication_failed`, `rate_limited`, `unavailable`
   */
  identify(attempt: SignInAttempt, event: string): Promise<Credentials>;
  /**
   * Whether this is the account's password and has not expired. It costs as much work without an account.
   * @throws ServiceError `unavailable`
   */
  verify(account: Credentials | null, password: string): Promise<boolean>;
  /**
   * The proof that `users.recordPassword` compares with the account. It has a new hash when the hash parameters have
   * changed.
   */
  prove(account: Credentials, password: string): Promise<PasswordProof>;
  /** Counts and records a failure, then throws `authentication_failed` (or `rate_limited`). */
  refuse(email: string, entry: Omit<AuditEntry, 'action' | 'outcome'>): Promise<never>;
  /** Counts and records a wrong code of a second factor, as a failed sign-in. @throws ServiceError `rate_limited` */
  recordWrongCode(tx: Transaction, attempt: { account: CodeHolder; origin: Origin }): Promise<void>;
}

interface CodeHolder {
  readonly userGuid: string;
  readonly email: string;
}

export interface CredentialCheckDeps extends WriteDependencies {
  readonly passwords: PasswordHasher;
  readonly throttle: AccountThrottle;
}

export function createCredentialCheck(deps: CredentialCheckDeps): CredentialCheck {
  const { database, clock, passwords, throttle, audit } = deps;

  async function refuse(
    email: string,
    entry: Omit<AuditEntry, 'action' | 'outcome'>,
    error = entry.principal === undefined ? wrongCredentials() : wrongPassword(),
  ): Promise<never> {
    await database.transaction(async (tx) => {
      await throttle.recordFailure(tx, email);
      await audit.record(tx, { ...entry, action: 'E', outcome: 'failure' });
    });
    throw error;
  }

  async function isPassword(account: Credentials | null, password: string): Promise<boolean> {
    const isRight = await passwords.verify(account?.passwordHash, password);
    return isRight && account !== null && !isOutOfDate(account, clock.now());
  }

  async function verify(account: Credentials | null, password: string): Promise<boolean> {
    return (await isPassword(account, password)) && account?.isBlocked === false;
  }

  async function identify({ email, password, origin }: SignInAttempt, event: string): Promise<Credentials> {
    const account = await throttle.find(email);
    const isRight = await isPassword(account, password);
    if (account !== null && isRight && !account.isBlocked) return account;
    if (account?.isMerged === true && isRight) {
      const merged = {
        event,
        principal: undefined,
        subjectGuid: account.userGuid,
        detail: 'merged account',
        ...origin,
      };
      return refuse(email, merged, new AccountMerged());
    }
    const detail =
      account === null ? 'no such account' : account.isBlocked ? 'blocked account' : 'wrong or outdated password';
    return refuse(email, { event, principal: undefined, subjectGuid: account?.userGuid, detail, ...origin });
  }

  async function prove(account: Credentials, password: string): Promise<PasswordProof> {
    const { userGuid, passwordHash: verifiedHash, hasSecondFactor } = account;
    const newHash = passwords.needsRehash(verifiedHash) ? await passwords.hash(password) : verifiedHash;
    return { userGuid, verifiedHash, newHash, hasSecondFactor };
  }

  return {
    verify,
    identify,
    prove,
    refuse,
    async recordWrongCode(tx, { account, origin }) {
      const { userGuid: subjectGuid } = account;
      await throttle.recordFailure(tx, account.email);
      const entry = { action: 'E', event: 'user.sign-in', principal: undefined, outcome: 'failure' } as const;
      await audit.record(tx, { ...entry, subjectGuid, detail: 'wrong code', ...origin });
    },
  };
}

/**
 * The password is right, and the account was merged into another one of the same person (docs/adr/0076). Who does not
 * know the password learns nothing of it, and nobody the other address.
 */
export class AccountMerged extends ServiceError {
  constructor() {
    super('authentication_failed', 'This account was merged into another one of yours: sign in with that one');
  }
}

/** For callers whose account is known by their token. */
function wrongPassword(): ServiceError {
  return new ServiceError('authentication_failed', 'The password is wrong');
}

/**
 * The account has changed since its password was verified. Callers that cannot verify it again report wrong
 * credentials.
 */
export class AccountChanged extends ServiceError {
  constructor() {
    super('authentication_failed', wrongCredentials().message);
  }
}

/** Whether a temporary password has expired (decision I13). */
function isOutOfDate({ passwordExpiresAt }: Credentials, now: number): boolean {
  return passwordExpiresAt !== null && passwordExpiresAt.getTime() <= now;
}
