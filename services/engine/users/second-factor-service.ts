// The second factor of the engine's own users (docs/adr/0010, 0046). Users set up and remove their own, and an
// administrator removes that of a user who lost the device. Each change ends the user's other sessions.
import type { Audit } from '#lib/audit/audit.ts';
import { emailKey } from '#lib/auth/email.ts';
import { wrongCredentials } from '#lib/auth/login-failures.ts';
import type { Actor as AuditActor, Principal } from '#lib/auth/principal.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { conflict, notFound, validationError } from '#lib/errors.ts';
import type { SecondFactors } from '#lib/second-factor/second-factors.ts';
import type { Actor, Origin } from '../shared/actor.ts';
import { requireGuid } from '../shared/sql.ts';
import { type CredentialCheck, ownSession } from './credential-check.ts';
import type { LiveSessions } from './live-sessions.ts';
import type { UserPasswordRules } from './password-rules.ts';
import type { SecondFactorSetup, SecondFactorState } from './second-factor-schema.ts';
import { type Credentials, deleteSessionsOf, findByEmail, lockCredentials } from './session-store.ts';
import { userEntity } from './user-entity.ts';

export interface SecondFactorService {
  /** @throws ServiceError `forbidden` for a caller of another issuer, as everything below */
  read(principal: Principal): Promise<SecondFactorState>;
  /**
   * @throws ServiceError `authentication_failed`, `rate_limited`, `validation_error` where a code is needed to replace
   * one
   */
  begin(actor: Actor, proof: { password: string; code?: string | undefined }): Promise<SecondFactorSetup>;
  /**
   * Confirms the setup, and returns the recovery codes.
   * @throws ServiceError `authentication_failed`, `rate_limited`, `conflict` when nothing was begun
   */
  confirm(actor: Actor, code: string): Promise<readonly string[]>;
  /**
   * Replaces the remaining recovery codes.
   * @throws ServiceError `authentication_failed`, `rate_limited`, `conflict` when there is no factor
   */
  renewRecoveryCodes(actor: Actor, proof: { password: string; code: string }): Promise<readonly string[]>;
  /**
   * Replaces them for a user who is not signed in.
   * @throws ServiceError as above, and `forbidden` for an account that is not active
   */
  renewByPassword(proof: { email: string; password: string; code: string }, origin: Origin): Promise<readonly string[]>;
  /**
   * @throws ServiceError `authentication_failed`, `rate_limited`, `conflict` (none, or the password is too short to
   * stand alone)
   */
  disable(actor: Actor, proof: { password: string; code: string }): Promise<void>;
  /** Removes a user's second factor for an administrator. @throws ServiceError `not_found`, `conflict` for oneself */
  reset(actor: Actor, userGuid: string): Promise<void>;
}

export interface SecondFactorDependencies {
  readonly database: Database;
  readonly audit: Audit;
  readonly check: CredentialCheck;
  readonly secondFactors: SecondFactors;
  readonly rules: UserPasswordRules;
  readonly live: LiveSessions;
}

type AuditedBy = Origin & { readonly principal: AuditActor };

const RENEW = 'second-factor.renew-recovery-codes';

export function createSecondFactorService(deps: SecondFactorDependencies): SecondFactorService {
  const { database, audit, check, secondFactors, rules, live } = deps;

  async function begin(actor: Actor, { password, code }: { password: string; code?: string | undefined }) {
    const { userGuid } = ownSession(actor.principal);
    const { email, password_hash: verified } = await check.proveOwner(userGuid, password, actor);
    const setup = await check.checkCode(userGuid, actor, async (tx) => {
      await requireSame(tx, userGuid, verified);
      if ((await secondFactors.read(tx, userGuid)) !== undefined) {
        if (code === undefined) throw codeNeeded();
        if (!(await secondFactors.useCode(tx, { userGuid, code, origin: actor }))) return undefined;
      }
      await record(tx, actor, { action: 'E', event: 'second-factor.begin', userGuid });
      return { result: await secondFactors.begin(tx, { userGuid, email }) };
    });
    return { secret: setup.secret, otpauth_uri: setup.otpauthUri, expires_at: setup.expiresAt.toISOString() };
  }

  async function confirm(actor: Actor, code: string): Promise<readonly string[]> {
    const { userGuid, sessionGuid } = ownSession(actor.principal);
    const codes = await check.checkCode(userGuid, actor, async (tx) => {
      const outcome = await secondFactors.finish(tx, userGuid, code);
      if (outcome.kind === 'no_setup') throw conflict('No set-up waits for a code: begin one');
      if (outcome.kind === 'wrong_code') return undefined;
      const event = outcome.hasReplaced ? 'second-factor.replace' : 'second-factor.enable';
      await record(tx, actor, { action: 'U', event, userGuid });
      await deleteSessionsOf(tx, userGuid, sessionGuid);
      return { result: outcome.recoveryCodes };
    });
    live.clearCache();
    return codes;
  }

  /** Checks the password and then the code, and does the work in one transaction. */
  async function withBoth<T>(
    actor: Actor,
    { password, code }: { password: string; code: string },
    work: (tx: Transaction, userGuid: string) => Promise<T>,
  ): Promise<T> {
    const { userGuid } = ownSession(actor.principal);
    const credentials = await check.proveOwner(userGuid, password, actor);
    return withCode(credentials, { code, origin: actor }, (tx) => work(tx, userGuid));
  }

  /** The account with the verified password. */
  function withCode<T>(
    { user_guid: userGuid, password_hash: verified }: Credentials,
    { code, origin }: { code: string; origin: Origin },
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    return check.checkCode(userGuid, origin, async (tx) => {
      await requireSame(tx, userGuid, verified);
      if ((await secondFactors.read(tx, userGuid)) === undefined) throw conflict('No second factor is set up');
      const isRight = await secondFactors.useCode(tx, { userGuid, code, origin });
      return isRight ? { result: await work(tx) } : undefined;
    });
  }

  async function renewCodes(tx: Transaction, actor: AuditedBy, userGuid: string): Promise<readonly string[]> {
    await record(tx, actor, { action: 'U', event: RENEW, userGuid });
    return secondFactors.renewRecoveryCodes(tx, userGuid);
  }

  async function renewByPassword(
    { email, password, code }: { email: string; password: string; code: string },
    origin: Origin,
  ): Promise<readonly string[]> {
    const found = await findByEmail(database, emailKey(email));
    const { credentials, isByCode } = await check.prove({ email, password, found }, origin);
    // The one-time code of a reset does not count as a password.
    if (isByCode) throw wrongCredentials();
    const { user_guid: id, role } = credentials;
    const actor = { principal: { kind: 'engine_user', id, roles: new Set([role]) }, ...origin } as const;
    return withCode(credentials, { code, origin }, (tx) => renewCodes(tx, actor, id));
  }

  async function disable(actor: Actor, proof: { password: string; code: string }): Promise<void> {
    const { sessionGuid } = ownSession(actor.principal);
    await withBoth(actor, proof, async (tx, userGuid) => {
      // From now on only the password protects the account, so it must have the full length. Its owner has just proved
      // to know it.
      rules.requireLength(proof.password);
      await secondFactors.remove(tx, userGuid);
      await record(tx, actor, { action: 'D', event: 'second-factor.disable', userGuid });
      await deleteSessionsOf(tx, userGuid, sessionGuid);
    });
    live.clearCache();
  }

  async function reset(actor: Actor, id: string): Promise<void> {
    const userGuid = requireGuid(id, 'User');
    if (actor.principal.id === userGuid) throw conflict('You cannot take away your own second factor here');
    await database.transaction(async (tx) => {
      if ((await lockCredentials(tx, userGuid)) === undefined) throw notFound('User');
      if (!(await secondFactors.remove(tx, userGuid))) throw notFound('Second factor');
      await record(tx, actor, { action: 'D', event: 'second-factor.reset', userGuid });
      await deleteSessionsOf(tx, userGuid);
    });
    live.clearCache();
  }

  function record(
    tx: Transaction,
    actor: AuditedBy,
    { userGuid, ...what }: { action: 'E' | 'U' | 'D'; event: string; userGuid: string },
  ): Promise<void> {
    return audit.record(tx, { ...what, entities: [userEntity(userGuid)], ...actor });
  }

  return {
    async read(principal) {
      const { userGuid } = ownSession(principal);
      const factor = await secondFactors.read(database, userGuid);
      if (factor === undefined) return { enabled: false };
      const { since, recoveryCodesLeft } = factor;
      return { enabled: true, enabled_at: since.toISOString(), recovery_codes_left: recoveryCodesLeft };
    },
    begin,
    confirm,
    renewRecoveryCodes: (actor, proof) => withBoth(actor, proof, (tx, userGuid) => renewCodes(tx, actor, userGuid)),
    renewByPassword,
    disable,
    reset,
  };
}

/**
 * Checks, under the lock of the user, that the verified password has not changed.
 * @throws ServiceError `authentication_failed`
 */
async function requireSame(tx: Transaction, userGuid: string, verified: string | null): Promise<void> {
  const known = await lockCredentials(tx, userGuid);
  if (known === undefined || known.password_hash !== verified) throw wrongCredentials();
}

function codeNeeded() {
  return validationError([{ field: 'code', message: "'code' is required to replace the second factor" }]);
}
