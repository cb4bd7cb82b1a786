// Invites to groups (contract: identity, Groups; decision I8): many professionals may use one until it expires. The
// membership waits for a decision.

import { type Clock, DAY_MS, HOUR_MS } from '#lib/clock.ts';
import { randomSecret, sha256 } from '#lib/crypto/secret.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { Groups, Membership } from '../groups/service.ts';
import type { Users } from '../users/service.ts';
import * as store from './store.ts';

/** How long an expired invite is kept: until then 410, afterwards 404. */
const KEPT_MS = 90 * DAY_MS;

export interface Invite {
  readonly inviteGuid: string;
  /** The token, which is shown only once. */
  readonly token: string;
  readonly groupGuid: string;
  readonly expiresAt: Date;
  /** The page that uses it, in the console. */
  readonly link: string;
}

export interface Invites {
  /** @throws ServiceError `not_found` for the group, `forbidden` for a user who does not administer it */
  create(actor: Actor, invite: { groupGuid: string; hoursValid: number }): Promise<Invite>;
  /** Those of a group that may still be used, without their tokens. @throws ServiceError `not_found`, `forbidden` */
  open(actor: Actor, groupGuid: string): Promise<store.ListedInvite[]>;
  /** It cannot be used any more. @throws ServiceError `not_found`, `forbidden` */
  revoke(actor: Actor, groupGuid: string, inviteGuid: string): Promise<void>;
  /** @throws ServiceError `not_found`, `expired`, `conflict` when a membership exists */
  join(actor: Actor, token: string): Promise<Membership>;
}

export interface InviteDeps extends WriteDependencies {
  readonly users: Pick<Users, 'lockActor'>;
  readonly groups: Groups;
  /** Of the public address of identity. */
  readonly baseUrl: string;
}

export function createInvites({ database, clock, audit, users, groups, baseUrl }: InviteDeps): Invites {
  return {
    create(actor, { groupGuid, hoursValid }) {
      const token = randomSecret();
      const now = clock.now();
      const invite = { inviteGuid: newGuid(now), groupGuid, expiresAt: new Date(now + hoursValid * HOUR_MS) };
      return database.transaction(async (tx) => {
        await users.lockActor(tx, actor);
        await groups.require(tx, groupGuid);
        await groups.requireAdministered(tx, actor, groupGuid);
        const createdBy = actor.principal.id;
        await store.insertInvite(tx, { ...invite, tokenHash: sha256(token), createdBy, createdAt: new Date(now) });
        const entities = [`Group/${groupGuid}`];
        await audit.record(tx, { action: 'C', event: 'group.invite', entities, ...actor });
        const link = `${new URL(baseUrl).origin}/account/join?${new URLSearchParams({ invite: token })}`;
        return { ...invite, token, link };
      });
    },
    async open(actor, groupGuid) {
      await groups.require(database, groupGuid);
      await groups.requireAdministered(database, actor, groupGuid);
      return store.listOpen(database, groupGuid, new Date(clock.now()));
    },
    revoke(actor, groupGuid, inviteGuid) {
      return database.transaction(async (tx) => {
        await users.lockActor(tx, actor);
        await groups.require(tx, groupGuid);
        await groups.requireAdministered(tx, actor, groupGuid);
        if (!isGuid(inviteGuid) || !(await store.deleteInvite(tx, groupGuid, inviteGuid))) throw notFound('Invite');
        const entities = [`Group/${groupGuid}`];
        await audit.record(tx, { action: 'D', event: 'group.revoke-invite', entities, ...actor });
      });
    },
    async join(actor, token) {
      const invite = await store.findInvite(database, sha256(token));
      if (invite === null) throw notFound('Invite');
      if (invite.expiresAt.getTime() <= clock.now()) throw new ServiceError('expired', 'The invite has expired');
      return groups.requestMembership(actor, invite.groupGuid);
    },
  };
}

/** Deletes invites that expired long ago. */
export async function sweepInvites(database: Database, clock: Clock): Promise<void> {
  await store.deleteExpired(database, new Date(clock.now() - KEPT_MS));
}
