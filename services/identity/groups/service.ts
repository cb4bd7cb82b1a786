// Groups and memberships (contract: identity, Groups; decisions I5 and I8): who is in which group, who decides, and the phase
// memberships that an approved access request brings.
import type { Audit } from '#lib/audit/audit.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { conflict, notFound, ServiceError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { ListRange } from '../list-page.ts';
import type { Revocations } from '../revocations/service.ts';
import * as store from './store.ts';

export type { Membership } from './store.ts';

export interface Groups {
  catalogue(range: ListRange): Promise<store.Group[]>;
  countAll(): Promise<number>;
  leaders(range: ListRange): Promise<store.Leader[]>;
  countLeaders(): Promise<number>;
  isLeader(db: Queryable, userGuid: string): Promise<boolean>;
  /** Those of the names that are no phase. */
  unknownPhases(db: Queryable, names: readonly string[]): Promise<string[]>;
  /** @throws ServiceError `not_found` */
  require(db: Queryable, groupGuid: string): Promise<void>;
  administers(db: Queryable, userGuid: string, groupGuid: string): Promise<boolean>;
  /** @throws ServiceError `forbidden` for one who neither administers the group nor is an SU admin */
  requireAdministered(db: Queryable, actor: Actor, groupGuid: string): Promise<void>;
  /** Makes the user an admin of the group; a missing or undecided membership is approved with it. */
  makeAdmin(tx: Transaction, change: { userGuid: string; groupGuid: string; decidedBy: string }): Promise<void>;
  /** Approved memberships in the phases. */
  joinPhases(tx: Transaction, join: { userGuid: string; phases: readonly string[]; decidedBy: string }): Promise<void>;
  /** The caller's approved memberships. */
  ownGroups(actor: Actor, range: ListRange): Promise<store.OwnGroup[]>;
  countOwn(actor: Actor): Promise<number>;
  /** @throws ServiceError `not_found` for the group, `conflict` when a membership exists */
  requestMembership(actor: Actor, groupGuid: string): Promise<store.Membership>;
  /** Those the caller may decide. @throws ServiceError `forbidden` for one who administers no group */
  pending(actor: Actor, range: ListRange): Promise<store.PendingMembership[]>;
  countPending(actor: Actor): Promise<number>;
  /** @throws ServiceError `not_found`, `forbidden`, `conflict` when it is decided already */
  decide(actor: Actor, decision: { membershipGuid: string; status: 'approved' | 'rejected' }): Promise<void>;
}

export interface GroupDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly revocations: Revocations;
  readonly takeEffect: () => Promise<void>;
}

export function createGroups(deps: GroupDeps): Groups {
  const { database, clock, audit } = deps;

  async function requireGroup(db: Queryable, groupGuid: string): Promise<void> {
    if (!isGuid(groupGuid) || !(await store.groupExists(db, groupGuid))) throw notFound('Group');
  }

  async function requireAdministered(db: Queryable, actor: Actor, groupGuid: string): Promise<void> {
    const mayDecide = isSuAdmin(actor) || (await store.administers(db, actor.principal.id, groupGuid));
    if (!mayDecide) throw new ServiceError('forbidden', 'You do not administer this group');
  }

  async function joinPhases(
    tx: Transaction,
    { userGuid, phases, decidedBy }: { userGuid: string; phases: readonly string[]; decidedBy: string },
  ): Promise<void> {
    const now = new Date(clock.now());
    for (const group of await store.findPhases(tx, phases)) {
      await store.insertMembership(tx, {
        membership_guid: newGuid(clock.now()),
        user_guid: userGuid,
        group_guid: group.group_guid,
        status: 'approved',
        createdAt: now,
        decidedByGuid: decidedBy,
        decidedAt: now,
      });
    }
  }

  async function requestMembership(actor: Actor, groupGuid: string): Promise<store.Membership> {
    const membership = {
      membership_guid: newGuid(clock.now()),
      user_guid: actor.principal.id,
      group_guid: groupGuid,
      status: 'pending' as const,
    };
    const undecided = { createdAt: new Date(clock.now()), decidedByGuid: null, decidedAt: null };
    await database.transaction(async (tx) => {
      await requireGroup(tx, groupGuid);
      const isNew = await store.insertMembership(tx, { ...membership, ...undecided });
      if (!isNew) throw conflict('You have a membership in this group already, decided or not');
      const entities = [`Group/${groupGuid}`];
      await audit.record(tx, { action: 'C', event: 'membership.request', entities, ...actor });
      await deps.revocations.userChanged(tx, actor.principal.id);
    });
    await deps.takeEffect();
    return membership;
  }

  async function decide(actor: Actor, { membershipGuid, status }: Parameters<Groups['decide']>[1]): Promise<void> {
    await database.transaction(async (tx) => {
      const membership = isGuid(membershipGuid) ? await store.lockMembership(tx, membershipGuid) : null;
      if (membership === null) throw notFound('Membership');
      const { id } = actor.principal;
      await requireAdministered(tx, actor, membership.group_guid);
      if (membership.status !== 'pending') throw conflict(`The membership is ${membership.status} already`);
      await store.decideMembership(tx, { membershipGuid, status, decidedBy: id, decidedAt: new Date(clock.now()) });
      const entities = [`Group/${membership.group_guid}`];
      await audit.record(tx, { action: 'U', event: `membership.${status}`, entities, ...actor });
      await deps.revocations.userChanged(tx, membership.user_guid);
    });
    await deps.takeEffect();
  }

  /** Null: every group. */
  async function scopeOf(actor: Actor): Promise<string | null> {
    if (isSuAdmin(actor)) return null;
    if (await store.administersAny(database, actor.principal.id)) return actor.principal.id;
    throw new ServiceError('forbidden', 'You administer no group');
  }

  return {
    catalogue: (range) => store.listGroups(database, range),
    countAll: () => store.countGroups(database),
    leaders: (range) => store.listLeaders(database, range),
    countLeaders: () => store.countLeaders(database),
    isLeader: async (db, userGuid) => isGuid(userGuid) && store.isLeader(db, userGuid),
    async unknownPhases(db, names) {
      const known = new Set((await store.findPhases(db, names)).map((group) => group.name));
      return names.filter((name) => !known.has(name));
    },
    require: requireGroup,
    administers: store.administers,
    requireAdministered,
    makeAdmin: (tx, change) =>
      store.makeAdmin(tx, { ...change, membershipGuid: newGuid(clock.now()), at: new Date(clock.now()) }),
    joinPhases,
    ownGroups: (actor, range) => store.listOwnGroups(database, actor.principal.id, range),
    countOwn: (actor) => store.countOwnGroups(database, actor.principal.id),
    requestMembership,
    pending: async (actor, range) => store.listPending(database, await scopeOf(actor), range),
    countPending: async (actor) => store.countPending(database, await scopeOf(actor)),
    decide,
  };
}

function isSuAdmin(actor: Actor): boolean {
  return actor.principal.roles.has('admin');
}
