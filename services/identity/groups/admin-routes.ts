// POST /api/admin/assign-group-admin and DELETE /api/admin/groups/{group_guid} (contract: identity, Admin; decision
// I10).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { closed } from '../shared/routes/schema.ts';
import { GuidText } from '../text.ts';
import type { Groups } from './service.ts';

const Assigned = Type.Object({
  message: Type.String(),
  user_guid: Type.String(),
  group_guid: Type.String(),
  is_admin: Type.Boolean(),
});
const Deleted = Type.Object({ message: Type.String(), group_guid: Type.String() });

export function registerGroupAdminRoutes(app: HttpApp, groups: Groups): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.post(
    '/api/admin/assign-group-admin',
    'Make an approved member an admin of the group',
    {
      config: { errors: ['not_found', 'conflict'] },
      schema: { body: Type.Object({ user_guid: GuidText, group_guid: GuidText }, closed), response: { 200: Assigned } },
    },
    async (request) => {
      const { user_guid, group_guid } = request.body;
      await groups.assignAdmin(actorOf(request), { userGuid: user_guid, groupGuid: group_guid });
      return { message: 'The user administers the group', user_guid, group_guid, is_admin: true };
    },
  );
  routes.delete(
    '/api/admin/groups/:group_guid',
    'Remove a group with its memberships and invites',
    { schema: { params: Type.Object({ group_guid: Type.String() }, closed), response: { 200: Deleted } } },
    async (request) => {
      const { group_guid } = request.params;
      await groups.remove(actorOf(request), group_guid);
      return { message: 'The group is removed', group_guid };
    },
  );
}
