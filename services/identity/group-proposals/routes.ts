// POST /api/groups/proposals and /api/admin/group-proposals (contract: identity, Admin; decision I9).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { GroupType } from '../group-type.ts';
import { registerPending } from '../shared/routes/pending-routes.ts';
import { closed, Decision, DecisionReason, DecisionStatus, OptionalText } from '../shared/routes/schema.ts';
import { GuidText, nameText } from '../text.ts';
import { withPlainCreation } from '../time.ts';
import type { GroupProposals } from './service.ts';

const SubmitBody = Type.Object(
  { name: nameText(200), group_type: GroupType, description: Type.Optional(nameText(2000)) },
  { ...closed, title: 'NewGroupProposal' },
);
const Submitted = Type.Object({
  proposal_guid: Type.String(),
  name: Type.String(),
  group_type: GroupType,
  status: DecisionStatus,
});
const PendingItem = Type.Object(
  {
    proposal_guid: Type.String(),
    name: Type.String(),
    group_type: GroupType,
    description: OptionalText,
    user_guid: Type.String({ description: 'Who proposes it' }),
    user_email: Type.String(),
    first_name: OptionalText,
    last_name: OptionalText,
    status: DecisionStatus,
    created_at: Type.String(),
  },
  { title: 'GroupProposal' },
);
const DecideBody = Type.Object({ proposal_guid: GuidText, decision: Decision, reason: DecisionReason }, closed);
const Decided = Type.Object({
  proposal_guid: Type.String(),
  status: DecisionStatus,
  group_guid: Type.Optional(Type.String({ description: 'The group that the approval made' })),
});

export function registerGroupProposalRoutes(app: HttpApp, proposals: GroupProposals): void {
  const routes = apiRoutes(app, { tags: ['groups'], permission: 'group:take-part' });
  routes.post(
    '/api/groups/proposals',
    'Propose a group',
    { config: { idempotent: true }, schema: { body: SubmitBody, response: { 201: Submitted } } },
    async (request, reply) => {
      const { name, group_type: groupType, description = null } = request.body;
      const made = await proposals.submit(actorOf(request), { name, groupType, description });
      const { proposal_guid, group_type, status } = made;
      return reply.code(201).send({ proposal_guid, name: made.name, group_type, status });
    },
  );
  const path = '/api/admin/group-proposals';
  registerPending(apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' }), {
    list: { path, summary: 'Pending group proposals, oldest first', item: PendingItem },
    decision: { path, summary: 'Approve or reject a group proposal', body: DecideBody, decided: Decided },
    ...proposals,
    toItem: withPlainCreation,
    async decide(actor, { proposal_guid, decision, reason }) {
      const { status, groupGuid } = await proposals.decide(actor, proposal_guid, decision, reason?.trim());
      return { proposal_guid, status, ...(groupGuid === null ? {} : { group_guid: groupGuid }) };
    },
  });
}
