// Group proposals: a professional proposes a group, an SU admin decides. An approval creates the group and makes the
// proposer its admin (contract: identity, Group proposal; decision I9).
import type { Transaction } from '#lib/db/database.ts';
import { conflict } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { GroupType } from '../group-type.ts';
import type { Groups } from '../groups/service.ts';
import { readAddress } from '../shared/account-store.ts';
import {
  type AdminDecisionDeps,
  type AdminDecisions,
  createAdminDecisions,
  type DecidedStatus,
} from '../shared/decisions/admin-decision.ts';
import type { Users } from '../users/service.ts';
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
  readonly users: Pick<Users, 'lock' | 'lockActor'>;
  readonly groups: Groups;
}

export function createGroupProposals(deps: GroupProposalDeps): GroupProposals {
  const decisions = createAdminDecisions(deps, {
    event: 'group-proposal',
    name: 'Group proposal',
    store: { find: store.find, lock: store.lock, list: store.listPending, count: store.countPending },
    async addressee(tx, { user_guid, name }: store.Proposal) {
      const email = await readAddress(tx, user_guid);
      return email === undefined ? undefined : { email, name };
    },
    async apply(tx, proposal: store.Proposal, decision) {
      const { guid, status, by } = decision;
      const groupGuid = status === 'approved' ? await createGroup(deps, tx, { proposal, by }) : null;
      await store.saveDecision(tx, { ...decision, groupGuid });
      const entities = [`group-proposal/${guid}`, ...(groupGuid === null ? [] : [`Group/${groupGuid}`])];
      return { outcome: { guid, status, groupGuid }, entities };
    },
  });
  return { ...decisions, submit: (actor, form) => submit(deps, actor, form) };
}

function submit(deps: GroupProposalDeps, actor: Actor, form: ProposalForm): Promise<store.Proposal> {
  const { database, clock, audit, users, groups } = deps;
  const proposal = {
    proposal_guid: newGuid(clock.now()),
    user_guid: actor.principal.id,
    name: form.name.trim(),
    group_type: form.groupType,
    description: form.description?.trim() ?? null,
    status: 'pending',
  } as const;
  return database.transaction(async (tx) => {
    await users.lockActor(tx, actor);
    if (await groups.isNameTaken(tx, proposal.group_type, proposal.name)) throw nameTaken();
    const isNew = await store.insertProposal(tx, proposal, new Date(clock.now()));
    if (!isNew) throw conflict('An open proposal has that name and type');
    const touched = { entities: [`group-proposal/${proposal.proposal_guid}`], subjectGuid: proposal.user_guid };
    await audit.record(tx, { action: 'C', event: 'group-proposal.submit', ...touched, ...actor });
    return proposal;
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
