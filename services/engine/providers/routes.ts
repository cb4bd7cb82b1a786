// Routes of providers (contract: engine, "Providers and provider tasks"; decision E9), and the directory in which
// patients find the one that a decision of theirs is about (decision L3).
import type { FastifyRequest } from 'fastify';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf, sendPage } from '#lib/http/response/page.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { registerRecordRoutes, summariesOf } from '../shared/record-routes.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { DirectoryQuery, Provider, ProviderInput, ProviderQuery, ProviderSummary } from './schema.ts';
import type { ProviderService } from './service.ts';

const tags = ['providers'];

/** `directoryLimiter` counts the searches of each patient. */
export function registerProviders(app: HttpApp, service: ProviderService, directoryLimiter: RateLimiter): void {
  registerRecordRoutes(app, {
    path: '/providers',
    tags,
    permissions: { read: 'provider:read', write: 'provider:administer' },
    schemas: { output: Provider, input: ProviderInput, query: ProviderQuery },
    summaries: summariesOf('provider'),
    service,
    guidOf: ({ provider_guid: guid }) => guid,
    versionOf: ({ version }) => version,
  });
  apiRoutes(app, { tags, permission: 'consent:decide-own' }).get(
    `${BASE_PATH}/provider-directory`,
    'Providers by name and region, for a patient who decides whom a consent is about',
    {
      config: { errors: ['rate_limited'] },
      preValidation: rateLimitHook(directoryLimiter, (request: FastifyRequest) => requirePrincipal(request).id),
      schema: { querystring: DirectoryQuery, response: { 200: pageOf(ProviderSummary) } },
    },
    async (request, reply) => sendPage(request, reply, await service.directory(request.query)),
  );
}
