// Addresses of API keys (contract: engine, "Authentication, users, API keys"; decision E8).
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import { checkedBy, checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { BASE_PATH, created } from '../shared/routes.ts';
import {
  ApiKey,
  ApiKeyInput,
  ApiKeyQuery,
  ApiKeyUpdate,
  ApiKeyWithSecret,
  IntrospectInput,
  Introspection,
  KeyParams,
  RotateInput,
} from './schema.ts';
import type { ApiKeyService } from './service.ts';

const ALL = `${BASE_PATH}/api-keys`;
const ONE = `${ALL}/:key_guid`;
const config = { permission: 'api-key:administer' } as const;
const shownOnce = { ...config, idempotent: true } as const;
const params = KeyParams;

export function registerApiKeys(app: HttpApp, service: ApiKeyService): void {
  const routes = apiRoutes(app, { tags: ['api-keys'], permission: 'api-key:administer' });
  routes.get(
    ALL,
    'List API keys',
    { schema: { querystring: ApiKeyQuery, response: { 200: pageOf(ApiKey) } } },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  routes.post(
    ALL,
    'Create an API key; the answer alone shows it',
    {
      config: shownOnce,
      ...checkedOnSchemaError(service.issuesOfNew),
      schema: { body: ApiKeyInput, response: { 201: ApiKeyWithSecret } },
    },
    async (request, reply) => {
      const key = await service.create(request.body, actorOf(request));
      reply.header('cache-control', 'no-store');
      return created(reply, `/api-keys/${key.key_guid}`, key);
    },
  );
  registerIntrospection(routes, service);
  registerKey(routes, service);
}

function registerIntrospection(routes: ApiRoutes, service: ApiKeyService): void {
  routes.post(
    `${ALL}/introspect`,
    'What a key stands for, asked by another service',
    {
      config: { permission: 'api-key:introspect' },
      schema: { body: IntrospectInput, response: { 200: Introspection } },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return service.introspect(request.body);
    },
  );
}

function registerKey(routes: ApiRoutes, service: ApiKeyService): void {
  routes.get(ONE, 'Read an API key', { schema: { params, response: { 200: ApiKey } } }, async (request) =>
    service.get(request.params.key_guid),
  );
  routes.put(
    ONE,
    'Replace name, scopes, expiry and status of an API key',
    {
      config: { errors: ['conflict'] },
      ...checkedBy(service.issuesOfChange),
      schema: { params, body: ApiKeyUpdate, response: { 200: ApiKey } },
    },
    async (request) => service.replace(request.params.key_guid, request.body, actorOf(request)),
  );
  registerRotationAndRemoval(routes, service);
}

function registerRotationAndRemoval(routes: ApiRoutes, service: ApiKeyService): void {
  routes.post(
    `${ONE}/rotate`,
    'Replace the key by a new one; the answer alone shows it',
    { config: shownOnce, schema: { params, body: RotateInput, response: { 200: ApiKeyWithSecret } } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return service.rotate(request.params.key_guid, request.body ?? {}, actorOf(request));
    },
  );
  routes.remove(ONE, 'Delete an API key; it stops working', {
    params,
    run: (request) => service.remove(request.params.key_guid, actorOf(request)),
  });
}
