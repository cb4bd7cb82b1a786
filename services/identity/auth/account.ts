// The account of the signed-in user: sign-out and change of password (contract: identity, Auth; decision I1).
import type { Audit } from '#lib/audit/audit.ts';
import { principalOfBlob } from '#lib/auth/access-blob.ts';
import { wrongCode, wrongCredentials } from '#lib/auth/login-failures.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { Language } from '#lib/html/html.ts';
import type { Actor, Origin } from '../actor.ts';
import type { BrowserSession, BrowserSessions } from '../browser-sessions/service.ts';
import type { KeptTokens, Revocations } from '../revocations/service.ts';
import type { Credentials } from '../shared/credentials.ts';
import type { AccountMails } from '../shared/mails/account-mails.ts';
import { type PasswordChange, requireFit, requireOther } from '../shared/new-password.ts';
import type { PasswordRulesOf } from '../shared/password-rules.ts';
import type { Users } from '../users/service.ts';
import type { AccountThrottle } from './account-throttle.ts';
import type { CredentialCheck } from './credential-check.ts';
import type { Challenges } from './second-step/challenges.ts';
import * as store from './store.ts';

export const PASSWORD_CHANGE = 'user.change-password';

export interface Account {
  /** Ends the token, and the browser session that it belongs to. Resolves when this node no longer accepts them. */
  signOut(actor: Actor): Promise<void>;
  /** Ends the browser session of this secret; nothing when there is none. Resolves as `signOut`. */
  signOutBrowser(secret: string, origin: Origin): Promise<void>;
  /**
   * Ends the browser session to which a token belongs that is valid no more; false when there is none. Resolves as
   * `signOut`.
   */
  signOutPast(tokenId: string, origin: Origin): Promise<boolean>;
  /** @throws ServiceError `invalid_request` for an unfit password, `authentication_failed`, `rate_limited` */
  changePassword(actor: Actor, change: PasswordChange, language: Language): Promise<void>;
  /**
   * Verifies the caller's own password and returns the account; a failure is recorded under `event`.
   * @throws ServiceError as `changePassword`
   */
  confirmPassword(actor: Actor, password: string, event: string): Promise<Credentials>;
  /**
   * Runs `verify` while the caller's guesses are locked. When `verify` returns undefined, the code was wrong, which is
   * counted and recorded.
   * @throws ServiceError `authentication_failed`, `rate_limited`, and what `verify` throws
   */
  checkOwnCode<T>(
    actor: Actor,
    event: string,
    verify: (tx: Transaction) => Promise<{ result: T } | undefined>,
  ): Promise<T>;
  /**
   * Ends the user's browser sessions, tokens, one-time codes and unfinished sign-ins, but what is to be kept. A token
   * that is kept without its session belongs to none from then on. Returns how many tokens. Call `takeEffect`
   * afterwards.
   */
  endSessions(tx: Transaction, userGuid: string, keep?: KeptTokens): Promise<number>;
  /** Ends the user's sign-ins that wait for the set-up of a second factor, after another set-up has begun. */
  endSetUps(tx: Transaction, userGuid: string): Promise<void>;
}

export interface AccountDeps {
  readonly database: Database;
  readonly users: Users;
  readonly passwords: PasswordHasher;
  readonly passwordRules: PasswordRulesOf;
  readonly throttle: AccountThrottle;
  readonly revocations: Revocations;
  readonly audit: Audit;
  readonly check: CredentialCheck;
  readonly challenges: Challenges;
  readonly browserSessions: BrowserSessions;
  readonly accountMails: Pick<AccountMails, 'passwordChanged'>;
  /** Makes committed revocations effective on this node. */
  readonly takeEffect: () => Promise<void>;
}

export function createAccount(deps: AccountDeps): Account {
  const { database, users, passwords, passwordRules, throttle, revocations, audit, check, challenges } = deps;
  const { browserSessions, accountMails, takeEffect } = deps;

  async function signOut({ principal, ...origin }: Actor): Promise<void> {
    const { tokenId } = principal;
    if (tokenId === undefined) throw new ServiceError('unauthorized', 'Only a token can be signed out');
    await database.transaction(async (tx) => {
      await browserSessions.endOfToken(tx, tokenId);
      await audit.record(tx, { action: 'E', event: 'user.sign-out', principal, subjectGuid: principal.id, ...origin });
      await revocations.revokeToken(tx, tokenId);
    });
    await takeEffect();
  }

  async function signOutPast(tokenId: string, origin: Origin): Promise<boolean> {
    const isEnded = await database.transaction(async (tx) => {
      const ended = await browserSessions.endOfToken(tx, tokenId);
      await recordEnd(tx, { ended, detail: 'by a token that is valid no more', origin });
      return ended !== undefined;
    });
    if (isEnded) await takeEffect();
    return isEnded;
  }

  async function recordEnd(
    tx: Transaction,
    { ended, detail, origin }: { ended: BrowserSession | undefined; detail: string; origin: Origin },
  ): Promise<void> {
    if (ended === undefined) return;
    const blob = await users.readAccessBlob(tx, ended.userGuid, null);
    const principal = blob && principalOfBlob(blob);
    const entry = { action: 'E', event: 'user.sign-out', principal, subjectGuid: ended.userGuid } as const;
    await audit.record(tx, { ...entry, detail, ...origin });
  }

  async function signOutBrowser(secret: string, origin: Origin): Promise<void> {
    await database.transaction(async (tx) => {
      const ended = await browserSessions.end(tx, secret);
      await recordEnd(tx, { ended, detail: 'browser session', origin });
    });
    await takeEffect();
  }

  async function readOwner(userGuid: string): Promise<Credentials> {
    const account = await users.readCredentials(userGuid);
    if (account === null) throw new ServiceError('unauthorized', 'The account is gone');
    return account;
  }

  /** Verifies the caller's own password and returns the account. */
  async function verifyOwner({ principal, ...origin }: Actor, password: string, event: string): Promise<Credentials> {
    const account = await readOwner(principal.id);
    await throttle.check(account.email);
    if (await check.verify(account, password)) {
      // Guesses that arrived at the same time may have locked the account meanwhile.
      await throttle.check(account.email);
      return account;
    }
    return check.refuse(account.email, {
      event,
      principal,
      subjectGuid: principal.id,
      detail: 'wrong or outdated password',
      ...origin,
    });
  }

  async function changePassword(actor: Actor, change: PasswordChange, language: Language): Promise<void> {
    const holder = await users.readPasswordHolder(actor.principal.id);
    requireFit(change.next, holder && passwordRules(holder));
    const account = await verifyOwner(actor, change.current, PASSWORD_CHANGE);
    requireOther(account, change);
    const { userGuid, passwordHash: verifiedHash } = account;
    const newHash = await passwords.hash(change.next);
    await database.transaction(async (tx) => {
      if (!(await users.replacePassword(tx, { userGuid, verifiedHash, newHash }))) throw wrongCredentials();
      await audit.record(tx, { action: 'U', event: PASSWORD_CHANGE, subjectGuid: userGuid, ...actor });
      await endSessions(tx, userGuid, { tokenId: actor.principal.tokenId });
      await accountMails.passwordChanged(tx, account.email, language);
    });
    await takeEffect();
  }

  async function checkOwnCode<T>(
    { principal, ...origin }: Actor,
    event: string,
    verify: (tx: Transaction) => Promise<{ result: T } | undefined>,
  ): Promise<T> {
    const { email } = await readOwner(principal.id);
    await throttle.check(email);
    const checked = await database.transaction(async (tx) => {
      await throttle.lock(tx, email);
      const outcome = await verify(tx);
      if (outcome !== undefined) return outcome;
      await throttle.recordFailure(tx, email);
      await audit.record(tx, {
        action: 'E',
        event,
        principal,
        subjectGuid: principal.id,
        outcome: 'failure',
        detail: 'wrong code',
        ...origin,
      });
      return undefined;
    });
    if (checked === undefined) throw wrongCode();
    return checked.result;
  }

  async function endSessions(tx: Transaction, userGuid: string, keep: KeptTokens = {}): Promise<number> {
    const sessions = await browserSessions.lockOf(tx, userGuid, keep.sessionGuid);
    await store.deleteCodesOf(tx, userGuid);
    await challenges.closeAllOf(tx, userGuid);
    await revocations.userChanged(tx, userGuid);
    const count = await revocations.revokeTokensOf(tx, userGuid, keep);
    await sessions.remove();
    return count;
  }

  return {
    signOut,
    signOutBrowser,
    signOutPast,
    changePassword,
    confirmPassword: verifyOwner,
    checkOwnCode,
    endSessions,
    endSetUps: challenges.closeSetUpsOf,
  };
}
