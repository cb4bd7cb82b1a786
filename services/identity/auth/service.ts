// Signing in and out (contract: identity, Auth), put together from its parts. What a sign-in changes, its token and its audit
// event commit together.
import { type Account, type AccountDeps, createAccount } from './account.ts';
import { type CredentialCheckDeps, createCredentialCheck } from './credential-check.ts';
import { createSignIn, type SignIn } from './sign-in.ts';
import { createTokenIssuer, type TokenIssuerDeps } from './token-issuer.ts';

export interface AuthService extends SignIn, Account {
  /** Forgets failures and codes that no longer matter. */
  sweep(): Promise<void>;
}

export type AuthDeps = CredentialCheckDeps & TokenIssuerDeps & Omit<AccountDeps, 'check'>;

export function createAuthService(deps: AuthDeps): AuthService {
  const check = createCredentialCheck(deps);
  const issue = createTokenIssuer(deps);
  return {
    ...createSignIn({ ...deps, check, issue }),
    ...createAccount({ ...deps, check }),
    sweep: deps.throttle.sweep,
  };
}
