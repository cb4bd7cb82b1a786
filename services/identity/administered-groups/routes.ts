// /api/groups/admin/groups and below: the groups that one administers, and their members.
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, PageQuery, pageOf, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../actor.ts';
import { GroupType } from '../group-type.ts';
import { closed, DecisionStatus, OptionalText, UserChanged } from '../shared/routes/schema.ts';
import { withPlainCreation } from '../time.ts';
import type { AdministeredGroups } from './service.ts';

const Search = Type.Optional(Type.String({ maxLength: 200, description: 'A part of the name' }));
const GroupItem = Type.Object(
  {
    group_guid: Type.String(),
    name: Type.String(),
    group_type: Type.String(),
    description: OptionalText,
    members: Type.Integer({ description: 'Approved ones' }),
    admins: Type.Integer(),
    pending: Type.Integer({ description: 'Memberships that wait for a decision' }),
    invites: Type.Integer({ description: 'Invites that have not expired' }),
  },
  { title: 'AdministeredGroup' },
);
const MemberItem = Type.Object(
  {
    membership_guid: Type.String(),
    user_guid: Type.String(),
    email: Type.String(),
    first_name: OptionalText,
    last_name: OptionalText,
    status: DecisionStatus,
    is_admin: Type.Boolean(),
    created_at: Type.String(),
  },
  { title: 'GroupMember' },
);
const params = Type.Object({ group_guid: Type.String() }, closed);
const MemberParams = Type.Object({ group_guid: Type.String(), user_guid: Type.String() }, closed);
const MemberListQuery = Type.Object({ ...PageQuery, status: Type.Optional(DecisionStatus), search: Search }, closed);

export function registerAdministeredGroupRoutes(app: HttpApp, groups: AdministeredGroups): void {
  const routes = apiRoutes(app, { tags: ['groups'], permission: 'group:administer' });
  const path = '/api/groups/admin/groups';
  routes.get(
    path,
    'The groups that the caller administers, with how many members each has; all of an SU admin',
    {
      schema: {
        querystring: Type.Object({ ...PageQuery, search: Search, group_type: Type.Optional(GroupType) }, closed),
        response: { 200: pageOf(GroupItem) },
      },
    },
    async (request, reply) => {
      const { query } = request;
      const filter = { search: query.search, groupType: query.group_type };
      const { found, total } = await groups.list(actorOf(request), filter, limitOf(query));
      return sendPage(request, reply, makePage([...found], total, query));
    },
  );
  routes.get(
    `${path}/:group_guid`,
    'One group',
    { config: { errors: ['not_found'] }, schema: { params, response: { 200: GroupItem } } },
    async (request) => groups.read(actorOf(request), request.params.group_guid),
  );
  routes.get(
    `${path}/:group_guid/members`,
    'Its members, admins first; the approved ones unless `status` says others',
    {
      config: { errors: ['not_found'] },
      schema: { params, querystring: MemberListQuery, response: { 200: pageOf(MemberItem) } },
    },
    async (request, reply) => {
      const { query } = request;
      const { status = 'approved', search } = query;
      const asked = { groupGuid: request.params.group_guid, status, search };
      const { found, total } = await groups.members(actorOf(request), asked, limitOf(query));
      return sendPage(request, reply, makePage(found.map(withPlainCreation), total, query));
    },
  );
  routes.delete(
    `${path}/:group_guid/members/:user_guid`,
    'Remove a member, or a membership that was rejected',
    { config: { errors: ['not_found'] }, schema: { params: MemberParams, response: { 200: UserChanged } } },
    async (request) => {
      const { group_guid, user_guid } = request.params;
      await groups.removeMember(actorOf(request), group_guid, user_guid);
      return { message: 'The member is removed', user_guid };
    },
  );
}
