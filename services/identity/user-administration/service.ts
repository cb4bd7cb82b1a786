// SU admins delete users and promote professionals (contract: identity, Admin; decision I10). Changes to the set of SU
// admins run one at a time, so that one always remains.
import type { Transaction } from '#lib/db/database.ts';
import { conflict, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { AuthService } from '../auth/service.ts';
import type { BrowserSessions } from '../browser-sessions/service.ts';
import type { Revocations } from '../revocations/service.ts';
import * as store from './store.ts';

const PROMOTION = 'user.promote-su';

export interface UserAdministration {
  /** @throws ServiceError `not_found`, `conflict` for oneself and the last SU admin */
  remove(actor: Actor, userGuid: string): Promise<void>;
  /**
   * Blocks the account: it does not sign in, and its sessions end everywhere.
   * @throws ServiceError `not_found`, `conflict` for oneself, the last SU admin and a blocked user
   */
  block(actor: Actor, userGuid: string): Promise<void>;
  /** @throws ServiceError `not_found`, `conflict` for a user who is not blocked */
  unblock(actor: Actor, userGuid: string): Promise<void>;
  /**
   * @throws ServiceError `authentication_failed` (the caller's password is wrong), `not_found`, `validation_error` (not
   * a professional), `conflict` (SU admin already), in this order
   */
  promote(actor: Actor, promotion: { userGuid: string; password: string }): Promise<void>;
}

export interface UserAdministrationDeps extends WriteDependencies {
  readonly auth: Pick<AuthService, 'confirmPassword' | 'endSessions'>;
  readonly revocations: Revocations;
  readonly browserSessions: Pick<BrowserSessions, 'lockOf'>;
  readonly takeEffect: () => Promise<void>;
}

export function createUserAdministration(deps: UserAdministrationDeps): UserAdministration {
  const { database, audit, auth, clock, revocations, browserSessions, takeEffect } = deps;

  async function remove(actor: Actor, userGuid: string): Promise<void> {
    await database.transaction(async (tx) => {
      const admins = await store.lockSuAdmins(tx);
      const user = await requireUser(tx, userGuid);
      if (userGuid === actor.principal.id) throw conflict('You cannot delete yourself');
      if (isLast(admins, userGuid)) throw conflict('The last SU admin cannot be deleted');
      requireStillAdmin(actor, admins);
      await browserSessions.lockOf(tx, userGuid);
      await store.deleteUser(tx, userGuid);
      const patient = user.patientGuid === null ? {} : { patientGuid: user.patientGuid };
      await audit.record(tx, { action: 'D', event: 'user.delete', subjectGuid: userGuid, ...patient, ...actor });
      await revocations.revokeTokensOf(tx, userGuid);
      await revocations.userChanged(tx, userGuid);
    });
    await takeEffect();
  }

  async function promote(actor: Actor, { userGuid, password }: { userGuid: string; password: string }): Promise<void> {
    await auth.confirmPassword(actor, password, PROMOTION);
    await database.transaction(async (tx) => {
      requireStillAdmin(actor, await store.lockSuAdmins(tx));
      const user = await requireUser(tx, userGuid);
      if (user.userType !== 'professional') {
        throw validationError([{ field: 'user_guid', message: "'user_guid' must name a professional" }]);
      }
      if (user.isSuAdmin) throw conflict('The user is an SU admin already');
      await store.promote(tx, userGuid);
      await audit.record(tx, { action: 'U', event: PROMOTION, subjectGuid: userGuid, ...actor });
      await revocations.userChanged(tx, userGuid);
    });
    await takeEffect();
  }

  async function block(actor: Actor, userGuid: string): Promise<void> {
    await database.transaction(async (tx) => {
      const admins = await store.lockSuAdmins(tx);
      const user = await requireUser(tx, userGuid);
      if (userGuid === actor.principal.id) throw conflict('You cannot block yourself');
      if (user.isBlocked) throw conflict('The user is blocked already');
      if (isLast(admins, userGuid)) throw conflict('The last SU admin cannot be blocked');
      requireStillAdmin(actor, admins);
      await store.setBlocked(tx, userGuid, new Date(clock.now()));
      await record(tx, actor, { event: 'user.block', userGuid, user });
      await auth.endSessions(tx, userGuid);
    });
    await takeEffect();
  }

  async function unblock(actor: Actor, userGuid: string): Promise<void> {
    await database.transaction(async (tx) => {
      requireStillAdmin(actor, await store.lockSuAdmins(tx));
      const user = await requireUser(tx, userGuid);
      if (user.isMerged) throw conflict('The account is merged into another: undo the merge instead');
      if (!user.isBlocked) throw conflict('The user is not blocked');
      await store.setBlocked(tx, userGuid, null);
      await record(tx, actor, { event: 'user.unblock', userGuid, user });
      await revocations.userChanged(tx, userGuid);
    });
    await takeEffect();
  }

  function record(
    tx: Transaction,
    actor: Actor,
    { event, userGuid, user: { patientGuid } }: { event: string; userGuid: string; user: store.Target },
  ): Promise<void> {
    const patient = patientGuid === null ? {} : { patientGuid };
    return audit.record(tx, { action: 'U', event, subjectGuid: userGuid, ...patient, ...actor });
  }

  return { remove, promote, block, unblock };
}

async function requireUser(tx: Transaction, userGuid: string): Promise<store.Target> {
  const user = isGuid(userGuid) ? await store.lockUser(tx, userGuid) : null;
  if (user === null) throw notFound('User');
  return user;
}

/** Whether nobody would be left to administer. */
function isLast(admins: readonly string[], userGuid: string): boolean {
  return admins.length === 1 && admins[0] === userGuid;
}

/** Another SU admin may have deleted or blocked the caller while the request was on its way. */
function requireStillAdmin(actor: Actor, admins: readonly string[]): void {
  if (!admins.includes(actor.principal.id)) throw new ServiceError('unauthorized', 'Your account is gone');
}
