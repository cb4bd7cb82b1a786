// Leader requests: a professional asks to become the admin of a group, an SU admin decides (contract: identity, Leader
// request; decisions I8 and I10).
import { conflict } from '#lib/errors.ts';
import type { Actor } from '../actor.ts';
import type { Groups } from '../groups/service.ts';
import { readAddressAndGroup } from '../shared/account-store.ts';
import {
  type AdminDecisionDeps,
  type AdminDecisions,
  createAdminDecisions,
  submitRequest,
} from '../shared/decisions/admin-decision.ts';
import * as store from './store.ts';

export interface LeaderRequests extends AdminDecisions<store.PendingLeaderRequest, store.LeaderRequest> {
  /** @throws ServiceError `not_found` for the group, `conflict` for its admins and while a request is open */
  submit(actor: Actor, groupGuid: string): Promise<store.LeaderRequest>;
}

export interface LeaderRequestDeps extends AdminDecisionDeps {
  readonly groups: Groups;
}

export function createLeaderRequests(deps: LeaderRequestDeps): LeaderRequests {
  const { find, lock, listPending, countPending, readTenant } = store;
  const decisions = createAdminDecisions(deps, {
    event: 'leader-request',
    name: 'Leader request',
    store: { find, lock, listPending, countPending, readTenant },
    lockSubject: (tx, { group_guid }: store.LeaderRequest) => deps.groups.exists(tx, group_guid),
    addressee: (tx, { user_guid, group_guid }: store.LeaderRequest) => readAddressAndGroup(tx, user_guid, group_guid),
    async apply(tx, request, decision) {
      const { user_guid: userGuid, group_guid: groupGuid } = request;
      await store.saveDecision(tx, decision);
      if (decision.status === 'approved') {
        await deps.groups.appointAdmin(tx, { userGuid, groupGuid, decidedBy: decision.by });
      }
      return { outcome: { ...request, status: decision.status }, entities: [`Group/${groupGuid}`] };
    },
  });
  return { ...decisions, submit: (actor, groupGuid) => submit(deps, actor, groupGuid) };
}

function submit(deps: LeaderRequestDeps, actor: Actor, groupGuid: string): Promise<store.LeaderRequest> {
  const { groups } = deps;
  const userGuid = actor.principal.id;
  return submitRequest(deps, actor, 'leader-request', async (tx, { guid, ...made }) => {
    await groups.require(tx, groupGuid);
    if (await groups.administers(tx, userGuid, groupGuid)) throw conflict('You administer this group already');
    const row = { leader_request_guid: guid, user_guid: userGuid, group_guid: groupGuid, status: 'pending' } as const;
    if (!(await store.insertRequest(tx, row, made))) throw conflict('Your request for this group is still open');
    return { row, entities: [`Group/${groupGuid}`] };
  });
}
