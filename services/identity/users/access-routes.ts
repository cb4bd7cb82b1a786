// GET /api/auth/users/{user_guid}/access: the present access of a user. Services call it when they continue a user's
// work after the user's token is gone (decision G8).
import Type from 'typebox';
import { AccessBlob } from '#lib/auth/access-blob.ts';
import type { Database } from '#lib/db/database.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { Users } from './service.ts';

const Params = Type.Object({ user_guid: Type.String() });

export function registerUserAccessRoutes(app: HttpApp, users: Users, database: Database): void {
  app.get(
    '/api/auth/users/:user_guid/access',
    {
      config: { permission: 'access:read-any', errors: ['not_found'] },
      schema: {
        tags: ['auth'],
        summary: 'What a user may do now, for services',
        params: Params,
        response: { 200: AccessBlob },
      },
    },
    async (request) => {
      const { user_guid: guid } = request.params;
      const blob = isGuid(guid) ? await users.readAccessBlob(database, guid, null) : undefined;
      if (blob === undefined) throw notFound('User');
      return blob;
    },
  );
}
