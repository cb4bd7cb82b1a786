// Sign-in: verifies the password, then the second factor if the user has one, then grants (contract: identity, Auth;
// decisions I2 and I13).
import { principalOfBlob } from '#lib/auth/access-blob.ts';
import { wrongCode } from '#lib/auth/login-failures.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { SecondFactors } from '#lib/second-factor/second-factors.ts';
import { type Credentials, changeReasonOf, type PasswordProof } from '../shared/credentials.ts';
import type { NeedsLongerPassword } from '../shared/password-rules.ts';
import type { Users } from '../users/service.ts';
import type { AccountThrottle } from './account-throttle.ts';
import { type CodeExchange, type CodeExchangeDeps, createCodeExchange } from './code-exchange.ts';
import { AccountChanged, type CredentialCheck, type SignInAttempt } from './credential-check.ts';
import { type Grant, type Granted, grantedToken, SIGN_IN, type SigningBrowser, withEffect } from './grants.ts';
import type { Challenges, CreatedChallenge, Handshake } from './second-step/challenges.ts';
import type { SignedIn } from './token-issuer.ts';

export interface SignInRequest extends SignInAttempt {
  /** The code of the second factor, sent along with the password. */
  readonly code?: string | undefined;
  readonly handshake?: Handshake | undefined;
  /** The browser of a sign-in at identity's own page. */
  readonly browser?: SigningBrowser | undefined;
}

/** `code`: a code is required; `set_up`: a second factor must be set up first. */
export type CodeRequired = CreatedChallenge & { readonly kind: 'code' };
export type SetUpRequired = CreatedChallenge & { readonly kind: 'set_up' };

export interface SignIn {
  /** @throws ServiceError `authentication_failed`, `rate_limited`, `unavailable` */
  signIn(request: SignInRequest): Promise<Granted | CodeRequired>;
  /**
   * The sign-in at identity's own page. A temporary password is changed and a second factor set up before anything is
   * granted.
   * @throws ServiceError as `signIn`, and `password_change_required`
   */
  signInAtPage(request: SignInRequest): Promise<Granted | CodeRequired | SetUpRequired>;
  /**
   * @throws ServiceError `authentication_failed` when the code is unknown, used, expired, issued for another `next` or
   * another client, or the verifier does not match
   */
  exchangeCode(exchange: CodeExchange): Promise<SignedIn>;
}

/** What both steps of a sign-in need. */
export interface StepDeps {
  readonly users: Users;
  readonly throttle: AccountThrottle;
  readonly secondFactors: SecondFactors;
  readonly challenges: Challenges;
  readonly check: CredentialCheck;
  readonly grant: Grant;
}

export interface SignInDeps extends CodeExchangeDeps, StepDeps {
  readonly needsLongerPassword: NeedsLongerPassword;
}

const CHALLENGED = 'user.sign-in-challenge';

/** An account whose password was verified. */
interface Checked {
  readonly account: Credentials;
  readonly proof: PasswordProof;
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { database, clock, users, audit, throttle, secondFactors, challenges, check, tokens, grant } = deps;

  /**
   * Verifies the password, and once more when the account has changed meanwhile: another sign-in may have renewed the
   * hash.
   */
  async function withAccount<T>(request: SignInRequest, signIn: (checked: Checked) => Promise<T>): Promise<T> {
    const attempt = async () => {
      const account = await demandLonger(await check.identify(request, 'user.sign-in'), request);
      return signIn({ account, proof: await check.prove(account, request.password) });
    };
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof AccountChanged)) throw error;
      return attempt();
    }
  }

  /**
   * Users whose password is shorter than the present minimum must choose a new one first. This holds from now on and on
   * every node.
   */
  async function demandLonger(account: Credentials, { password, origin }: SignInRequest): Promise<Credentials> {
    const { userGuid, passwordHash: verifiedHash, mustChangePassword } = account;
    if (mustChangePassword || !deps.needsLongerPassword(account, password)) return account;
    await database.transaction(async (tx) => {
      if (!(await users.requireNewPassword(tx, { userGuid, verifiedHash }))) throw new AccountChanged();
      const details = { principal: undefined, subjectGuid: userGuid, detail: 'shorter than is asked for' };
      await audit.record(tx, { action: 'U', event: 'user.demand-new-password', ...details, ...origin });
    });
    return { ...account, mustChangePassword: true };
  }

  /** Signs in users without a second factor. The usual outcome, a token, is recorded by one statement. */
  async function withPassword(checked: Checked, { handshake, origin }: SignInRequest): Promise<Granted> {
    const { account, proof } = checked;
    const { userGuid, email } = account;
    if (handshake?.mode === 'code') {
      return database.transaction(async (tx) => {
        await acceptPassword(tx, checked);
        return grant(tx, { userGuid, handshake, origin });
      });
    }
    const { signedIn, issued, entry } = await tokens.prepare(database, { userGuid, event: SIGN_IN, origin });
    const record = { proof: { ...proof, at: new Date(clock.now()) }, issued, audited: audit.valuesOf(entry) };
    if (!(await throttle.recordSignIn(email, record))) throw new AccountChanged();
    const reason = signedIn.mustChangePassword ? { passwordChangeReason: changeReasonOf(account) } : {};
    return grantedToken({ ...signedIn, ...reason }, handshake);
  }

  /** As `withPassword`, for the page. Undefined when the password must be changed first, which is then recorded. */
  async function atPage(tx: Transaction, checked: Checked, request: SignInRequest) {
    const { account } = checked;
    const { userGuid } = account;
    const { handshake, origin } = request;
    const browser = request.browser && { ...request.browser, hasSecondFactor: false };
    await acceptPassword(tx, checked);
    const blob = await users.readAccessBlob(tx, userGuid, null);
    if (account.mustChangePassword) {
      const principal = blob && principalOfBlob(blob);
      const detail = `${changeReasonOf(account) === 'temporary' ? 'temporary' : 'short'} password, to be changed first`;
      await audit.record(tx, { action: 'E', event: CHALLENGED, principal, subjectGuid: userGuid, detail, ...origin });
      return undefined;
    }
    if (blob?.must_set_up_second_factor !== true) return grant(tx, { userGuid, handshake, origin, browser });
    await secondFactors.begin(tx, account);
    await challenges.closeSetUpsOf(tx, userGuid);
    return { kind: 'set_up', ...(await challenge(tx, { userGuid, kind: 'set_up', request })) } as const;
  }

  async function acceptPassword(tx: Transaction, { account, proof }: Checked): Promise<void> {
    await throttle.recordSuccess(tx, account.email);
    if (!(await users.recordPassword(tx, proof))) throw new AccountChanged();
  }

  /** Signs in users with a second factor. Undefined when the code was wrong, which is then recorded. */
  async function withCode(tx: Transaction, { account, proof }: Checked, request: SignInRequest) {
    const { userGuid, email } = account;
    const { code, handshake, origin } = request;
    const browser = request.browser && { ...request.browser, hasSecondFactor: true };
    await throttle.lock(tx, email);
    if (!(await users.recordPassword(tx, proof))) throw new AccountChanged();
    if (code === undefined) {
      return { kind: 'code', ...(await challenge(tx, { userGuid, kind: 'code', request })) } as const;
    }
    if (!(await secondFactors.useCode(tx, { userGuid, code, origin }))) {
      await check.recordWrongCode(tx, { account, origin });
      return undefined;
    }
    await throttle.recordSuccess(tx, email);
    await users.recordSignIn(tx, userGuid);
    return grant(tx, { userGuid, handshake, origin, browser });
  }

  async function challenge(
    tx: Transaction,
    { userGuid, kind, request }: { userGuid: string; kind: 'code' | 'set_up'; request: SignInRequest },
  ): Promise<CreatedChallenge> {
    const touched = { subjectGuid: userGuid, detail: 'the password was right' };
    await audit.record(tx, { action: 'E', event: CHALLENGED, principal: undefined, ...touched, ...request.origin });
    return challenges.make(tx, { userGuid, kind, handshake: request.handshake });
  }

  async function codeFirst(checked: Checked, request: SignInRequest): Promise<Granted | CodeRequired> {
    const outcome = await database.transaction((tx) => withCode(tx, checked, request));
    if (outcome === undefined) throw wrongCode();
    return withEffect(outcome, deps.takeEffect);
  }

  return {
    signIn: (request) =>
      withAccount(request, async (checked) => {
        if (checked.account.hasSecondFactor) return codeFirst(checked, request);
        return withPassword(checked, request);
      }),

    signInAtPage: (request) =>
      withAccount(request, async (checked) => {
        if (checked.account.hasSecondFactor) return codeFirst(checked, request);
        const outcome = await database.transaction((tx) => atPage(tx, checked, request));
        if (outcome !== undefined) return withEffect(outcome, deps.takeEffect);
        const password_change_reason = changeReasonOf(checked.account);
        throw new ServiceError('password_change_required', 'The password must be changed first', {
          details: { password_change_reason },
        });
      }),

    exchangeCode: createCodeExchange(deps),
  };
}
