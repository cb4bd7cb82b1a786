// The sessions of the engine. They have sign-in, sign-out, renewal of a token, and change of one's own password
// (contract: engine, "Authentication, users, API keys"; decisions E8 and I2).

import type { AccountClient, DelegatedSignInResponse } from '#clients/account-client.ts';
import { emailKey } from '#lib/auth/email.ts';
import { FAILURE_WINDOW_MS, wrongCode, wrongCredentials } from '#lib/auth/login-failures.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Actor as AuditActor, Principal } from '#lib/auth/principal.ts';
import { DAY_MS } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { type Issue, ServiceError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { BodyFields } from '#lib/http/body-check.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor, Origin } from '../shared/actor.ts';
import type { AddressClaims } from './address-claims.ts';
import { type CredentialCheck, fieldIssue, ownSession, type Proof } from './credential-check.ts';
import type { LiveSessions } from './live-sessions.ts';
import { readCode } from './one-time-code.ts';
import type { UserPasswordRules } from './password-rules.ts';
import type { Login, PasswordChange, Session, SignInResponse } from './schema.ts';
import {
  type Credentials,
  completeSession,
  deleteSession,
  deleteSessionsOf,
  findByEmail,
  findByGuid,
  findPasswordUser,
  findSessionCode,
  insertSession,
  lockCredentials,
  prolongSession,
  recordSignIn,
  replacePassword,
  sweepSignIns,
} from './session-store.ts';
import type { SessionTokens } from './session-token.ts';
import { userEntity } from './user-entity.ts';

/** The longest life of a session: after it the user must sign in again, however often it was renewed. */
const LONGEST_SESSION_MS = 30 * DAY_MS;

export interface SessionService {
  /**
   * Signs in by identity when identity knows the address, else by the engine.
   * @throws ServiceError `authentication_failed`, `forbidden` for an account that is not active, `rate_limited`,
   * `unavailable`, `upstream_unavailable`
   */
  signIn(login: Login, origin: Origin): Promise<SignInResponse>;
  /**
   * Ends the session. Resolves when this node no longer accepts the token.
   * @throws ServiceError `forbidden` for a caller of another issuer
   */
  signOut(actor: Actor): Promise<void>;
  /**
   * Extends the caller's session, and returns a new token.
   * @throws ServiceError `forbidden`, `unauthorized` when it ended meanwhile
   */
  renew(principal: Principal): Promise<Session>;
  /** Returns the issues of the caller's new password in a body. */
  passwordIssues(fields: BodyFields, principal: Principal): Promise<Issue[]>;
  /**
   * Changes the password, and ends the user's other sessions.
   * @throws ServiceError `forbidden` for another's password, `authentication_failed`, `validation_error`,
   * `rate_limited`
   */
  changePassword(actor: Actor, userGuid: string, change: PasswordChange): Promise<void>;
  /** Deletes expired sessions and old failures. */
  sweep(): Promise<void>;
}

export interface SessionDependencies extends WriteDependencies {
  readonly passwords: PasswordHasher;
  readonly identityAccounts: AccountClient;
  readonly check: CredentialCheck;
  readonly tokens: SessionTokens;
  readonly live: LiveSessions;
  readonly rules: UserPasswordRules;
  readonly claims: AddressClaims;
  /** How long a token is valid. */
  readonly tokenTtlSeconds: number;
}

export function createSessionService(deps: SessionDependencies): SessionService {
  const { database, clock, audit, tokens, live, claims, check, identityAccounts, tokenTtlSeconds } = deps;

  function toSession(sessionGuid: string, userGuid: string, expiresAt: Date): Session {
    const seconds = Math.floor(expiresAt.getTime() / 1000);
    const issuedAt = Math.floor(clock.now() / 1000);
    const token = tokens.write({ sessionGuid, userGuid, issuedAt, expiresAt: seconds });
    return { token, user_guid: userGuid, expires_at: new Date(seconds * 1000).toISOString() };
  }

  async function openSession(tx: Transaction, { credentials, isByCode }: Proof, password: string): Promise<Session> {
    const at = new Date(clock.now());
    const sessionGuid = newGuid(clock.now());
    const userGuid = credentials.user_guid;
    const expiresAt = new Date(clock.now() + tokenTtlSeconds * 1000);
    const codeHash = isByCode ? (credentials.reset_hash ?? undefined) : undefined;
    const isTooShort = !isByCode && !credentials.has_second_factor && deps.rules.isOutgrown(password);
    const mustChangePassword = isByCode || isTooShort;
    await insertSession(tx, { sessionGuid, userGuid, mustChangePassword, codeHash, at, expiresAt });
    const reason = isTooShort ? 'too_short' : 'temporary';
    return {
      ...toSession(sessionGuid, userGuid, expiresAt),
      ...(mustChangePassword ? { must_change_password: true, password_change_reason: reason } : {}),
    };
  }

  return {
    async signIn({ email, password, code }, origin) {
      const found = await findByEmail(database, emailKey(email));
      const delegated = await identityAccounts.signIn({ email, password, code }, origin);
      if (delegated.outcome !== 'unknown_address') {
        if (found !== undefined) await claims.disable(found.user_guid);
        return toSignInResponse(delegated);
      }
      const proof = await check.prove({ email, password, found }, origin);
      const newHash = await check.rehash(proof, password);
      const session = await database.transaction(async (tx) => {
        const confirmation = await check.confirm(tx, proof, { email, code, origin });
        if (confirmation !== 'confirmed') return confirmation;
        const { isByCode, credentials } = proof;
        await recordSignIn(tx, credentials.user_guid, { isByCode, newHash, at: new Date(clock.now()) });
        const entry = { principal: principalOf(credentials), entities: [userEntity(credentials.user_guid)] };
        await audit.record(tx, { action: 'E', event: 'engine-user.sign-in', ...entry, ...origin });
        return openSession(tx, proof, password);
      });
      if (session === 'code_required') return { second_factor_required: true };
      check.reportToIdentity(email, session === 'wrong_code' ? 'failure' : 'success');
      if (session === 'wrong_code') throw wrongCode();
      return session;
    },
    async signOut(actor) {
      const { sessionGuid, userGuid } = ownSession(actor.principal);
      await database.transaction(async (tx) => {
        if (!(await deleteSession(tx, sessionGuid))) return;
        const entities = [userEntity(userGuid)];
        await audit.record(tx, { action: 'E', event: 'engine-user.sign-out', entities, ...actor });
      });
      live.clearCache();
    },
    async renew(principal) {
      const { sessionGuid, userGuid } = ownSession(principal);
      const now = new Date(clock.now());
      const until = new Date(clock.now() + tokenTtlSeconds * 1000);
      const end = await prolongSession(database, sessionGuid, { now, until, longestMs: LONGEST_SESSION_MS });
      if (end === undefined) throw new ServiceError('unauthorized', 'The session has ended');
      return toSession(sessionGuid, userGuid, end);
    },
    async passwordIssues({ new_password: next }, { kind, id }) {
      if (typeof next !== 'string') return [];
      const user = kind === 'engine_user' ? await findPasswordUser(database, id) : undefined;
      return deps.rules.issuesOf('new_password', next, user ?? {});
    },
    changePassword: createPasswordChange(deps),
    sweep: () => sweepSignIns(database, new Date(clock.now()), new Date(clock.now() - FAILURE_WINDOW_MS)),
  };
}

function createPasswordChange({
  database,
  clock,
  audit,
  passwords,
  live,
  check,
}: SessionDependencies): SessionService['changePassword'] {
  return async (actor, id, { current_password: current, new_password: next }) => {
    const { sessionGuid, userGuid } = ownSession(actor.principal);
    if (id !== userGuid)
      throw new ServiceError('forbidden', 'A password is changed by its owner, and reset by an administrator');
    const { principal, ...origin } = actor;
    if (current === next) throw fieldIssue('new_password', 'must differ from the current one');
    // The administrator knows the one-time code, and it is valid for one sign-in only.
    const code = await findSessionCode(database, sessionGuid);
    if (code !== undefined && readCode(next)?.equals(code) === true)
      throw fieldIssue('new_password', 'must differ from the one-time code');
    // A user who signed in by a one-time code has no other password.
    const isByCode = principal.mustChangePassword && (await findByGuid(database, userGuid))?.password_hash === null;
    const verified = isByCode ? undefined : await check.proveOwner(userGuid, current, origin);
    const hash = await passwords.hash(next);
    await database.transaction(async (tx) => {
      const known = await lockCredentials(tx, userGuid);
      const isSame = verified === undefined || known?.password_hash === verified.password_hash;
      if (known === undefined || !isSame) throw wrongCredentials();
      const at = new Date(clock.now());
      await replacePassword(tx, userGuid, hash, at);
      await deleteSessionsOf(tx, userGuid, sessionGuid);
      await completeSession(tx, sessionGuid);
      const entities = [userEntity(userGuid)];
      await audit.record(tx, { action: 'U', event: 'engine-user.change-password', entities, ...actor });
    });
    live.clearCache();
  };
}

/** Returns the principal of a sign-in for the audit record. */
function principalOf({ user_guid: id, role }: Credentials): AuditActor {
  return { kind: 'engine_user', id, roles: new Set([role]) };
}

/** Returns identity's response in the engine's form. */
function toSignInResponse(delegated: Exclude<DelegatedSignInResponse, { outcome: 'unknown_address' }>): SignInResponse {
  if (delegated.outcome === 'second_factor_required') return { second_factor_required: true };
  const { outcome: _, ...session } = delegated;
  return session;
}
