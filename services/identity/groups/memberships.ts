// Memberships of a user: requests to join, approved memberships in phases, and appointment as admin.

import type { Transaction } from '#lib/db/database.ts';
import { conflict } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { ListRange } from '../list-page.ts';
import type { Revocations } from '../revocations/service.ts';
import type { DecisionMails } from '../shared/decisions/decision-mail.ts';
import type { Users } from '../users/service.ts';
import type { GroupCatalogue } from './catalogue.ts';
import * as store from './store.ts';

export interface Memberships {
  /** Creates approved memberships in the phases. @throws ServiceError `conflict` when a phase no longer exists */
  joinPhases(tx: Transaction, join: { userGuid: string; phases: readonly string[]; decidedBy: string }): Promise<void>;
  /** Makes the user an admin of the group; a missing or undecided membership is approved too. */
  appointAdmin(tx: Transaction, change: { userGuid: string; groupGuid: string; decidedBy: string }): Promise<void>;
  /** The caller's approved memberships. */
  ownGroups(actor: Actor, range: ListRange): Promise<store.OwnGroup[]>;
  countOwn(actor: Actor): Promise<number>;
  /** @throws ServiceError `not_found` for the group, `conflict` when a membership exists */
  requestMembership(actor: Actor, groupGuid: string): Promise<store.Membership>;
}

export interface MembershipDeps extends WriteDependencies {
  readonly users: Pick<Users, 'lock' | 'lockActor'>;
  readonly revocations: Revocations;
  readonly decisionMails: DecisionMails;
  readonly takeEffect: () => Promise<void>;
}

export function createMemberships(deps: MembershipDeps, catalogue: GroupCatalogue): Memberships {
  const { database, clock } = deps;
  return {
    async joinPhases(tx, { userGuid, phases, decidedBy }) {
      const at = new Date(clock.now());
      const decided = { status: 'approved', createdAt: at, decidedByGuid: decidedBy, decidedAt: at } as const;
      const found = await store.findPhases(tx, phases);
      const gone = phases.filter((phase) => !found.some((group) => group.name === phase));
      if (gone.length > 0) throw conflict(`There is no phase ${gone.join(', ')} any more`);
      for (const { group_guid } of found) {
        const membership = { membership_guid: newGuid(clock.now()), user_guid: userGuid, group_guid };
        await store.insertMembership(tx, { ...membership, ...decided });
      }
    },
    appointAdmin: (tx, change) =>
      store.appointAdmin(tx, { ...change, membershipGuid: newGuid(clock.now()), at: new Date(clock.now()) }),
    ownGroups: (actor, range) => store.listOwnGroups(database, actor.principal.id, range),
    countOwn: (actor) => store.countOwnGroups(database, actor.principal.id),
    requestMembership: (actor, groupGuid) => requestMembership({ ...deps, catalogue }, actor, groupGuid),
  };
}

async function requestMembership(
  deps: MembershipDeps & { catalogue: GroupCatalogue },
  actor: Actor,
  groupGuid: string,
): Promise<store.Membership> {
  const { database, clock, audit, users, revocations, catalogue, takeEffect } = deps;
  const { id } = actor.principal;
  const guids = { membership_guid: newGuid(clock.now()), user_guid: id, group_guid: groupGuid };
  const membership = { ...guids, status: 'pending' } as const;
  await database.transaction(async (tx) => {
    await users.lockActor(tx, actor);
    await catalogue.require(tx, groupGuid);
    const made = { createdAt: new Date(clock.now()), tenant: currentTenant() ?? null };
    const undecided = { ...made, decidedByGuid: null, decidedAt: null };
    const isNew = await store.insertMembership(tx, { ...membership, ...undecided });
    if (!isNew) throw conflict('You have a membership in this group already, decided or not');
    const entities = [`Group/${groupGuid}`];
    await audit.record(tx, { action: 'C', event: 'membership.request', entities, subjectGuid: id, ...actor });
    await revocations.userChanged(tx, id);
  });
  await takeEffect();
  return membership;
}
