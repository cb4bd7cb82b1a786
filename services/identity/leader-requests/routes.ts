// POST /api/groups/request-admin and /api/admin/leader-requests (contract: identity, Groups and Admin; decisions I8 and
// I10).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { registerList } from '../shared/list-route.ts';
import { GuidText } from '../text.ts';
import { plainTimestamp } from '../time.ts';
import type { LeaderRequests } from './service.ts';

const closed = { additionalProperties: false };
const Status = Type.Enum(['pending', 'approved', 'rejected']);
const OptionalText = Type.Union([Type.String(), Type.Null()]);

const Submitted = Type.Object({ leader_request_guid: Type.String(), group_guid: Type.String(), status: Status });
const PendingItem = Type.Object({
  leader_request_guid: Type.String(),
  user_guid: Type.String(),
  user_email: Type.String(),
  first_name: OptionalText,
  last_name: OptionalText,
  group_guid: Type.String(),
  group_name: Type.String(),
  status: Status,
  created_at: Type.String(),
});
const DecideBody = Type.Object(
  { leader_request_guid: GuidText, decision: Type.Enum(['approved', 'rejected']) },
  closed,
);
const Decided = Type.Object({
  leader_request_guid: Type.String(),
  group_guid: Type.String(),
  user_guid: Type.String(),
  status: Status,
});

export function registerLeaderRequestRoutes(app: HttpApp, requests: LeaderRequests): void {
  const routes = apiRoutes(app, { tags: ['groups'], permission: 'group:take-part' });
  routes.post(
    '/api/groups/request-admin',
    'Ask to become a group’s admin',
    {
      config: { idempotent: true, errors: ['not_found'] },
      schema: { body: Type.Object({ group_guid: GuidText }, closed), response: { 201: Submitted } },
    },
    async (request, reply) => {
      const made = await requests.submit(actorOf(request), request.body.group_guid);
      const { leader_request_guid, group_guid, status } = made;
      return reply.code(201).send({ leader_request_guid, group_guid, status });
    },
  );
  registerAdministration(app, requests);
}

function registerAdministration(app: HttpApp, requests: LeaderRequests): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  registerList(routes, '/api/admin/leader-requests', 'Pending leader requests, oldest first', {
    item: PendingItem,
    count: requests.countPending,
    read: requests.pending,
    toItem: (item) => ({ ...item, created_at: plainTimestamp(item.created_at) }),
  });
  routes.post(
    '/api/admin/leader-requests',
    'Approve or reject a leader request',
    { config: { idempotent: true, errors: ['not_found'] }, schema: { body: DecideBody, response: { 200: Decided } } },
    async (request) => {
      const { leader_request_guid: guid, decision } = request.body;
      return requests.decide(actorOf(request), guid, decision);
    },
  );
}
