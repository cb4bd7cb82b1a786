// Management of second factors. Professionals set up, change and disable their own with their password and a code. An
// SU admin resets another user's after the loss of the device. Each change ends the user's other sessions and is
// audited (decision G9).
import type { Audit } from '#lib/audit/audit.ts';
import { isSameSecret } from '#lib/crypto/secret.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { conflict, notFound, type ServiceError, validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { Mailer } from '#lib/mail/mailer.ts';
import { isLongEnough, type PasswordRules } from '#lib/passwords/policy.ts';
import type { FinishedSetup, SecondFactors, Setup } from '#lib/second-factor/second-factors.ts';
import type { Actor } from '../actor.ts';
import type { AuthService } from '../auth/service.ts';
import { readAddress } from '../shared/account-store.ts';
import { type FactorChange, queueFactorMail } from '../shared/mails/factor-mail.ts';
import type { PasswordRulesOf } from '../shared/password-rules.ts';
import type { SecondFactorRule, Users } from '../users/service.ts';
import * as store from './store.ts';

export interface SecondFactorState {
  readonly since: Date | undefined;
  readonly recoveryCodesLeft: number;
  /** Whether the user is required to have one. */
  readonly isRequired: boolean;
}

/** The user's own password and, if they have a second factor, a code of it. */
export interface OwnProof {
  readonly password: string;
  readonly code?: string | undefined;
}

export interface SecondFactorManagement {
  read(actor: Actor): Promise<SecondFactorState>;
  /**
   * @throws ServiceError `authentication_failed`, `rate_limited`, `validation_error` (a code is needed to replace one)
   */
  begin(actor: Actor, proof: OwnProof): Promise<Setup>;
  /**
   * The secret that waits for its first code, to show it once more to who has seen it. Undefined when another one
   * waits, or none: a session alone does not learn the secret.
   */
  readSetup(actor: Actor, seen: string): Promise<Setup | undefined>;
  /**
   * Turns it on, or replaces the one that was in force until now.
   * @throws ServiceError `authentication_failed`, `rate_limited`, `conflict` (no set-up waits)
   */
  confirm(actor: Actor, code: string): Promise<FinishedSetup>;
  /** @throws ServiceError `authentication_failed`, `rate_limited`, `conflict` (there is none) */
  renewRecoveryCodes(actor: Actor, proof: Required<OwnProof>): Promise<readonly string[]>;
  /**
   * @throws ServiceError `authentication_failed`, `rate_limited`, `conflict` (there is none, it is required, or the
   * password is too short to stand alone)
   */
  disable(actor: Actor, proof: Required<OwnProof>): Promise<void>;
  /**
   * Removes the second factor of a user who lost the device. @throws ServiceError `not_found`, `conflict` for oneself
   */
  reset(actor: Actor, userGuid: string): Promise<void>;
}

export interface SecondFactorManagementDeps {
  readonly database: Database;
  readonly audit: Audit;
  readonly secondFactors: SecondFactors;
  readonly auth: Pick<AuthService, 'confirmPassword' | 'endSessions' | 'endSetUps' | 'checkOwnCode'>;
  readonly secondFactorRule: SecondFactorRule;
  readonly users: Users;
  readonly passwordRules: PasswordRulesOf;
  readonly takeEffect: () => Promise<void>;
  /** Undefined without a mail server. */
  readonly mailer: Mailer | undefined;
}

const BEGIN = 'second-factor.begin';
const ENABLE = 'second-factor.enable';
const REPLACE = 'second-factor.replace';
const DISABLE = 'second-factor.disable';
const RENEW = 'second-factor.renew-recovery-codes';

export function createSecondFactorManagement(deps: SecondFactorManagementDeps): SecondFactorManagement {
  const { database, audit, secondFactors, auth, users, passwordRules, secondFactorRule, takeEffect, mailer } = deps;
  const isRequiredOf = (isSuAdmin: boolean) => secondFactorRule === 'su-admins' && isSuAdmin;

  async function mailOwner(tx: Transaction, userGuid: string, change: FactorChange): Promise<void> {
    if (mailer === undefined) return;
    const email = await readAddress(tx, userGuid);
    if (email !== undefined) await queueFactorMail(tx, mailer, { change, email });
  }

  /** Verifies the password, then the code, and runs the work in the transaction that takes the code. */
  async function withBoth<T>(
    { actor, proof, event }: { actor: Actor; proof: OwnProof; event: string },
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    await auth.confirmPassword(actor, proof.password, event);
    return auth.checkOwnCode(actor, event, async (tx) => {
      const userGuid = actor.principal.id;
      if ((await secondFactors.read(tx, userGuid)) === undefined) throw conflict('No second factor is set up');
      const isRight = await secondFactors.useCode(tx, { userGuid, code: proof.code ?? '', origin: actor });
      return isRight ? { result: await work(tx) } : undefined;
    });
  }

  async function begin(actor: Actor, proof: OwnProof): Promise<Setup> {
    const userGuid = actor.principal.id;
    const account = await auth.confirmPassword(actor, proof.password, BEGIN);
    return auth.checkOwnCode(actor, BEGIN, async (tx) => {
      if ((await secondFactors.read(tx, userGuid)) !== undefined) {
        if (proof.code === undefined) throw codeNeeded();
        if (!(await secondFactors.useCode(tx, { userGuid, code: proof.code, origin: actor }))) return undefined;
      }
      await audit.record(tx, { action: 'E', event: BEGIN, subjectGuid: userGuid, ...actor });
      const setup = await secondFactors.begin(tx, account);
      await auth.endSetUps(tx, userGuid);
      return { result: setup };
    });
  }

  async function confirm(actor: Actor, code: string): Promise<FinishedSetup> {
    const userGuid = actor.principal.id;
    const attempted = (await secondFactors.read(database, userGuid)) === undefined ? ENABLE : REPLACE;
    const finished = await auth.checkOwnCode(actor, attempted, async (tx) => {
      const outcome = await secondFactors.finish(tx, userGuid, code);
      if (outcome.kind === 'no_setup') throw conflict('No set-up waits for a code: begin one');
      if (outcome.kind === 'wrong_code') return undefined;
      const [event, change] = outcome.hasReplaced ? ([REPLACE, 'replaced'] as const) : ([ENABLE, 'on'] as const);
      await audit.record(tx, { action: 'U', event, subjectGuid: userGuid, ...actor });
      await auth.endSessions(tx, userGuid, { tokenId: actor.principal.tokenId });
      await mailOwner(tx, userGuid, change);
      return { result: outcome };
    });
    await takeEffect();
    return finished;
  }

  async function disable(actor: Actor, proof: Required<OwnProof>): Promise<void> {
    const userGuid = actor.principal.id;
    const holder = await users.readPasswordHolder(userGuid);
    await withBoth({ actor, proof, event: DISABLE }, async (tx) => {
      // From now on the password stands alone. Its issues may be reported, since the user has just proved to know it.
      if (holder !== undefined) requireLength(proof.password, passwordRules({ ...holder, hasSecondFactor: false }));
      const user = await store.lockUser(tx, userGuid);
      if (isRequiredOf(user?.isSuAdmin === true)) throw conflict('SU admins must have a second factor here');
      await secondFactors.remove(tx, userGuid);
      await audit.record(tx, { action: 'D', event: DISABLE, subjectGuid: userGuid, ...actor });
      await auth.endSessions(tx, userGuid, { tokenId: actor.principal.tokenId });
      await mailOwner(tx, userGuid, 'off');
    });
    await takeEffect();
  }

  async function reset(actor: Actor, userGuid: string): Promise<void> {
    if (userGuid === actor.principal.id) throw conflict('You cannot take away your own second factor here');
    await database.transaction(async (tx) => {
      const user = isGuid(userGuid) ? await store.lockUser(tx, userGuid) : null;
      if (user === null) throw notFound('User');
      if (!(await secondFactors.remove(tx, userGuid))) throw notFound('Second factor');
      await audit.record(tx, { action: 'D', event: 'second-factor.reset', subjectGuid: userGuid, ...actor });
      await auth.endSessions(tx, userGuid);
      await mailOwner(tx, userGuid, 'reset');
    });
    await takeEffect();
  }

  return {
    async read(actor) {
      const factor = await secondFactors.read(database, actor.principal.id);
      const isRequired = isRequiredOf(actor.principal.roles.has('admin'));
      return { since: factor?.since, recoveryCodesLeft: factor?.recoveryCodesLeft ?? 0, isRequired };
    },
    async readSetup(actor, seen) {
      const account = await users.readCredentials(actor.principal.id);
      const setup = account === null ? undefined : await secondFactors.readSetup(database, account);
      return setup !== undefined && isSameSecret(setup.secret, seen) ? setup : undefined;
    },
    begin,
    confirm,
    renewRecoveryCodes: (actor, proof) =>
      withBoth({ actor, proof, event: RENEW }, async (tx) => {
        await audit.record(tx, { action: 'U', event: RENEW, subjectGuid: actor.principal.id, ...actor });
        return secondFactors.renewRecoveryCodes(tx, actor.principal.id);
      }),
    disable,
    reset,
  };
}

/** @throws ServiceError `conflict` */
function requireLength(password: string, rules: PasswordRules): void {
  if (isLongEnough(password, rules)) return;
  const length = `at least ${rules.minLength} characters`;
  throw conflict(`Without a second factor the password must have ${length}: choose a longer one first`);
}

function codeNeeded(): ServiceError {
  return validationError([{ field: 'code', message: "'code' is required to replace the second factor" }]);
}
