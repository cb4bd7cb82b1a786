// The public catalogues of groups and leaders, the caller's groups, and deciding on memberships (contract: identity,
// Groups and Public; decisions I8 and I12).
import Type from 'typebox';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { actorOf } from '../actor.ts';
import { describeList, ListQuery, listRange } from '../list-page.ts';
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
  app.get(
    '/api/public/groups',
    {
      config: { permission: 'public', caching: 'public', errors: ['rate_limited'] },
      onRequest: rateLimitHook(catalogues.groups.limiter),
      schema: {
        tags: ['public'],
        summary: 'The catalogue of groups',
        querystring: ListQuery,
        response: { 200: Type.Array(CatalogueItem) },
      },
    },
    async (request, reply) => {
      const read = () => groups.catalogue(listRange(request.query));
      if (isUnpaged(request)) return catalogues.groups.list.send(reply, read);
      await describeList(request, reply, groups.countAll);
      return read();
    },
  );
  app.get(
    '/api/public/group-leaders',
    {
      config: { permission: 'public', errors: ['rate_limited'] },
      onRequest: rateLimitHook(catalogues.leaders.limiter),
      schema: {
        tags: ['public'],
        summary: 'Group leaders and SU admins',
        querystring: ListQuery,
        response: { 200: Type.Array(Leader) },
      },
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
  app.get(
    '/api/groups',
    {
      config: { permission: 'group:take-part' },
      schema: {
        tags: ['groups'],
        summary: 'The caller’s approved memberships',
        querystring: ListQuery,
        response: { 200: Type.Array(GroupResponse) },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      await describeList(request, reply, () => groups.countOwn(actor));
      const own = await groups.ownGroups(actor, listRange(request.query));
      return own.map((group) => ({ resourceType: 'Group' as const, ...group }));
    },
  );
  app.post(
    '/api/groups/request-membership',
    {
      config: { permission: 'group:take-part', idempotent: true, errors: ['not_found'] },
      schema: {
        tags: ['groups'],
        summary: 'Ask to join a group',
        body: Type.Object({ group_guid: GuidText }, closed),
        response: { 201: MembershipRequest },
      },
    },
    async (request, reply) => {
      const made = await groups.requestMembership(actorOf(request), request.body.group_guid);
      const { membership_guid, group_guid, status } = made;
      return reply.code(201).send({ membership_guid, group_guid, status });
    },
  );
}

function registerAdministration(app: HttpApp, groups: Groups): void {
  app.get(
    '/api/groups/admin/pending',
    {
      config: { permission: 'group:administer' },
      schema: {
        tags: ['groups'],
        summary: 'Memberships that wait for the caller’s decision',
        querystring: ListQuery,
        response: { 200: Type.Array(PendingItem) },
      },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      await describeList(request, reply, () => groups.countPending(actor));
      const pending = await groups.pending(actor, listRange(request.query));
      return pending.map((item) => ({ ...item, created_at: plainTimestamp(item.created_at) }));
    },
  );
  app.post(
    '/api/groups/admin/decide',
    {
      config: { permission: 'group:administer', idempotent: true, errors: ['not_found'] },
      schema: {
        tags: ['groups'],
        summary: 'Approve or reject a membership',
        body: DecideBody,
        response: { 200: Decided },
      },
    },
    async (request) => {
      const { membership_guid: membershipGuid, decision: status } = request.body;
      const actor = actorOf(request);
      await groups.decide(actor, { membershipGuid, status });
      return { membership_guid: membershipGuid, status, decided_by: actor.principal.id };
    },
  );
}
