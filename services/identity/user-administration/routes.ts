// DELETE /api/admin/users/{user_guid}, POST …/block and …/unblock, and POST /api/admin/promote-su (contract: identity,
// Admin; decision I10).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { GuidText } from '../text.ts';
import type { UserAdministration } from './service.ts';

const closed = { additionalProperties: false };
const Changed = Type.Object({ message: Type.String(), user_guid: Type.String() });
const PromoteBody = Type.Object(
  { user_guid: GuidText, password: Type.String({ maxLength: 1024, description: 'The caller’s own password' }) },
  closed,
);
const Promoted = Type.Object({ message: Type.String(), user_guid: Type.String(), is_su_admin: Type.Boolean() });

export function registerUserAdministrationRoutes(app: HttpApp, users: UserAdministration): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.delete(
    '/api/admin/users/:user_guid',
    'Delete a user; the user’s tokens stop counting at once',
    {
      config: { errors: ['conflict'] },
      schema: { params: Type.Object({ user_guid: Type.String() }, closed), response: { 200: Changed } },
    },
    async (request) => {
      const { user_guid } = request.params;
      await users.remove(actorOf(request), user_guid);
      return { message: 'The user is deleted', user_guid };
    },
  );
  const changes = {
    config: { errors: ['not_found', 'conflict'] },
    schema: { params: Type.Object({ user_guid: Type.String() }, closed), response: { 200: Changed } },
  } as const;
  routes.post(
    '/api/admin/users/:user_guid/block',
    'Block a user, who cannot sign in; the user’s tokens stop counting at once',
    changes,
    async (request) => {
      const { user_guid } = request.params;
      await users.block(actorOf(request), user_guid);
      return { message: 'The user is blocked', user_guid };
    },
  );
  routes.post('/api/admin/users/:user_guid/unblock', 'Unblock a user', changes, async (request) => {
    const { user_guid } = request.params;
    await users.unblock(actorOf(request), user_guid);
    return { message: 'The user is unblocked', user_guid };
  });
  routes.post(
    '/api/admin/promote-su',
    'Make a professional an SU admin',
    {
      config: { errors: ['authentication_failed', 'not_found', 'conflict', 'rate_limited'] },
      schema: { body: PromoteBody, response: { 200: Promoted } },
    },
    async (request) => {
      const { user_guid, password } = request.body;
      await users.promote(actorOf(request), { userGuid: user_guid, password });
      return { message: 'The user is an SU admin', user_guid, is_su_admin: true };
    },
  );
}
