// HTTP of provider endpoints (decision D9): /api/v1/providers/{provider_guid}/endpoint.
import type { Static } from 'typebox';
import { notFound } from '#lib/errors.ts';
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import { checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf } from '../shared/actor.ts';
import { limitOfProvider } from '../shared/providers/send-limit.ts';
import { PROVIDER_GUID_PATTERN } from '../shared/wire.ts';
import {
  EndpointInput,
  EndpointView,
  NewEndpointView,
  PingResponse,
  ProviderParams,
  RotatedSecret,
  RotateInput,
} from './schema.ts';
import type { Endpoint, EndpointService } from './service.ts';

const PATH = '/providers/:provider_guid/endpoint';
const OWN = { permission: 'endpoint:use-own' } as const;
const ROTATE = { permission: 'endpoint:rotate-secret' } as const;
const SET = { permission: 'endpoint:set' } as const;
const PROVIDER_GUID = new RegExp(PROVIDER_GUID_PATTERN);

export function registerEndpointRoutes(app: HttpApp, endpoints: EndpointService, sendLimiter: RateLimiter): void {
  const routes = apiRoutes(app, { tags: ['provider endpoints'], permission: 'endpoint:administer' });
  registerEndpoint(routes, endpoints);
  registerSending(routes, endpoints, sendLimiter);
}

function registerSending(routes: ApiRoutes, endpoints: EndpointService, sendLimiter: RateLimiter): void {
  routes.post(
    `${PATH}/rotate-secret`,
    'Replace the signing secret',
    {
      config: { ...ROTATE, idempotent: true, errors: ['conflict', 'rate_limited'] },
      preValidation: limitOfProvider(sendLimiter),
      schema: { params: ProviderParams, body: RotateInput, response: { 200: RotatedSecret } },
    },
    async (request, reply) => {
      const guid = providerOf(request.params);
      const { endpoint, secret } = await endpoints.rotate(actorOf(request), guid, request.body.grace_hours);
      reply.header('cache-control', 'no-store');
      return { secret, previous_secret_valid_until: endpoint.previousSecretUntil?.toISOString() ?? null };
    },
  );
  routes.post(
    `${PATH}/ping`,
    'Send a signed ping',
    {
      config: { ...OWN, idempotent: true, errors: ['conflict', 'rate_limited'] },
      preValidation: limitOfProvider(sendLimiter),
      schema: { params: ProviderParams, response: { 202: PingResponse } },
    },
    async (request, reply) => {
      const delivery = await endpoints.ping(actorOf(request), providerOf(request.params));
      return reply.code(202).send({ delivery_guid: delivery });
    },
  );
}

function registerEndpoint(routes: ApiRoutes, endpoints: EndpointService): void {
  const view = (endpoint: Endpoint) => toView(endpoint, endpoints.isInbox(endpoint));
  routes.get(
    PATH,
    'Read the endpoint',
    { config: OWN, schema: { params: ProviderParams, response: { 200: EndpointView } } },
    async (request) => view(await endpoints.read(actorOf(request), providerOf(request.params))),
  );
  routes.put(
    PATH,
    'Set the endpoint; the secret is answered when it is made',
    {
      config: SET,
      ...checkedOnSchemaError(({ url }) => (typeof url === 'string' ? endpoints.urlIssues(url) : [])),
      schema: { params: ProviderParams, body: EndpointInput, response: { 200: EndpointView, 201: NewEndpointView } },
    },
    async (request, reply) => {
      const input = { providerGuid: providerOf(request.params), ...request.body };
      const { endpoint, secret } = await endpoints.put(actorOf(request), input);
      if (secret === undefined) return view(endpoint);
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...view(endpoint), secret });
    },
  );
  routes.remove(PATH, 'Remove the endpoint: the provider is served by the feed alone', {
    params: ProviderParams,
    run: (request) => endpoints.remove(actorOf(request), providerOf(request.params)),
  });
}

function providerOf(params: Static<typeof ProviderParams>): string {
  if (!PROVIDER_GUID.test(params.provider_guid)) throw notFound('Provider');
  return params.provider_guid;
}

function toView(endpoint: Endpoint, isInbox: boolean): Static<typeof EndpointView> {
  return {
    provider_guid: endpoint.providerGuid,
    url: endpoint.url,
    enabled: endpoint.enabled,
    disabled_reason: endpoint.disabledReason ?? null,
    is_hosted: isInbox,
    previous_secret_valid_until: endpoint.previousSecretUntil?.toISOString() ?? null,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}
