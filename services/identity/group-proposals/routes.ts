// POST /api/groups/proposals and /api/admin/group-proposals (contract: identity, Admin; decision I9).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { GroupType } from '../group-type.ts';
import { registerList } from '../shared/list-route.ts';
import { GuidText, nameText } from '../text.ts';
import { plainTimestamp } from '../time.ts';
import type { GroupProposals } from './service.ts';

const closed = { additionalProperties: false };
const Status = Type.Enum(['pending', 'approved', 'rejected']);
const OptionalText = Type.Union([Type.String(), Type.Null()]);

const SubmitBody = Type.Object(
  { name: nameText(200), group_type: GroupType, description: Type.Optional(nameText(2000)) },
  closed,
);
const Submitted = Type.Object({
  proposal_guid: Type.String(),
  name: Type.String(),
  group_type: GroupType,
  status: Status,
});
const PendingItem = Type.Object({
  proposal_guid: Type.String(),
  name: Type.String(),
  group_type: GroupType,
  description: OptionalText,
  user_guid: Type.String({ description: 'Who proposes it' }),
  user_email: Type.String(),
  first_name: OptionalText,
  last_name: OptionalText,
  status: Status,
  created_at: Type.String(),
});
const DecideBody = Type.Object({ proposal_guid: GuidText, decision: Type.Enum(['approved', 'rejected']) }, closed);
const Decided = Type.Object({
  proposal_guid: Type.String(),
  status: Status,
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
  registerAdministration(app, proposals);
}

function registerAdministration(app: HttpApp, proposals: GroupProposals): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  registerList(routes, '/api/admin/group-proposals', 'Pending group proposals, oldest first', {
    item: PendingItem,
    count: proposals.countPending,
    read: proposals.pending,
    toItem: (item) => ({ ...item, created_at: plainTimestamp(item.created_at) }),
  });
  routes.post(
    '/api/admin/group-proposals',
    'Approve or reject a group proposal',
    { config: { idempotent: true, errors: ['not_found'] }, schema: { body: DecideBody, response: { 200: Decided } } },
    async (request) => {
      const { proposal_guid: guid, decision } = request.body;
      const { status, groupGuid } = await proposals.decide(actorOf(request), guid, decision);
      return { proposal_guid: guid, status, ...(groupGuid === null ? {} : { group_guid: groupGuid }) };
    },
  );
}
