// Professionals propose groups, an SU admin decides; approval makes the group and the proposer its admin (contract:
// identity, Group proposal; decision I9).
import type { Audit } from '#lib/audit/audit.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { conflict, notFound } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { Actor } from '../actor.ts';
import type { GroupType } from '../group-type.ts';
import type { Groups } from '../groups/service.ts';
import type { ListRange } from '../list-page.ts';
import type { Revocations } from '../revocations/service.ts';
import type { Users } from '../users/service.ts';
import * as store from './store.ts';

export interface ProposalForm {
  readonly name: string;
  readonly groupType: GroupType;
  readonly description: string | null;
}

export interface ProposalDecision {
  readonly guid: string;
  readonly status: 'approved' | 'rejected';
  /** The group that the approval made. */
  readonly groupGuid: string | null;
}

export interface GroupProposals {
  /** @throws ServiceError `conflict` when a group or an open proposal of that type has the name */
  submit(actor: Actor, form: ProposalForm): Promise<store.Proposal>;
  /** @throws ServiceError `not_found`, `conflict` when it is decided already or a group has got the name since */
  decide(actor: Actor, guid: string, status: 'approved' | 'rejected'): Promise<ProposalDecision>;
  /** The look is recorded. */
  pending(actor: Actor, range: ListRange): Promise<store.PendingProposal[]>;
  countPending(): Promise<number>;
}

export interface GroupProposalDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly users: Pick<Users, 'hold' | 'holdActor'>;
  readonly groups: Groups;
  readonly revocations: Revocations;
  readonly takeEffect: () => Promise<void>;
}

export function createGroupProposals(deps: GroupProposalDeps): GroupProposals {
  const { database, audit } = deps;
  return {
    submit: (actor, form) => submit(deps, actor, form),
    decide: (actor, guid, status) => decide(deps, actor, { guid, status }),
    async pending(actor, range) {
      await audit.recordRead({ action: 'R', event: 'group-proposals.list', ...actor });
      return store.listPending(database, range);
    },
    countPending: () => store.countPending(database),
  };
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
    await users.holdActor(tx, actor);
    if (await groups.isNameTaken(tx, proposal.group_type, proposal.name)) throw nameTaken();
    const isNew = await store.insertProposal(tx, proposal, new Date(clock.now()));
    if (!isNew) throw conflict('An open proposal has that name and type');
    const touched = { entities: [`group-proposal/${proposal.proposal_guid}`], subjectGuid: proposal.user_guid };
    await audit.record(tx, { action: 'C', event: 'group-proposal.submit', ...touched, ...actor });
    return proposal;
  });
}

/** With the proposer held first; null when one of the two is gone. */
async function lockProposal(
  { users }: GroupProposalDeps,
  tx: Transaction,
  guid: string,
): Promise<store.Proposal | null> {
  const known = await store.readProposal(tx, guid);
  return known !== null && (await users.hold(tx, known.user_guid)) ? store.lockProposal(tx, guid) : null;
}

async function decide(
  deps: GroupProposalDeps,
  actor: Actor,
  { guid, status }: { guid: string; status: 'approved' | 'rejected' },
): Promise<ProposalDecision> {
  const { database, clock, audit, users } = deps;
  const decided = await database.transaction(async (tx) => {
    await users.holdActor(tx, actor);
    const proposal = isGuid(guid) ? await lockProposal(deps, tx, guid) : null;
    if (proposal === null) throw notFound('Group proposal');
    if (proposal.status !== 'pending') throw conflict(`The group proposal is ${proposal.status} already`);
    const by = actor.principal.id;
    const { user_guid: userGuid } = proposal;
    const groupGuid = status === 'approved' ? await makeGroup(deps, tx, { proposal, by }) : null;
    await store.saveDecision(tx, { guid, status, by, at: new Date(clock.now()), groupGuid });
    const entities = [`group-proposal/${guid}`, ...(groupGuid === null ? [] : [`Group/${groupGuid}`])];
    await audit.record(tx, {
      action: 'U',
      event: `group-proposal.${status}`,
      entities,
      subjectGuid: userGuid,
      ...actor,
    });
    if (status === 'approved') await deps.revocations.userChanged(tx, userGuid);
    return { guid, status, groupGuid };
  });
  await deps.takeEffect();
  return decided;
}

/** The group, with the proposer as its admin. @throws ServiceError `conflict` when a group has got the name since */
async function makeGroup(
  { groups }: GroupProposalDeps,
  tx: Transaction,
  { proposal, by }: { proposal: store.Proposal; by: string },
): Promise<string> {
  const { user_guid: userGuid, name, group_type: groupType, description } = proposal;
  const groupGuid = await groups.create(tx, { name, groupType, description });
  if (groupGuid === null) throw nameTaken();
  await groups.makeAdmin(tx, { userGuid, groupGuid, decidedBy: by });
  return groupGuid;
}

function nameTaken() {
  return conflict('A group of that name and type exists');
}
