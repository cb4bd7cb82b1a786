// Renews recovery codes without a session: the user proves themselves by address, password and a code of the second
// factor. The work, the responses and the locks are those of a sign-in (docs/adr/0010).
import type { Audit } from '#lib/audit/audit.ts';
import { principalOfBlob } from '#lib/auth/access-blob.ts';
import { wrongCode } from '#lib/auth/login-failures.ts';
import type { Database } from '#lib/db/database.ts';
import { conflict, ServiceError } from '#lib/errors.ts';
import type { SecondFactors } from '#lib/second-factor/second-factors.ts';
import type { Users } from '../users/service.ts';
import type { AccountThrottle } from './account-throttle.ts';
import { AccountChanged, type CredentialCheck, type SignInAttempt } from './credential-check.ts';

const RENEW = 'second-factor.renew-recovery-codes';

export interface OwnRecoveryCodes {
  /**
   * Ten new codes, which replace the remaining ones.
   * @throws ServiceError `authentication_failed`, `rate_limited`, `conflict` when the account has no second factor,
   * `password_change_required`, `unavailable`
   */
  renewOwnCodes(attempt: SignInAttempt & { readonly code: string }): Promise<readonly string[]>;
}

export interface OwnRecoveryCodesDeps {
  readonly database: Database;
  readonly users: Users;
  readonly throttle: AccountThrottle;
  readonly audit: Audit;
  readonly check: CredentialCheck;
  readonly secondFactors: SecondFactors;
}

export function createOwnRecoveryCodes(deps: OwnRecoveryCodesDeps): OwnRecoveryCodes {
  const { database, users, throttle, audit, check, secondFactors } = deps;
  return {
    async renewOwnCodes(attempt) {
      const { password, code, origin } = attempt;
      const account = await check.identify(attempt, RENEW);
      const { userGuid, email } = account;
      if (!account.hasSecondFactor) throw conflict('No second factor is set up');
      const proof = await check.prove(account, password);
      const codes = await database.transaction(async (tx) => {
        await throttle.lock(tx, email);
        // The user is locked from here on: password and second factor are still those that were verified.
        if (!(await users.recordPassword(tx, proof))) throw new AccountChanged();
        if (!(await secondFactors.useCode(tx, { userGuid, code, origin }))) {
          await check.recordWrongCode(tx, { account, origin });
          return undefined;
        }
        if (account.mustChangePassword) throw changeFirst();
        await throttle.recordSuccess(tx, email);
        const blob = await users.readAccessBlob(tx, userGuid, null);
        const principal = blob && principalOfBlob(blob);
        await audit.record(tx, { action: 'U', event: RENEW, principal, subjectGuid: userGuid, ...origin });
        return secondFactors.renewRecoveryCodes(tx, userGuid);
      });
      if (codes === undefined) throw wrongCode();
      return codes;
    },
  };
}

/** A temporary password permits nothing but its change (decision I13). */
function changeFirst(): ServiceError {
  return new ServiceError('password_change_required', 'The password must be changed first');
}
