// Decisions on memberships, and who administers a group (contract: identity, Groups; decision I8).

import type { Queryable } from '#lib/db/database.ts';
import { conflict, notFound, ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { ListRange } from '../list-page.ts';
import { readAddressAndGroup } from '../shared/account-store.ts';
import type { MembershipDeps } from './memberships.ts';
import * as store from './store.ts';

export interface GroupDecisions {
  administers(db: Queryable, userGuid: string, groupGuid: string): Promise<boolean>;
  /** @throws ServiceError `forbidden` for a user who neither administers the group nor is an SU admin */
  requireAdministered(db: Queryable, actor: Actor, groupGuid: string): Promise<void>;
  /**
   * The memberships that the caller may decide. @throws ServiceError `forbidden` for a user who administers no group
   */
  pending(actor: Actor, range: ListRange): Promise<store.PendingMembership[]>;
  countPending(actor: Actor): Promise<number>;
  /** @throws ServiceError `not_found`, `forbidden`, `conflict` when it is decided already */
  decide(actor: Actor, decision: MembershipDecision): Promise<void>;
}

export interface MembershipDecision {
  readonly membershipGuid: string;
  readonly status: 'approved' | 'rejected';
  readonly reason?: string | undefined;
}

export function createGroupDecisions(deps: MembershipDeps): GroupDecisions {
  const { database, clock, audit, users, revocations, takeEffect, decisionMails } = deps;

  async function decide(actor: Actor, decision: MembershipDecision) {
    const { membershipGuid, status, reason } = decision;
    await database.transaction(async (tx) => {
      await users.lockActor(tx, actor);
      const membership = isGuid(membershipGuid) ? await store.lockMembership(tx, membershipGuid) : undefined;
      if (membership === undefined) throw notFound('Membership');
      await requireAdministered(tx, actor, membership.group_guid);
      if (membership.status !== 'pending') throw conflict(`The membership is ${membership.status} already`);
      const at = new Date(clock.now());
      await store.decideMembership(tx, { guid: membershipGuid, status, by: actor.principal.id, at });
      const touched = { entities: [`Group/${membership.group_guid}`], subjectGuid: membership.user_guid };
      await audit.record(tx, { action: 'U', event: `membership.${status}`, detail: reason, ...touched, ...actor });
      const to = await readAddressAndGroup(tx, membership.user_guid, membership.group_guid);
      if (to !== undefined) {
        const asked = { userGuid: membership.user_guid, tenant: await store.readTenant(tx, membershipGuid) };
        await decisionMails.queue(tx, { kind: 'membership', status, reason, ...asked, ...to });
      }
      await revocations.userChanged(tx, membership.user_guid);
    });
    await takeEffect();
  }

  /** Null: every group. */
  async function scopeOf(actor: Actor): Promise<string | null> {
    if (isSuAdmin(actor)) return null;
    if (await store.administersAny(database, actor.principal.id)) return actor.principal.id;
    throw new ServiceError('forbidden', 'You administer no group');
  }

  return {
    administers: store.administers,
    requireAdministered,
    async pending(actor, range) {
      const scope = await scopeOf(actor);
      await audit.recordRead({ action: 'R', event: 'memberships.list-pending', ...actor });
      return store.listPending(database, scope, range);
    },
    countPending: async (actor) => store.countPending(database, await scopeOf(actor)),
    decide,
  };
}

async function requireAdministered(db: Queryable, actor: Actor, groupGuid: string): Promise<void> {
  if (isSuAdmin(actor) || (await store.administers(db, actor.principal.id, groupGuid))) return;
  throw new ServiceError('forbidden', 'You do not administer this group');
}

function isSuAdmin(actor: Actor): boolean {
  return actor.principal.roles.has('admin');
}
