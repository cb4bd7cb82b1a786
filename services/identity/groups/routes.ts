// The public catalogues of groups and leaders, the caller's groups, and deciding on memberships (contract: identity,
// Groups and Public; decisions I8 and I12).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { actorOf } from '../actor.ts';
import { describeList, ListQuery, listRange } from '../list-page.ts';
import { registerList } from '../shared/list-route.ts';
import { type Catalogue, isUnpaged } from '../shared/published-list.ts';
import { GuidText } from '../text.ts';
import { plainTimestamp } from '../time.ts';
import type { Groups } from './service.ts';

const closed = { additionalProperties: false };
const Status = Type.Enum(['pending', 'approved', 'rejected']);

const CatalogueItem = Type.Object({ group_guid: Type.String(), name: Type.String(), group_type: Type.String() });
const Leader = Type.Object({
  user_guid: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  is_su_admin: Type.Boolean(),
});
const GroupResponse = Type.Object({
  resourceType: Type.Literal('Group'),
  group_guid: Type.String(),
  name: Type.String(),
  group_type: Type.String(),
  is_admin: Type.Boolean(),
  membership_status: Status,
});
const MembershipRequest = Type.Object({ membership_guid: Type.String(), group_guid: Type.String(), status: Status });
const PendingItem = Type.Object({
  membership_guid: Type.String(),
  user_guid: Type.String(),
  user_email: Type.String(),
  group_guid: Type.String(),
  group_name: Type.String(),
  status: Status,
  created_at: Type.String(),
});
const DecideBody = Type.Object({ membership_guid: GuidText, decision: Type.Enum(['approved', 'rejected']) }, closed);
const Decided = Type.Object({ membership_guid: Type.String(), status: Status, decided_by: Type.String() });

export function registerGroupRoutes(
  app: HttpApp,
  groups: Groups,
  catalogues: { groups: Catalogue; leaders: Catalogue },
): void {
  registerCatalogues(app, groups, catalogues);
  registerOwn(app, groups);
  registerAdministration(app, groups);
}

function registerCatalogues(app: HttpApp, groups: Groups, catalogues: { groups: Catalogue; leaders: Catalogue }): void {
  const routes = apiRoutes(app, { tags: ['public'], permission: 'public' });
  routes.get(
    '/api/public/groups',
    'The catalogue of groups',
    {
      config: { caching: 'public', errors: ['rate_limited'] },
      onRequest: rateLimitHook(catalogues.groups.limiter),
      schema: { querystring: ListQuery, response: { 200: Type.Array(CatalogueItem) } },
    },
    async (request, reply) => {
      const read = () => groups.catalogue(listRange(request.query));
      if (isUnpaged(request)) return catalogues.groups.list.send(reply, read);
      await describeList(request, reply, groups.countAll);
      return read();
    },
  );
  routes.get(
    '/api/public/group-leaders',
    'Group leaders and SU admins',
    {
      config: { errors: ['rate_limited'] },
      onRequest: rateLimitHook(catalogues.leaders.limiter),
      schema: { querystring: ListQuery, response: { 200: Type.Array(Leader) } },
    },
    async (request, reply) => {
      const read = () => groups.leaders(listRange(request.query));
      if (isUnpaged(request)) return catalogues.leaders.list.send(reply, read);
      await describeList(request, reply, groups.countLeaders);
      return read();
    },
  );
}

function registerOwn(app: HttpApp, groups: Groups): void {
  const routes = apiRoutes(app, { tags: ['groups'], permission: 'group:take-part' });
  registerList(routes, '/api/groups', 'The caller’s approved memberships', {
    item: GroupResponse,
    count: groups.countOwn,
    read: groups.ownGroups,
    toItem: (group) => ({ resourceType: 'Group' as const, ...group }),
  });
  routes.post(
    '/api/groups/request-membership',
    'Ask to join a group',
    {
      config: { idempotent: true, errors: ['not_found'] },
      schema: { body: Type.Object({ group_guid: GuidText }, closed), response: { 201: MembershipRequest } },
    },
    async (request, reply) => {
      const made = await groups.requestMembership(actorOf(request), request.body.group_guid);
      const { membership_guid, group_guid, status } = made;
      return reply.code(201).send({ membership_guid, group_guid, status });
    },
  );
}

function registerAdministration(app: HttpApp, groups: Groups): void {
  const routes = apiRoutes(app, { tags: ['groups'], permission: 'group:administer' });
  registerList(routes, '/api/groups/admin/pending', 'Memberships that wait for the caller’s decision', {
    item: PendingItem,
    count: groups.countPending,
    read: groups.pending,
    toItem: (item) => ({ ...item, created_at: plainTimestamp(item.created_at) }),
  });
  routes.post(
    '/api/groups/admin/decide',
    'Approve or reject a membership',
    { config: { idempotent: true, errors: ['not_found'] }, schema: { body: DecideBody, response: { 200: Decided } } },
    async (request) => {
      const { membership_guid: membershipGuid, decision: status } = request.body;
      const actor = actorOf(request);
      await groups.decide(actor, { membershipGuid, status });
      return { membership_guid: membershipGuid, status, decided_by: actor.principal.id };
    },
  );
}
