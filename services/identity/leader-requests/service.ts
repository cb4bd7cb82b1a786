// Leader requests: a professional asks to become the admin of a group, an SU admin decides (contract: identity, Leader
// request; decisions I8 and I10).
import type { Transaction } from '#lib/db/database.ts';
import { conflict } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { Groups } from '../groups/service.ts';
import {
  type AdminDecisionDeps,
  createPendingList,
  type DecidedStatus,
  type DecisionKind,
  decideOnce,
  type PendingList,
} from '../shared/admin-decision.ts';
import type { Users } from '../users/service.ts';
import * as store from './store.ts';

export interface LeaderRequests extends PendingList<store.PendingLeaderRequest> {
  /** @throws ServiceError `not_found` for the group, `conflict` for its admins and while a request is open */
  submit(actor: Actor, groupGuid: string): Promise<store.LeaderRequest>;
  /** @throws ServiceError `not_found`, `conflict` when it is decided already */
  decide(actor: Actor, guid: string, decision: DecidedStatus): Promise<store.LeaderRequest>;
}

export interface LeaderRequestDeps extends AdminDecisionDeps {
  readonly users: Pick<Users, 'lock' | 'lockActor'>;
  readonly groups: Groups;
}

export function createLeaderRequests(deps: LeaderRequestDeps): LeaderRequests {
  const kind: DecisionKind<store.LeaderRequest, store.LeaderRequest> = {
    event: 'leader-request',
    name: 'Leader request',
    lock: (tx, guid) => lockRequest(deps, tx, guid),
    async apply(tx, request, decision) {
      const { user_guid: userGuid, group_guid: groupGuid } = request;
      await store.saveDecision(tx, decision);
      if (decision.status === 'approved') {
        await deps.groups.appointAdmin(tx, { userGuid, groupGuid, decidedBy: decision.by });
      }
      return { outcome: { ...request, status: decision.status }, entities: [`Group/${groupGuid}`] };
    },
  };
  return {
    submit: (actor, groupGuid) => submit(deps, actor, groupGuid),
    decide: (actor, guid, status) => decideOnce(deps, kind, actor, { guid, status }),
    ...createPendingList(deps, 'leader-requests.list', { list: store.listPending, count: store.countPending }),
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
    await users.lockActor(tx, actor);
    await groups.require(tx, groupGuid);
    if (await groups.administers(tx, actor.principal.id, groupGuid))
      throw conflict('You administer this group already');
    const isNew = await store.insertRequest(tx, request, new Date(clock.now()));
    if (!isNew) throw conflict('Your request for this group is still open');
    const entities = [`Group/${groupGuid}`];
    const event = 'leader-request.submit';
    await audit.record(tx, { action: 'C', event, entities, subjectGuid: request.user_guid, ...actor });
    return request;
  });
}

/** Locks the requester and the group first; null when one of the three no longer exists. */
async function lockRequest(
  { users, groups }: LeaderRequestDeps,
  tx: Transaction,
  guid: string,
): Promise<store.LeaderRequest | null> {
  const known = await store.readRequest(tx, guid);
  if (known === null || !(await users.lock(tx, known.user_guid))) return null;
  return (await groups.exists(tx, known.group_guid)) ? store.lockRequest(tx, guid) : null;
}
