// POST /api/auth/registered-ids: which guids identity has assigned, for services that store FHIR resources under the
// same ids (decision G1, docs/adr/0051). It returns no names.
import { RegisteredIds as RegisteredIdList } from '#clients/identity-client.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { GuidsBody } from '../shared/routes/schema.ts';
import type { RegisteredIds } from './service.ts';

export function registerRegisteredIdRoutes(app: HttpApp, find: RegisteredIds): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'registered-id:resolve' });
  routes.post(
    '/api/auth/registered-ids',
    'Which guids are of people, organisations and groups, for services',
    { schema: { body: GuidsBody, response: { 200: RegisteredIdList } } },
    async (request) => {
      const found = await find(requirePrincipal(request), request.body.guids);
      return {
        ids: found.map(({ guid, type, organisationGuids }) => ({
          guid,
          type,
          organisation_guids: [...organisationGuids],
        })),
      };
    },
  );
}
