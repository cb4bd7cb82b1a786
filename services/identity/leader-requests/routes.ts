// POST /api/groups/request-admin and /api/admin/leader-requests (contract: identity, Groups and Admin; decisions I8 and
// I10).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { registerPending } from '../shared/routes/pending-routes.ts';
import { closed, Decision, DecisionReason, DecisionStatus, GroupBody, OptionalText } from '../shared/routes/schema.ts';
import { GuidText } from '../text.ts';
import { withPlainCreation } from '../time.ts';
import type { LeaderRequests } from './service.ts';

const Submitted = Type.Object({
  leader_request_guid: Type.String(),
  group_guid: Type.String(),
  status: DecisionStatus,
});
const PendingItem = Type.Object(
  {
    leader_request_guid: Type.String(),
    user_guid: Type.String(),
    user_email: Type.String(),
    first_name: OptionalText,
    last_name: OptionalText,
    group_guid: Type.String(),
    group_name: Type.String(),
    status: DecisionStatus,
    created_at: Type.String(),
  },
  { title: 'LeaderRequest' },
);
const DecideBody = Type.Object({ leader_request_guid: GuidText, decision: Decision, reason: DecisionReason }, closed);
const Decided = Type.Object({
  leader_request_guid: Type.String(),
  group_guid: Type.String(),
  user_guid: Type.String(),
  status: DecisionStatus,
});

export function registerLeaderRequestRoutes(app: HttpApp, requests: LeaderRequests): void {
  const routes = apiRoutes(app, { tags: ['groups'], permission: 'group:take-part' });
  routes.post(
    '/api/groups/request-admin',
    'Ask to become a group’s admin',
    { config: { idempotent: true, errors: ['not_found'] }, schema: { body: GroupBody, response: { 201: Submitted } } },
    async (request, reply) => {
      const made = await requests.submit(actorOf(request), request.body.group_guid);
      const { leader_request_guid, group_guid, status } = made;
      return reply.code(201).send({ leader_request_guid, group_guid, status });
    },
  );
  const path = '/api/admin/leader-requests';
  registerPending(apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' }), {
    list: { path, summary: 'Pending leader requests, oldest first', item: PendingItem },
    decision: { path, summary: 'Approve or reject a leader request', body: DecideBody, decided: Decided },
    ...requests,
    toItem: withPlainCreation,
    decide: (actor, { leader_request_guid: guid, decision, reason }) =>
      requests.decide(actor, guid, decision, reason?.trim()),
  });
}
