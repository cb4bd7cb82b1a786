// Changes the password of a user without a session, who proves themselves by address and current password (decision
// I13). The work, the responses and the locks are those of a sign-in; a user with a second factor also sends a code.
import type { Audit } from '#lib/audit/audit.ts';
import { principalOfBlob } from '#lib/auth/access-blob.ts';
import { wrongCredentials } from '#lib/auth/login-failures.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Language } from '#lib/html/html.ts';
import type { SecondFactors } from '#lib/second-factor/second-factors.ts';
import type { Origin } from '../../actor.ts';
import type { Credentials } from '../../shared/credentials.ts';
import type { AccountMails } from '../../shared/mails/account-mails.ts';
import { type PasswordChange, requireFit, requireOther } from '../../shared/new-password.ts';
import type { PasswordRulesOf } from '../../shared/password-rules.ts';
import type { Users } from '../../users/service.ts';
import { PASSWORD_CHANGE } from '../account.ts';
import type { AccountThrottle } from '../account-throttle.ts';
import type { CredentialCheck } from '../credential-check.ts';

export interface OwnPasswordChange extends PasswordChange {
  readonly email: string;
  /** The code of the second factor. */
  readonly code?: string | undefined;
  readonly origin: Origin;
  /** Of the mail about it. */
  readonly language: Language;
}

export interface OwnPassword {
  /**
   * Changes the password and ends all of the user's sessions.
   * @throws ServiceError `invalid_request` for a password that breaks a rule, `authentication_failed` (with the error
   * at `code` when that is missing or wrong), `rate_limited`, `unavailable`
   */
  changeOwnPassword(change: OwnPasswordChange): Promise<void>;
}

export interface OwnPasswordDeps {
  readonly database: Database;
  readonly users: Users;
  readonly passwords: PasswordHasher;
  readonly passwordRules: PasswordRulesOf;
  readonly throttle: AccountThrottle;
  readonly audit: Audit;
  readonly check: CredentialCheck;
  readonly secondFactors: SecondFactors;
  readonly accountMails: Pick<AccountMails, 'passwordChanged'>;
  readonly endSessions: (tx: Transaction, userGuid: string) => Promise<unknown>;
  /** Makes committed revocations effective on this node. */
  readonly takeEffect: () => Promise<void>;
}

type Replacement = Pick<OwnPasswordChange, 'origin' | 'language'> & { readonly newHash: string };

export function createOwnPassword(deps: OwnPasswordDeps): OwnPassword {
  const { database, users, passwords, passwordRules, throttle, audit, check, secondFactors } = deps;
  const { accountMails, endSessions, takeEffect } = deps;

  /** Whether the code is right, or none is required; a wrong code is counted and recorded. */
  async function checkCode(tx: Transaction, account: Credentials, { code, origin }: OwnPasswordChange) {
    await throttle.lock(tx, account.email);
    if (!account.hasSecondFactor) return true;
    if (code === undefined) return false;
    if (await secondFactors.useCode(tx, { userGuid: account.userGuid, code, origin })) return true;
    await check.recordWrongCode(tx, { account, origin });
    return false;
  }

  async function replace(tx: Transaction, account: Credentials, change: Replacement) {
    const { userGuid, email, passwordHash: verifiedHash } = account;
    const { newHash, origin, language } = change;
    await throttle.recordSuccess(tx, email);
    if (!(await users.replacePassword(tx, { userGuid, verifiedHash, newHash }))) throw wrongCredentials();
    // The user is locked now: a second factor that was turned on since the password was verified requires its code.
    const isGuarded = (await secondFactors.read(tx, userGuid)) !== undefined;
    if (isGuarded && !account.hasSecondFactor) throw codeNeeded();
    const blob = await users.readAccessBlob(tx, userGuid, null);
    const principal = blob && principalOfBlob(blob);
    await audit.record(tx, { action: 'U', event: PASSWORD_CHANGE, principal, subjectGuid: userGuid, ...origin });
    await endSessions(tx, userGuid);
    await accountMails.passwordChanged(tx, email, language);
  }

  return {
    async changeOwnPassword(change) {
      const { email, current, next, origin } = change;
      requireFit(next);
      const account = await check.identify({ email, password: current, origin }, PASSWORD_CHANGE);
      requireOther(account, change);
      // Only a user who knows the password may learn which names the account has.
      const holder = await users.readPasswordHolder(account.userGuid);
      requireFit(next, holder && passwordRules(holder));
      const newHash = await passwords.hash(next);
      const isDone = await database.transaction(async (tx) => {
        if (!(await checkCode(tx, account, change))) return false;
        await replace(tx, account, { newHash, origin, language: change.language });
        return true;
      });
      if (!isDone) throw codeNeeded();
      await takeEffect();
    },
  };
}

function codeNeeded(): ServiceError {
  const message = 'The account asks for a code of its second factor';
  return new ServiceError('authentication_failed', message, { issues: [{ field: 'code', message }] });
}
