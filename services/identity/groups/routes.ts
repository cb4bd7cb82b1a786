// The public catalogues of groups and leaders, the caller's groups, and deciding on memberships (contract: identity,
// Groups and Public; decisions I8 and I12).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { registerCatalogue } from '../shared/routes/catalogue-route.ts';
import { registerList } from '../shared/routes/list-route.ts';
import { registerPending } from '../shared/routes/pending-routes.ts';
import type { Catalogue } from '../shared/routes/published-list.ts';
import { closed, Decision, DecisionReason, DecisionStatus, GroupBody } from '../shared/routes/schema.ts';
import { GuidText } from '../text.ts';
import { withPlainCreation } from '../time.ts';
import type { Groups } from './service.ts';

const CatalogueItem = Type.Object(
  { group_guid: Type.String(), name: Type.String(), group_type: Type.String() },
  { title: 'ListedGroup' },
);
const Leader = Type.Object(
  {
    user_guid: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    is_su_admin: Type.Boolean(),
  },
  { title: 'GroupLeader' },
);
const GroupResponse = Type.Object(
  {
    resourceType: Type.Literal('Group'),
    group_guid: Type.String(),
    name: Type.String(),
    group_type: Type.String(),
    is_admin: Type.Boolean(),
    membership_status: DecisionStatus,
  },
  { title: 'OwnGroup' },
);
const MembershipRequest = Type.Object(
  {
    membership_guid: Type.String(),
    group_guid: Type.String(),
    status: DecisionStatus,
  },
  { title: 'MembershipRequest' },
);
const PendingItem = Type.Object(
  {
    membership_guid: Type.String(),
    user_guid: Type.String(),
    user_email: Type.String(),
    group_guid: Type.String(),
    group_name: Type.String(),
    status: DecisionStatus,
    created_at: Type.String(),
  },
  { title: 'PendingMembership' },
);
const DecideBody = Type.Object({ membership_guid: GuidText, decision: Decision, reason: DecisionReason }, closed);
const Decided = Type.Object({ membership_guid: Type.String(), status: DecisionStatus, decided_by: Type.String() });

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
  registerCatalogue(app, {
    path: '/api/public/groups',
    summary: 'The catalogue of groups',
    item: CatalogueItem,
    catalogue: catalogues.groups,
    caching: 'public',
    count: groups.countAll,
    read: groups.catalogue,
  });
  registerCatalogue(app, {
    path: '/api/public/group-leaders',
    summary: 'Group leaders and SU admins',
    item: Leader,
    catalogue: catalogues.leaders,
    count: groups.countLeaders,
    read: groups.leaders,
  });
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
      schema: { body: GroupBody, response: { 201: MembershipRequest } },
    },
    async (request, reply) => {
      const made = await groups.requestMembership(actorOf(request), request.body.group_guid);
      const { membership_guid, group_guid, status } = made;
      return reply.code(201).send({ membership_guid, group_guid, status });
    },
  );
}

function registerAdministration(app: HttpApp, groups: Groups): void {
  const list = '/api/groups/admin/pending';
  const decision = '/api/groups/admin/decide';
  registerPending(apiRoutes(app, { tags: ['groups'], permission: 'group:administer' }), {
    list: { path: list, summary: 'Memberships that wait for the caller’s decision', item: PendingItem },
    decision: { path: decision, summary: 'Approve or reject a membership', body: DecideBody, decided: Decided },
    pending: groups.pending,
    countPending: groups.countPending,
    toItem: withPlainCreation,
    async decide(actor, { membership_guid, decision: status, reason }) {
      await groups.decide(actor, { membershipGuid: membership_guid, status, reason: reason?.trim() });
      return { membership_guid, status, decided_by: actor.principal.id };
    },
  });
}
