// Routes of providers (contract: engine, "Providers and provider tasks"; decision E9).
import type { HttpApp } from '#lib/http/http-app.ts';
import { registerRecordRoutes, summariesOf } from '../shared/record-routes.ts';
import { Provider, ProviderInput, ProviderQuery } from './schema.ts';
import type { ProviderService } from './service.ts';

export function registerProviders(app: HttpApp, service: ProviderService): void {
  registerRecordRoutes(app, {
    path: '/providers',
    tags: ['providers'],
    permissions: { read: 'provider:read', write: 'provider:administer' },
    schemas: { output: Provider, input: ProviderInput, query: ProviderQuery },
    summaries: summariesOf('provider'),
    service,
    guidOf: ({ provider_guid: guid }) => guid,
    versionOf: ({ version }) => version,
  });
}
