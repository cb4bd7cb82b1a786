// GET /api/auth/users/{user_guid}/proxies: whose proxy a user is or was, for the access checks of dispatch and engine
// (docs/adr/0091).
import Type from 'typebox';
import { ProxyRelations } from '#clients/identity-proxies.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { linkedRecordsOf } from '../shared/linked-records.ts';
import type { Proxies } from './service.ts';

const Params = Type.Object({ user_guid: Type.String() });

export function registerProxyRelationRoute(app: HttpApp, proxies: Pick<Proxies, 'relationsOf'>): void {
  apiRoutes(app, { tags: ['auth'], permission: 'proxy:read-any' }).get(
    '/api/auth/users/:user_guid/proxies',
    'Whose proxy a user is, was or is asked to be, for services',
    { config: { errors: ['not_found'] }, schema: { params: Params, response: { 200: ProxyRelations } } },
    async (request) => {
      const { user_guid: guid } = request.params;
      if (!isGuid(guid)) throw notFound('User');
      const rows = await proxies.relationsOf(guid);
      return {
        proxies: rows.map(({ linked, ends_at: until, ended_at: ended, ...row }) => ({
          ...row,
          ...linkedRecordsOf(linked),
          ends_at: until.toISOString(),
          ended_at: ended?.toISOString() ?? null,
        })),
      };
    },
  );
}
