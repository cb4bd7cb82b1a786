// GET /api/auth/users/{user_guid}/access: the present access of a user. Services call it when they continue a user's
// work after the user's token is gone (decision G8).
import Type from 'typebox';
import { AccessBlob } from '#lib/auth/access-blob.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { isServiceOfOthers } from '../shared/protected-patients.ts';
import type { Users } from './service.ts';

const Params = Type.Object({ user_guid: Type.String() });

export function registerUserAccessRoutes(app: HttpApp, users: Users, database: Database): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'access:read-any' });
  routes.get(
    '/api/auth/users/:user_guid/access',
    'What a user may do now, for services',
    { config: { errors: ['not_found'] }, schema: { params: Params, response: { 200: AccessBlob } } },
    async (request) => {
      const { user_guid: guid } = request.params;
      const blob = isGuid(guid) ? await users.readNamedAccess(database, guid) : undefined;
      if (blob === undefined) throw notFound('User');
      const hides = blob.user_type === 'patient' && isServiceOfOthers(requirePrincipal(request));
      return hides && (await users.hidesOrganisation(guid)) ? { ...blob, organisation_guid: '' } : blob;
    },
  );
}
