// Sign-in and sign-out (contract: identity, Auth), composed of their parts. A sign-in commits its changes, its token
// and its audit event together.
import type { Transaction } from '#lib/db/database.ts';
import type { BrowserSessions } from '../browser-sessions/service.ts';
import type { Clients } from '../clients/service.ts';
import { type Account, type AccountDeps, createAccount } from './account.ts';
import { type CredentialCheckDeps, createCredentialCheck } from './credential-check.ts';
import { createDelegatedSignIn, type DelegatedSignIn } from './delegated-sign-in.ts';
import { createGrant, type GrantDeps } from './grants.ts';
import { createOwnRecoveryCodes, type OwnRecoveryCodes } from './own-recovery-codes.ts';
import { createOwnPassword, type OwnPassword } from './passwords/own-password.ts';
import { createRefusals, type Refusals } from './refusals.ts';
import { createChallenges } from './second-step/challenges.ts';
import { createSecondStep, type SecondStep, type SecondStepDeps } from './second-step/second-step.ts';
import { createSignIn, type SignIn, type SignInDeps } from './sign-in.ts';
import { createSingleSignOn, type SingleSignOn, type SingleSignOnDeps } from './single-sign-on/single-sign-on.ts';
import { createTokenIssuer, type TokenIssuerDeps } from './token-issuer.ts';

export interface AuthService extends SignIn, SecondStep, SingleSignOn, Account, OwnPassword, OwnRecoveryCodes {
  readonly delegated: DelegatedSignIn;
  /** Records that the user was refused at the tenant of the current request. */
  readonly recordRefusal: Refusals['record'];
  /** Clears the failures and the lock of an account whose password has been replaced. */
  forgetFailures(tx: Transaction, email: string): Promise<void>;
  /** Deletes failures, codes and challenges that no longer matter. */
  sweep(): Promise<void>;
}

export type AuthDeps = CredentialCheckDeps & {
  readonly clients: Pick<Clients, 'lockAudience' | 'mustAsk'>;
  readonly browserSessions: BrowserSessions;
} & TokenIssuerDeps &
  Omit<AccountDeps, 'check' | 'challenges'> &
  Pick<SecondStepDeps, 'secondFactors' | 'mailer'> &
  Pick<GrantDeps & SingleSignOnDeps, 'memberships'> &
  Pick<SignInDeps, 'needsLongerPassword'>;

export function createAuthService(deps: AuthDeps): AuthService {
  const check = createCredentialCheck(deps);
  const tokens = createTokenIssuer(deps);
  const challenges = createChallenges(deps);
  const grant = createGrant({ ...deps, tokens });
  const account = createAccount({ ...deps, check, challenges });
  const { endSessions } = account;
  const steps = createSignIn({ ...deps, check, tokens, challenges, grant });
  const secondStep = createSecondStep({ ...deps, check, challenges, grant, endSessions });
  const singleSignOn = createSingleSignOn({ ...deps, grant });
  const { record: recordRefusal, recorded } = createRefusals(deps);
  const signIn = recorded(steps.signIn);
  return {
    signIn,
    signInAtPage: recorded(steps.signInAtPage),
    exchangeCode: recorded(steps.exchangeCode),
    recordRefusal,
    delegated: createDelegatedSignIn({ ...deps, signIn }),
    ...secondStep,
    submitCode: recorded(secondStep.submitCode),
    continueSignIn: recorded(secondStep.continueSignIn),
    ...singleSignOn,
    pass: recorded(singleSignOn.pass),
    ...account,
    ...createOwnPassword({ ...deps, check, endSessions }),
    ...createOwnRecoveryCodes({ ...deps, check }),
    forgetFailures: deps.throttle.forget,
    async sweep() {
      await deps.throttle.sweep();
      await challenges.sweep();
      await deps.secondFactors.sweep();
    },
  };
}
