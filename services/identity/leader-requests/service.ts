// Professionals ask to become a group's admin, an SU admin decides (contract: identity, Leader request; decisions I8
// and I10).
import type { Audit } from '#lib/audit/audit.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { conflict, notFound } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { Groups } from '../groups/service.ts';
import type { ListRange } from '../list-page.ts';
import type { Revocations } from '../revocations/service.ts';
import type { Users } from '../users/service.ts';
import * as store from './store.ts';

export interface LeaderRequests {
  /** @throws ServiceError `not_found` for the group, `conflict` for its admins and while a request is open */
  submit(actor: Actor, groupGuid: string): Promise<store.LeaderRequest>;
  /** @throws ServiceError `not_found`, `conflict` when it is decided already */
  decide(actor: Actor, guid: string, decision: 'approved' | 'rejected'): Promise<store.LeaderRequest>;
  /** The look is recorded. */
  pending(actor: Actor, range: ListRange): Promise<store.PendingLeaderRequest[]>;
  countPending(): Promise<number>;
}

export interface LeaderRequestDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly users: Pick<Users, 'hold' | 'holdActor'>;
  readonly groups: Groups;
  readonly revocations: Revocations;
  readonly takeEffect: () => Promise<void>;
}

export function createLeaderRequests(deps: LeaderRequestDeps): LeaderRequests {
  const { database, audit } = deps;
  return {
    submit: (actor, groupGuid) => submit(deps, actor, groupGuid),
    decide: (actor, guid, status) => decide(deps, actor, { guid, status }),
    async pending(actor, range) {
      await audit.recordRead({ action: 'R', event: 'leader-requests.list', ...actor });
      return store.listPending(database, range);
    },
    countPending: () => store.countPending(database),
  };
}

function submit(deps: LeaderRequestDeps, actor: Actor, groupGuid: string): Promise<store.LeaderRequest> {
  const { database, clock, audit, users, groups } = deps;
  const request = {
    leader_request_guid: newGuid(clock.now()),
    user_guid: actor.principal.id,
    group_guid: groupGuid,
    status: 'pending',
  } as const;
  return database.transaction(async (tx) => {
    await users.holdActor(tx, actor);
    await groups.require(tx, groupGuid);
    if (await groups.administers(tx, actor.principal.id, groupGuid))
      throw conflict('You administer this group already');
    const isNew = await store.insertRequest(tx, request, new Date(clock.now()));
    if (!isNew) throw conflict('Your request for this group is still open');
    const entities = [`Group/${groupGuid}`];
    await audit.record(tx, {
      action: 'C',
      event: 'leader-request.submit',
      entities,
      subjectGuid: request.user_guid,
      ...actor,
    });
    return request;
  });
}

/** With the asker and the group held first; null when one of the three is gone. */
async function lockRequest(
  { users, groups }: LeaderRequestDeps,
  tx: Transaction,
  guid: string,
): Promise<store.LeaderRequest | null> {
  const known = await store.readRequest(tx, guid);
  if (known === null || !(await users.hold(tx, known.user_guid))) return null;
  return (await groups.exists(tx, known.group_guid)) ? store.lockRequest(tx, guid) : null;
}

async function decide(
  deps: LeaderRequestDeps,
  actor: Actor,
  { guid, status }: { guid: string; status: 'approved' | 'rejected' },
): Promise<store.LeaderRequest> {
  const { database, clock, audit, users, groups } = deps;
  const decided = await database.transaction(async (tx) => {
    await users.holdActor(tx, actor);
    const request = isGuid(guid) ? await lockRequest(deps, tx, guid) : null;
    if (request === null) throw notFound('Leader request');
    if (request.status !== 'pending') throw conflict(`The leader request is ${request.status} already`);
    const by = actor.principal.id;
    await store.saveDecision(tx, { guid, status, by, at: new Date(clock.now()) });
    const { user_guid: userGuid, group_guid: groupGuid } = request;
    if (status === 'approved') await groups.makeAdmin(tx, { userGuid, groupGuid, decidedBy: by });
    const entities = [`Group/${groupGuid}`];
    await audit.record(tx, {
      action: 'U',
      event: `leader-request.${status}`,
      entities,
      subjectGuid: userGuid,
      ...actor,
    });
    if (status === 'approved') await deps.revocations.userChanged(tx, userGuid);
    return { ...request, status };
  });
  await deps.takeEffect();
  return decided;
}
