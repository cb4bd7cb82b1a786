// POST …/access-checks, the same at every service that holds records (docs/adr/0105). A POST, since the question names
// a person and a record, which are kept out of addresses.
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { AccessCheck, AccessCheckInput } from './schema.ts';
import type { ExplainAccess } from './service.ts';

export function registerAccessCheck(app: HttpApp, path: string, explainAccess: ExplainAccess): void {
  apiRoutes(app, { tags: ['access-checks'], permission: 'access:explain' }).post(
    path,
    'What a person, key or provider may do with a record, and by which rules',
    {
      config: { errors: ['not_found', 'upstream_unavailable'] },
      schema: { body: AccessCheckInput, response: { 200: AccessCheck } },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const asking = { principal: requirePrincipal(request), address: request.ip, requestId: request.id };
      return explainAccess(asking, request.body);
    },
  );
}
