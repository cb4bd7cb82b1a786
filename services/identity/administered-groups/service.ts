// Groups as who administers them sees them: how many members each has, who they are, and their removal.
import { notFound, ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { Groups } from '../groups/service.ts';
import type { Revocations } from '../revocations/service.ts';
import type { Users } from '../users/service.ts';
import * as store from './store.ts';

interface Range {
  readonly limit: number;
  readonly offset: number;
}

interface Found<Row> {
  readonly found: readonly Row[];
  readonly total: number;
}

export interface MemberQuery {
  readonly groupGuid: string;
  readonly status: 'pending' | 'approved' | 'rejected';
  readonly search: string | undefined;
}

export interface AdministeredGroups {
  /** Those that the caller administers; all of an SU admin. */
  list(
    actor: Actor,
    filter: { readonly search: string | undefined; readonly groupType: string | undefined },
    range: Range,
  ): Promise<Found<store.AdministeredGroup>>;
  /** @throws ServiceError `not_found`, `forbidden` */
  read(actor: Actor, groupGuid: string): Promise<store.AdministeredGroup>;
  /** The read is recorded. @throws ServiceError `not_found`, `forbidden` */
  members(actor: Actor, query: MemberQuery, range: Range): Promise<Found<store.Member>>;
  /**
   * The member loses the group at once. An SU admin removes admins of a group.
   * @throws ServiceError `not_found`, `forbidden`
   */
  removeMember(actor: Actor, groupGuid: string, userGuid: string): Promise<void>;
}

export interface AdministeredGroupDeps extends WriteDependencies {
  readonly groups: Groups;
  readonly users: Pick<Users, 'lock' | 'lockActor'>;
  readonly revocations: Pick<Revocations, 'userChanged'>;
  readonly takeEffect: () => Promise<void>;
}

export function createAdministeredGroups(deps: AdministeredGroupDeps): AdministeredGroups {
  const { database, clock, audit, groups, users, revocations, takeEffect } = deps;
  const leaderOf = (actor: Actor) => (isSuAdmin(actor) ? null : actor.principal.id);
  const listed = (filter: store.GroupFilter, range: Range) =>
    store.listGroups(database, filter, { ...range, now: new Date(clock.now()) });

  return {
    list: (actor, { search, groupType }, range) =>
      listed(
        { leader: leaderOf(actor), search: search?.trim() || null, groupType: groupType ?? null, group: null },
        range,
      ),
    async read(actor, groupGuid) {
      await groups.require(database, groupGuid);
      await groups.requireAdministered(database, actor, groupGuid);
      const one = { leader: null, search: null, groupType: null, group: groupGuid };
      const [group] = (await listed(one, { limit: 1, offset: 0 })).found;
      if (group === undefined) throw notFound('Group');
      return group;
    },
    async members(actor, { groupGuid, status, search }, range) {
      await groups.require(database, groupGuid);
      await groups.requireAdministered(database, actor, groupGuid);
      const entities = [`Group/${groupGuid}`];
      await audit.recordRead({ action: 'R', event: 'group.list-members', entities, ...actor });
      return store.listMembers(database, { group: groupGuid, status, search: search?.trim() || null }, range);
    },
    async removeMember(actor, groupGuid, userGuid) {
      await database.transaction(async (tx) => {
        await users.lockActor(tx, actor);
        if (!isGuid(userGuid) || !(await users.lock(tx, userGuid))) throw notFound('Member');
        await groups.require(tx, groupGuid);
        await groups.requireAdministered(tx, actor, groupGuid);
        const member = await store.lockMember(tx, groupGuid, userGuid);
        if (member === undefined) throw notFound('Member');
        if (member.is_admin && !isSuAdmin(actor) && userGuid !== actor.principal.id) {
          throw new ServiceError('forbidden', 'An SU admin removes admins of a group');
        }
        await store.deleteMember(tx, groupGuid, userGuid);
        const touched = { entities: [`Group/${groupGuid}`], subjectGuid: userGuid };
        await audit.record(tx, { action: 'D', event: 'membership.remove', ...touched, ...actor });
        await revocations.userChanged(tx, userGuid);
      });
      await takeEffect();
    },
  };
}

function isSuAdmin({ principal }: Actor): boolean {
  return principal.roles.has('admin');
}
