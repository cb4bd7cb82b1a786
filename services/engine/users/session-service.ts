// Signing in and out at the engine, renewing a token, and changing the own password (contract: engine, "Authentication, users, API keys";
// decisions E8 and I2).
import type { AccountClient, DelegatedSignInAnswer } from '#clients/account-client.ts';
import type { Audit } from '#lib/audit/audit.ts';
import { emailKey } from '#lib/auth/email.ts';
import { accountOf, afterFailure, FAILURE_WINDOW_MS, refuseLocked } from '#lib/auth/failure-series.ts';
import { lockFailures, saveFailures } from '#lib/auth/failure-store.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Actor as AuditActor, Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { type Fault, ServiceError, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Unjudged } from '#lib/http/fitness.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Actor, Origin } from '../shared/actor.ts';
import type { AddressClaims } from './address-claims.ts';
import type { LiveSessions } from './live-sessions.ts';
import { readCode } from './one-time-code.ts';
import type { UserPasswordRules } from './password-rules.ts';
import type { Login, PasswordChange, Session, SignInAnswer } from './schema.ts';
import {
  type Credentials,
  clearFailures,
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
  readLock,
  recordSignIn,
  replacePassword,
  sweepSignIns,
} from './session-store.ts';
import type { SessionTokens } from './session-token.ts';
import { userEntity } from './user-entity.ts';

/** However often a session is renewed, after so long its user signs in again. */
const LONGEST_SESSION_MS = 30 * 86_400_000;

export interface SessionService {
  /**
   * Whoever identity knows the address of is signed in by identity, everybody else by the engine.
   * @throws ServiceError `authentication_failed`, `forbidden` for an account that is not active, `rate_limited`, `unavailable`,
   * `upstream_unavailable`
   */
  signIn(login: Login, origin: Origin): Promise<SignInAnswer>;
  /** Resolves when the token counts no more on this node. @throws ServiceError `forbidden` for a caller of another issuer */
  signOut(actor: Actor): Promise<void>;
  /** The caller's session, prolonged, and its token. @throws ServiceError `forbidden`, `unauthorized` when it ended meanwhile */
  renew(principal: Principal): Promise<Session>;
  /** What is wrong with the caller's new password in a body. */
  passwordFaults(fields: Unjudged, principal: Principal): Promise<Fault[]>;
  /**
   * Ends the user's other sessions. @throws ServiceError `forbidden` for another's password, `authentication_failed`, `validation_error`,
   * `rate_limited`
   */
  changePassword(actor: Actor, userGuid: string, change: PasswordChange): Promise<void>;
  /** Forgets sessions that have expired and failures of long ago. */
  sweep(): Promise<void>;
}

export interface SessionDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly passwords: PasswordHasher;
  readonly tokens: SessionTokens;
  readonly live: LiveSessions;
  readonly rules: UserPasswordRules;
  readonly claims: AddressClaims;
  readonly identityAccounts: AccountClient;
  readonly log: Logger;
  /** How long a token is valid. */
  readonly tokenTtlSeconds: number;
}

/** What somebody was found to know: the password, or the code of a reset. */
interface Proof {
  readonly credentials: Credentials;
  readonly isByCode: boolean;
}

export function createSessionService(deps: SessionDependencies): SessionService {
  const { database, clock, audit, tokens, live, claims, identityAccounts, tokenTtlSeconds } = deps;
  const check = createCredentialCheck(deps);

  function toSession(sessionGuid: string, userGuid: string, expiresAt: Date): Session {
    const seconds = Math.floor(expiresAt.getTime() / 1000);
    const issuedAt = Math.floor(clock.now() / 1000);
    const token = tokens.write({ sessionGuid, userGuid, issuedAt, expiresAt: seconds });
    return { token, user_guid: userGuid, expires_at: new Date(seconds * 1000).toISOString() };
  }

  async function openSession(tx: Transaction, { credentials, isByCode }: Proof): Promise<Session> {
    const at = new Date(clock.now());
    const sessionGuid = newGuid(clock.now());
    const userGuid = credentials.user_guid;
    const expiresAt = new Date(clock.now() + tokenTtlSeconds * 1000);
    const codeHash = isByCode ? (credentials.reset_hash ?? undefined) : undefined;
    await insertSession(tx, { sessionGuid, userGuid, mustChangePassword: isByCode, codeHash, at, expiresAt });
    return {
      ...toSession(sessionGuid, userGuid, expiresAt),
      ...(isByCode ? { must_change_password: true } : {}),
    };
  }

  return {
    async signIn({ email, password, code }, origin) {
      const found = await findByEmail(database, emailKey(email));
      const delegated = await identityAccounts.signIn({ email, password, code }, origin);
      if (delegated.outcome !== 'unknown_address') {
        if (found !== undefined) await claims.disable(found.user_guid);
        return answerOf(delegated);
      }
      const proof = await check.prove({ email, password, found }, origin);
      const newHash = await check.rehash(proof, password);
      const session = await database.transaction(async (tx) => {
        await check.confirm(tx, email, proof);
        const { isByCode, credentials } = proof;
        await recordSignIn(tx, credentials.user_guid, { isByCode, newHash, at: new Date(clock.now()) });
        const told = { principal: principalOf(credentials), entities: [userEntity(credentials.user_guid)] };
        await audit.record(tx, { action: 'E', event: 'engine-user.sign-in', ...told, ...origin });
        return openSession(tx, proof);
      });
      check.tellIdentity(email, 'success');
      return session;
    },
    async signOut(actor) {
      const { sessionGuid, userGuid } = ownSession(actor.principal);
      await database.transaction(async (tx) => {
        if (!(await deleteSession(tx, sessionGuid))) return;
        const entities = [userEntity(userGuid)];
        await audit.record(tx, { action: 'E', event: 'engine-user.sign-out', entities, ...actor });
      });
      live.forget();
    },
    async renew(principal) {
      const { sessionGuid, userGuid } = ownSession(principal);
      const now = new Date(clock.now());
      const until = new Date(clock.now() + tokenTtlSeconds * 1000);
      const end = await prolongSession(database, sessionGuid, { now, until, longestMs: LONGEST_SESSION_MS });
      if (end === undefined) throw new ServiceError('unauthorized', 'The session has ended');
      return toSession(sessionGuid, userGuid, end);
    },
    async passwordFaults({ new_password: next }, { kind, id }) {
      if (typeof next !== 'string') return [];
      const user = kind === 'engine_user' ? await findPasswordUser(database, id) : undefined;
      return deps.rules.faultsOf('new_password', next, user ?? {});
    },
    changePassword: createPasswordChange(deps, check),
    sweep: () => sweepSignIns(database, new Date(clock.now()), new Date(clock.now() - FAILURE_WINDOW_MS)),
  };
}

function createPasswordChange(
  { database, clock, audit, passwords, live }: SessionDependencies,
  check: CredentialCheck,
): SessionService['changePassword'] {
  return async (actor, id, { current_password: current, new_password: next }) => {
    const { sessionGuid, userGuid } = ownSession(actor.principal);
    if (id !== userGuid)
      throw new ServiceError('forbidden', 'A password is changed by its owner, and reset by an administrator');
    const { principal, ...origin } = actor;
    if (current === next) throw fieldFault('new_password', 'must differ from the current one');
    // The administrator knows it, and it was to sign in once.
    const code = await findSessionCode(database, sessionGuid);
    if (code !== undefined && readCode(next)?.equals(code) === true)
      throw fieldFault('new_password', 'must differ from the one-time code');
    const verified = principal.mustChangePassword ? undefined : await check.proveOwner(userGuid, current, origin);
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
    live.forget();
  };
}

interface Attempt {
  readonly email: string;
  readonly password: string;
  /** The account of the address, if there is one. */
  readonly found: Credentials | undefined;
}

interface CredentialCheck {
  /** What the caller knows; a failure is counted and recorded. @throws ServiceError as `signIn` */
  prove(attempt: Attempt, origin: Origin): Promise<Proof>;
  /** The account of a signed-in user who knows the password. @throws ServiceError as `changePassword` */
  proveOwner(userGuid: string, password: string | undefined, origin: Origin): Promise<Credentials>;
  /** A new hash where today's parameters are others. */
  rehash(proof: Proof, password: string): Promise<string | undefined>;
  /** How a sign-in ended at an address that is not identity's. */
  tellIdentity(email: string, outcome: 'success' | 'failure'): void;
  /** Holds the account and finds that what was proven still holds. @throws ServiceError as `signIn` */
  confirm(tx: Transaction, email: string, proof: Proof): Promise<void>;
}

function createCredentialCheck({
  database,
  clock,
  audit,
  passwords,
  identityAccounts,
  log,
}: SessionDependencies): CredentialCheck {
  async function judge({ email, password, found }: Attempt, origin: Origin): Promise<Proof> {
    refuseLocked(await readLock(database, accountOf(email)), clock.now());
    // As much work for an unknown address, a wrong password and a code: the time taken tells none of them from the others.
    const isPassword = await passwords.verify(found?.password_hash ?? undefined, password);
    const isByCode = !isPassword && found !== undefined && isCodeOf(found, readCode(password), clock.now());
    if (found !== undefined && (isPassword || isByCode)) return { credentials: found, isByCode };
    await database.transaction(async (tx) => {
      const now = clock.now();
      const known = await lockFailures(tx, accountOf(email), new Date(now));
      refuseLocked(known.locked_until, now);
      await saveFailures(tx, accountOf(email), afterFailure(known, now));
      await recordRefusal(tx, found, 'wrong address or password', origin);
    });
    tellIdentity(email, 'failure');
    throw wrongCredentials();
  }

  /**
   * Identity counts what it cannot see itself, or else its lock would tell its own addresses from the others. Nobody waits for it: the
   * time taken is the same.
   */
  function tellIdentity(email: string, outcome: 'success' | 'failure'): void {
    identityAccounts.recordOutcome(email, outcome).catch((error: unknown) => {
      log.warn({ event: 'engine.sign-in-not-counted', err: error });
    });
  }

  function recordRefusal(
    tx: Transaction,
    found: Credentials | undefined,
    detail: string,
    origin: Origin,
  ): Promise<void> {
    const entities = found === undefined ? [] : [userEntity(found.user_guid)];
    const told = { principal: undefined, outcome: 'failure', detail, entities } as const;
    return audit.record(tx, { action: 'E', event: 'engine-user.sign-in', ...told, ...origin });
  }

  return {
    tellIdentity,
    async prove(attempt, origin) {
      const proof = await judge(attempt, origin);
      const { status } = proof.credentials;
      if (status === 'active') return proof;
      await database.transaction((tx) => recordRefusal(tx, proof.credentials, `account is ${status}`, origin));
      throw notActive(status);
    },
    async proveOwner(userGuid, password, origin) {
      if (password === undefined) throw fieldFault('current_password', 'is required');
      const found = await findByGuid(database, userGuid);
      if (found === undefined) throw new ServiceError('unauthorized', 'The account is gone');
      const { credentials, isByCode } = await judge({ email: found.email, password, found }, origin);
      if (isByCode) throw wrongCredentials();
      return credentials;
    },
    async rehash({ credentials: { password_hash: hash }, isByCode }, password) {
      return isByCode || hash === null || !passwords.needsRehash(hash) ? undefined : passwords.hash(password);
    },
    async confirm(tx, email, { credentials, isByCode }) {
      refuseLocked(await clearFailures(tx, accountOf(email)), clock.now());
      const known = await lockCredentials(tx, credentials.user_guid);
      if (known === undefined) throw wrongCredentials();
      const isProven = isByCode
        ? isCodeOf(known, credentials.reset_hash ?? undefined, clock.now())
        : known.password_hash === credentials.password_hash;
      if (!isProven) throw wrongCredentials();
      if (known.status !== 'active') throw notActive(known.status);
    },
  };
}

function isCodeOf(
  { reset_hash: hash, reset_until: until }: Credentials,
  given: Buffer | undefined,
  now: number,
): boolean {
  return given !== undefined && hash !== null && until !== null && until.getTime() > now && hash.equals(given);
}

/** @throws ServiceError `forbidden` for whoever is not signed in at the engine itself */
function ownSession({ kind, id, tokenId }: Principal): { sessionGuid: string; userGuid: string } {
  if (kind === 'engine_user' && tokenId !== undefined) return { sessionGuid: tokenId, userGuid: id };
  throw new ServiceError(
    'forbidden',
    'Only a token of the engine can be used here; other tokens belong to their issuer',
  );
}

/** Who signs in, for the audit record. */
function principalOf({ user_guid: id, role }: Credentials): AuditActor {
  return { kind: 'engine_user', id, roles: new Set([role]) };
}

/** The answer of identity, as the engine gives it. */
function answerOf(delegated: Exclude<DelegatedSignInAnswer, { outcome: 'unknown_address' }>): SignInAnswer {
  if (delegated.outcome === 'second_factor_required') return { second_factor_required: true };
  const { outcome: _, ...session } = delegated;
  return session;
}

function notActive(status: string): ServiceError {
  const why = status === 'pending' ? 'awaits the approval of an administrator' : 'is disabled';
  return new ServiceError('forbidden', `The account ${why}`);
}

function wrongCredentials(): ServiceError {
  return new ServiceError('authentication_failed', 'The e-mail address or the password is wrong');
}

function fieldFault(field: string, message: string): ServiceError {
  return validationError([{ field, message: `'${field}' ${message}` }]);
}
