// Routes that return and receive how often API keys are used (contract: engine, "Authentication, users, API keys").
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { ApiKeyUsage, KeyParams, UsageBatch, UsageQuery } from './schema.ts';
import type { KeyUsageService } from './usage-service.ts';

const ALL = `${BASE_PATH}/api-keys`;

export function registerKeyUsage(app: HttpApp, usage: KeyUsageService): void {
  const routes = apiRoutes(app, { tags: ['api-keys'] });
  routes.get(
    `${ALL}/:key_guid/usage`,
    'How often an API key was used',
    {
      config: { permission: 'api-key:administer' },
      schema: { params: KeyParams, querystring: UsageQuery, response: { 200: ApiKeyUsage } },
    },
    async (request) => usage.read(request.params.key_guid, request.query.days),
  );
  routes.post(
    `${ALL}/usage`,
    'What another service has counted; a batch counts once',
    { config: { permission: 'api-key:count-use' }, schema: { body: UsageBatch, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const { batch_guid: batchGuid, uses } = request.body;
      await usage.addBatch({
        batchGuid,
        uses: uses.map((use) => ({
          keyGuid: use.key_guid,
          day: use.day,
          requests: use.requests,
          lastUsedAt: Date.parse(use.last_used_at),
        })),
      });
      return reply.code(204).send(null);
    },
  );
}
