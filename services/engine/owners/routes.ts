// Routes of owners (docs/adr/0060).
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { Owner, OwnerInput, OwnerParams } from './schema.ts';
import type { OwnerService } from './service.ts';

const ONE = `${BASE_PATH}/owners/:type/:id`;

export function registerOwners(app: HttpApp, service: OwnerService): void {
  const routes = apiRoutes(app, { tags: ['owners'] });
  routes.get(
    ONE,
    'Which organisation owns a definition, a directory entry or an entry of the library',
    { config: { permission: 'owner:read' }, schema: { params: OwnerParams, response: { 200: Owner } } },
    async (request) => service.read(request.params),
  );
  routes.put(
    ONE,
    'Give it to another organisation, or to the whole system',
    {
      config: { permission: 'owner:administer' },
      schema: { params: OwnerParams, body: OwnerInput, response: { 200: Owner } },
    },
    async (request) => {
      const caller = { principal: requirePrincipal(request), address: request.ip, requestId: request.id };
      return service.transfer(caller, request.params, request.body.organisation_guid);
    },
  );
}
