// Administration of groups by SU admins: creates and deletes groups and appoints their admins (contract: identity,
// Admin; decision I10).
import type { Transaction } from '#lib/db/database.ts';
import { conflict, notFound } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { GroupType } from '../group-type.ts';
import type { MembershipDeps } from './memberships.ts';
import * as store from './store.ts';

export interface NewGroup {
  readonly name: string;
  readonly groupType: GroupType;
  readonly description: string | null;
}

/** A member that a new group starts with. */
export interface NewMember {
  readonly userGuid: string;
  readonly isAdmin: boolean;
}

export interface GroupAdministration {
  /**
   * Creates a group directly, with approved members.
   * @throws ServiceError `conflict` when a group of that type has the name
   */
  createWithMembers(actor: Actor, group: NewGroup, members: readonly NewMember[]): Promise<string>;
  /** Whether a group of that type has the name, in whatever case. */
  isNameTaken(tx: Transaction, groupType: GroupType, name: string): Promise<boolean>;
  /** The group's guid; null when a group of that type has the name. */
  create(tx: Transaction, group: NewGroup): Promise<string | null>;
  /** Deletes the group with its memberships, invites and leader requests. @throws ServiceError `not_found` */
  remove(actor: Actor, groupGuid: string): Promise<void>;
  /** @throws ServiceError `not_found` (user or group), `conflict` for a user who is not an approved member */
  assignAdmin(actor: Actor, appointment: { userGuid: string; groupGuid: string }): Promise<void>;
}

export function createGroupAdministration(deps: MembershipDeps): GroupAdministration {
  const { database, clock, audit, users, revocations, takeEffect } = deps;

  async function create(tx: Transaction, group: NewGroup): Promise<string | null> {
    const groupGuid = newGuid(clock.now());
    const isNew = await store.insertGroup(tx, { ...group, groupGuid, createdAt: new Date(clock.now()) });
    return isNew ? groupGuid : null;
  }

  async function createWithMembers(actor: Actor, group: NewGroup, members: readonly NewMember[]): Promise<string> {
    const groupGuid = await database.transaction(async (tx) => {
      const made = await create(tx, group);
      if (made === null) throw conflict('A group of that name and type exists');
      const entities = [`Group/${made}`];
      const detail = `${members.length} members`;
      await audit.record(tx, { action: 'C', event: 'group.create', entities, detail, ...actor });
      if (members.length === 0) return made;
      const memberships = members.map((member) => ({ ...member, membershipGuid: newGuid(clock.now()) }));
      const decision = { decidedBy: actor.principal.id, at: new Date(clock.now()) };
      await store.insertMembers(tx, { groupGuid: made, memberships, ...decision });
      const userGuids = members.map(({ userGuid }) => userGuid);
      await revocations.usersChanged(tx, userGuids);
      return made;
    });
    if (members.length > 0) await takeEffect();
    return groupGuid;
  }

  async function remove(actor: Actor, groupGuid: string): Promise<void> {
    await database.transaction(async (tx) => {
      if (!isGuid(groupGuid) || !(await store.lockGroup(tx, groupGuid))) throw notFound('Group');
      const members = await store.listMembers(tx, groupGuid);
      await store.deleteGroup(tx, groupGuid);
      const entities = [`Group/${groupGuid}`];
      await audit.record(tx, { action: 'D', event: 'group.delete', entities, ...actor });
      await revocations.usersChanged(tx, members);
    });
    await takeEffect();
  }

  async function assignAdmin(actor: Actor, appointment: { userGuid: string; groupGuid: string }): Promise<void> {
    const { userGuid, groupGuid } = appointment;
    await database.transaction(async (tx) => {
      if (!isGuid(userGuid) || !(await users.lock(tx, userGuid))) throw notFound('User');
      if (!isGuid(groupGuid) || !(await store.groupExists(tx, groupGuid))) throw notFound('Group');
      const isMember = await store.setAdmin(tx, userGuid, groupGuid);
      if (!isMember) throw conflict('The user is no approved member of the group');
      const touched = { entities: [`Group/${groupGuid}`], subjectGuid: userGuid };
      await audit.record(tx, { action: 'U', event: 'group.assign-admin', ...touched, ...actor });
      await revocations.userChanged(tx, userGuid);
    });
    await takeEffect();
  }

  return {
    isNameTaken: store.isNameTaken,
    create,
    createWithMembers,
    remove,
    assignAdmin,
  };
}
