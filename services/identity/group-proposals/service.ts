// Group proposals: a professional proposes a group, an SU admin decides. An approval creates the group and makes the
// proposer its admin (contract: identity, Group proposal; decision I9).
import type { Transaction } from '#lib/db/database.ts';
import { conflict } from '#lib/errors.ts';
import type { Actor } from '../actor.ts';
import type { GroupType } from '../group-type.ts';
import type { Groups } from '../groups/service.ts';
import { readAddress } from '../shared/account-store.ts';
import {
  type AdminDecisionDeps,
  type AdminDecisions,
  createAdminDecisions,
  type DecidedStatus,
  submitRequest,
} from '../shared/decisions/admin-decision.ts';
import * as store from './store.ts';

export interface ProposalForm {
  readonly name: string;
  readonly groupType: GroupType;
  readonly description: string | null;
}

export interface ProposalDecision {
  readonly guid: string;
  readonly status: DecidedStatus;
  /** The group that the approval created. */
  readonly groupGuid: string | null;
}

export interface GroupProposals extends AdminDecisions<store.PendingProposal, ProposalDecision> {
  /** @throws ServiceError `conflict` when a group or an open proposal of that type has the name */
  submit(actor: Actor, form: ProposalForm): Promise<store.Proposal>;
}

export interface GroupProposalDeps extends AdminDecisionDeps {
  readonly groups: Groups;
}

export function createGroupProposals(deps: GroupProposalDeps): GroupProposals {
  const { find, lock, listPending, countPending, readTenant } = store;
  const decisions = createAdminDecisions(deps, {
    event: 'group-proposal',
    name: 'Group proposal',
    store: { find, lock, listPending, countPending, readTenant },
    async addressee(tx, { user_guid, name }: store.Proposal) {
      const email = await readAddress(tx, user_guid);
      return email === undefined ? undefined : { email, name };
    },
    async apply(tx, proposal: store.Proposal, decision) {
      const { guid, status, by } = decision;
      const groupGuid = status === 'approved' ? await createGroup(deps, tx, { proposal, by }) : null;
      await store.saveDecision(tx, decision, { group_guid: groupGuid });
      const entities = [`group-proposal/${guid}`, ...(groupGuid === null ? [] : [`Group/${groupGuid}`])];
      return { outcome: { guid, status, groupGuid }, entities };
    },
  });
  return { ...decisions, submit: (actor, form) => submit(deps, actor, form) };
}

function submit(deps: GroupProposalDeps, actor: Actor, form: ProposalForm): Promise<store.Proposal> {
  return submitRequest(deps, actor, 'group-proposal', async (tx, { guid, ...made }) => {
    const row = {
      proposal_guid: guid,
      user_guid: actor.principal.id,
      name: form.name.trim(),
      group_type: form.groupType,
      description: form.description?.trim() ?? null,
      status: 'pending',
    } as const;
    if (await deps.groups.isNameTaken(tx, row.group_type, row.name)) throw nameTaken();
    if (!(await store.insertProposal(tx, row, made))) throw conflict('An open proposal has that name and type');
    return { row, entities: [`group-proposal/${guid}`] };
  });
}

/** The group, with the proposer as its admin. @throws ServiceError `conflict` when a group has got the name since */
async function createGroup(
  { groups }: GroupProposalDeps,
  tx: Transaction,
  { proposal, by }: { proposal: store.Proposal; by: string },
): Promise<string> {
  const { user_guid: userGuid, name, group_type: groupType, description } = proposal;
  const groupGuid = await groups.create(tx, { name, groupType, description });
  if (groupGuid === null) throw nameTaken();
  await groups.appointAdmin(tx, { userGuid, groupGuid, decidedBy: by });
  return groupGuid;
}

function nameTaken() {
  return conflict('A group of that name and type exists');
}
