// Signs in users at the engine whose address belongs to identity (docs/adr/0046), with the rules, locks and audit
// events of every sign-in. An unknown address costs the engine one password hash, as a known one costs identity.
import type { DelegatedSignInResponse } from '#clients/account-client.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Users } from '../users/service.ts';
import type { AccountThrottle } from './account-throttle.ts';
import type { SignIn, SignInRequest } from './sign-in.ts';
import type { SignedIn } from './token-issuer.ts';

export interface DelegatedSignIn {
  /**
   * @throws ServiceError `authentication_failed`, `rate_limited` (whether the address is known or not), `unavailable`
   */
  signIn(request: SignInRequest): Promise<DelegatedSignInResponse>;
  knownAmong(emails: readonly string[]): Promise<string[]>;
  /**
   * Counts the outcome for an address that is not identity's; does nothing for one that is.
   * @throws ServiceError `rate_limited` while it is locked
   */
  recordOutcome(email: string, outcome: 'success' | 'failure'): Promise<void>;
}

export interface DelegatedSignInDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: Users;
  readonly throttle: AccountThrottle;
  readonly signIn: SignIn['signIn'];
  readonly tokenTtlSeconds: number;
}

export function createDelegatedSignIn(deps: DelegatedSignInDeps): DelegatedSignIn {
  const { database, clock, users, throttle, signIn, tokenTtlSeconds } = deps;
  return {
    async signIn(request) {
      if ((await throttle.find(request.email)) === null) return { outcome: 'unknown_address' };
      // No token is issued before this moment, so none is valid longer than the one reported.
      const issuedAt = Math.floor(clock.now() / 1000);
      const outcome = await signIn(request);
      if (outcome.kind === 'code') return { outcome: 'second_factor_required' };
      if (outcome.kind !== 'direct')
        throw new ServiceError('internal_error', 'A sign-in without a redirect returned one');
      return signedInResponse(outcome.signedIn, new Date((issuedAt + tokenTtlSeconds) * 1000));
    },
    knownAmong: (emails) => users.emailsTakenAmong(emails),
    async recordOutcome(email, outcome) {
      await database.transaction(async (tx) => {
        if (await users.isEmailTaken(tx, email)) return;
        if (outcome === 'success') await throttle.recordSuccess(tx, email);
        else await throttle.recordFailure(tx, email);
      });
    },
  };
}

function signedInResponse(
  { token, userGuid, mustChangePassword, passwordChangeReason: reason, mustSetUpSecondFactor }: SignedIn,
  expiresAt: Date,
): DelegatedSignInResponse {
  return {
    outcome: 'signed_in',
    token,
    user_guid: userGuid,
    expires_at: expiresAt.toISOString(),
    ...(mustChangePassword ? { must_change_password: true } : {}),
    ...(reason === undefined ? {} : { password_change_reason: reason }),
    ...(mustSetUpSecondFactor ? { must_set_up_second_factor: true } : {}),
  };
}
