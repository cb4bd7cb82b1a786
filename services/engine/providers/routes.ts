// Addresses of providers (contract: engine, "Providers and provider tasks"; decision E9).

import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH, created, sendPage } from '../shared/routes.ts';
import { Provider, ProviderInput, ProviderQuery } from './schema.ts';
import type { ProviderService } from './service.ts';

const ALL = `${BASE_PATH}/providers`;
const ONE = `${ALL}/:id`;
const READ = { permission: 'provider:read' } as const;
const ADMINISTER = { permission: 'provider:administer' } as const;
const CREATE = { ...ADMINISTER, idempotent: true } as const;
const tags = ['providers'];

export function registerProviders(app: HttpApp, service: ProviderService): void {
  app.get(
    ALL,
    {
      config: READ,
      schema: { tags, summary: 'List providers', querystring: ProviderQuery, response: { 200: pageOf(Provider) } },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  app.post(
    ALL,
    {
      config: CREATE,
      schema: { tags, summary: 'Add a provider', body: ProviderInput, response: { 201: Provider } },
    },
    async (request, reply) => {
      const provider = await service.create(request.body);
      return created(reply, `/providers/${provider.provider_guid}`, provider);
    },
  );
  app.get(
    ONE,
    { config: READ, schema: { tags, summary: 'Read a provider', params: IdParams, response: { 200: Provider } } },
    async (request) => service.get(request.params.id),
  );
  app.put(
    ONE,
    {
      config: ADMINISTER,
      schema: {
        tags,
        summary: 'Replace a provider',
        params: IdParams,
        body: ProviderInput,
        response: { 200: Provider },
      },
    },
    async (request) => service.replace(request.params.id, request.body),
  );
}
