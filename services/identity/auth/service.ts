// Signing in and out and changing one's password (contract: identity, Auth; decisions I1–I3). What a sign-in changes, its token
// and its audit event commit together.
import { createHash, randomBytes } from 'node:crypto';
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { type AccessBlob, principalOfBlob } from '#lib/auth/access-blob.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { TokenClaims } from '#lib/auth/token-verifier.ts';
import type { Clock } from '#lib/clock.ts';
import { passwordFaults } from '#lib/config/password-policy.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Actor, Origin } from '../actor.ts';
import type { Revocations } from '../revocations/service.ts';
import type { SigningKeys } from '../signing-keys/service.ts';
import type { Credentials, Users } from '../users/service.ts';
import type { AccountThrottle } from './account-throttle.ts';
import * as store from './store.ts';

const CODE_BYTES = 32;
const CODE_LIFETIME_MS = 60_000;

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  readonly origin: Origin;
}

export interface SignedIn {
  readonly token: string;
  readonly userGuid: string;
  readonly mustChangePassword: boolean;
}

export interface AuthService {
  /** @throws ServiceError `authentication_failed`, `rate_limited`, `unavailable` */
  signIn(attempt: SignInAttempt): Promise<SignedIn>;
  /** A one-time code, bound to `next`, instead of the token. @throws as `signIn` */
  signInForCode(attempt: SignInAttempt & { readonly next: string }): Promise<string>;
  /** @throws ServiceError `authentication_failed` when the code is unknown, used, expired or made for another `next` */
  exchangeCode(exchange: { code: string; next: string; origin: Origin }): Promise<SignedIn>;
  /** Resolves when the token no longer counts on this node. */
  signOut(actor: Actor): Promise<void>;
  /** @throws ServiceError `invalid_request` for an unfit password, `authentication_failed`, `rate_limited` */
  changePassword(actor: Actor, passwords: { current: string; next: string }): Promise<void>;
  sweep(): Promise<void>;
}

export interface AuthDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly users: Users;
  readonly passwords: PasswordHasher;
  readonly keys: SigningKeys;
  readonly revocations: Revocations;
  readonly throttle: AccountThrottle;
  readonly audit: Audit;
  readonly tokenTtlSeconds: number;
  /** Makes committed revocations count on this node. */
  readonly takeEffect: () => Promise<void>;
}

export function createAuthService(deps: AuthDeps): AuthService {
  const { database, clock, users, passwords, throttle, audit, revocations } = deps;

  /** Counts and records the failure, then refuses. */
  async function refuse(email: string, entry: Omit<AuditEntry, 'action' | 'outcome'>): Promise<never> {
    await database.transaction(async (tx) => {
      await throttle.recordFailure(tx, email);
      await audit.record(tx, { ...entry, action: 'E', outcome: 'failure' });
    });
    throw wrongCredentials();
  }

  /** Verifies the password and runs `grant` in the transaction that records the sign-in. */
  async function authenticate<T>(
    attempt: SignInAttempt,
    grant: (tx: Transaction, account: Credentials) => Promise<T>,
  ): Promise<T> {
    await throttle.check(attempt.email);
    const account = await users.findCredentials(attempt.email);
    const isRight = await passwords.verify(account?.passwordHash, attempt.password);
    const isOutOfDate = (account?.passwordExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY) <= clock.now();
    if (account === null || !isRight || isOutOfDate) {
      const detail = account === null ? 'no such account' : 'wrong or outdated password';
      return refuse(attempt.email, { event: 'user.sign-in', principal: undefined, detail, ...attempt.origin });
    }
    const { userGuid, passwordHash } = account;
    const needsRehash = passwords.needsRehash(passwordHash);
    const newHash = needsRehash ? await passwords.hash(attempt.password) : passwordHash;
    return database.transaction(async (tx) => {
      await throttle.recordSuccess(tx, attempt.email);
      const isCurrent = await users.recordSignIn(tx, { userGuid, verifiedHash: passwordHash, newHash });
      if (!isCurrent) throw wrongCredentials();
      return grant(tx, account);
    });
  }

  async function issueToken(
    tx: Transaction,
    { userGuid, event, origin }: { userGuid: string; event: string; origin: Origin },
  ): Promise<SignedIn> {
    const tokenId = newGuid(clock.now());
    const blob = await users.readAccessBlob(tx, userGuid, tokenId);
    if (blob === undefined) throw wrongCredentials();
    const claims = claimsOf(blob, { tokenId, now: clock.now(), ttlSeconds: deps.tokenTtlSeconds });
    const token = await deps.keys.sign(claims);
    const times = { issuedAt: new Date(claims.issuedAt * 1000), expiresAt: new Date(claims.expiresAt * 1000) };
    await revocations.recordIssued(tx, { tokenId, userGuid, ...times });
    const principal = principalOfBlob(blob, tokenId);
    await audit.record(tx, { action: 'E', event, principal, ...origin });
    return { token, userGuid, mustChangePassword: principal.mustChangePassword };
  }

  async function signInForCode(attempt: SignInAttempt & { next: string }): Promise<string> {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const expiresAt = new Date(clock.now() + CODE_LIFETIME_MS);
    await authenticate(attempt, async (tx, { userGuid }) => {
      await store.insertCode(tx, { hash: hashOf(code), userGuid, next: attempt.next, expiresAt });
      const blob = await users.readAccessBlob(tx, userGuid, null);
      const principal = blob && principalOfBlob(blob);
      await audit.record(tx, {
        action: 'E',
        event: 'user.sign-in',
        principal,
        detail: 'for a code',
        ...attempt.origin,
      });
    });
    return code;
  }

  async function exchangeCode(exchange: { code: string; next: string; origin: Origin }): Promise<SignedIn> {
    // Taken out in a transaction of its own: a code that was presented wrongly is gone too.
    const code = await store.takeCode(database, hashOf(exchange.code));
    if (code === null || code.next !== exchange.next || code.expiresAt.getTime() <= clock.now()) {
      throw new ServiceError('authentication_failed', 'The code is unknown, used, expired or made for another address');
    }
    const { userGuid } = code;
    const { origin } = exchange;
    return database.transaction((tx) => issueToken(tx, { userGuid, event: 'user.exchange-code', origin }));
  }

  async function signOut(actor: Actor): Promise<void> {
    const { principal, ...origin } = actor;
    const { tokenId } = principal;
    if (tokenId === undefined) throw new ServiceError('unauthorized', 'Only a token can be signed out');
    await database.transaction(async (tx) => {
      await audit.record(tx, { action: 'E', event: 'user.sign-out', principal, ...origin });
      await revocations.revokeToken(tx, tokenId);
    });
    await deps.takeEffect();
  }

  async function changePassword(actor: Actor, wanted: { current: string; next: string }): Promise<void> {
    const { principal, ...origin } = actor;
    const faults = passwordFaults(wanted.next).map((fault) => `'new_password' ${fault}`);
    if (faults.length > 0) throw new ServiceError('invalid_request', faults.join('; '));
    const account = await users.readCredentials(principal.id);
    if (account === null) throw new ServiceError('unauthorized', 'The account is gone');
    const email = account.email;
    await throttle.check(email);
    if (!(await passwords.verify(account.passwordHash, wanted.current))) {
      return refuse(email, { event: 'user.change-password', principal, detail: 'wrong password', ...origin });
    }
    if (account.mustChangePassword && wanted.current === wanted.next) {
      throw new ServiceError('invalid_request', "'new_password' must differ from the temporary one");
    }
    const newHash = await passwords.hash(wanted.next);
    await database.transaction(async (tx) => {
      const change = { userGuid: principal.id, verifiedHash: account.passwordHash, newHash };
      if (!(await users.replacePassword(tx, change))) throw wrongCredentials();
      await store.deleteCodesOf(tx, principal.id);
      await audit.record(tx, { action: 'U', event: 'user.change-password', principal, ...origin });
      await revocations.userChanged(tx, principal.id);
      await revocations.revokeTokensOf(tx, principal.id, principal.tokenId);
    });
    await deps.takeEffect();
  }

  return {
    signIn: (attempt) =>
      authenticate(attempt, (tx, { userGuid }) =>
        issueToken(tx, { userGuid, event: 'user.sign-in', origin: attempt.origin }),
      ),
    signInForCode,
    exchangeCode,
    signOut,
    changePassword,
    sweep: throttle.sweep,
  };
}

function claimsOf(blob: AccessBlob, token: { tokenId: string; now: number; ttlSeconds: number }): TokenClaims {
  const issuedAt = Math.floor(token.now / 1000);
  return {
    userGuid: blob.user_guid,
    tokenId: token.tokenId,
    userType: blob.user_type,
    issuedAt,
    expiresAt: issuedAt + token.ttlSeconds,
  };
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

/** One answer for an unknown address and a wrong password. */
function wrongCredentials(): ServiceError {
  return new ServiceError('authentication_failed', 'The e-mail address or the password is wrong');
}
