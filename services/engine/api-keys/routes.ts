// Addresses of API keys (contract: engine, "Authentication, users, API keys"; decision E8).
import Type from 'typebox';
import { checkedBy, checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { BASE_PATH, created, sendPage } from '../shared/routes.ts';
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
const tags = ['api-keys'];
const params = KeyParams;

export function registerApiKeys(app: HttpApp, service: ApiKeyService): void {
  app.get(
    ALL,
    {
      config,
      schema: { tags, summary: 'List API keys', querystring: ApiKeyQuery, response: { 200: pageOf(ApiKey) } },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  app.post(
    ALL,
    {
      config: shownOnce,
      ...checkedOnSchemaError(service.issuesOfNew),
      schema: {
        tags,
        summary: 'Create an API key; the answer alone shows it',
        body: ApiKeyInput,
        response: { 201: ApiKeyWithSecret },
      },
    },
    async (request, reply) => {
      const key = await service.create(request.body, actorOf(request));
      reply.header('cache-control', 'no-store');
      return created(reply, `/api-keys/${key.key_guid}`, key);
    },
  );
  registerIntrospection(app, service);
  registerKey(app, service);
}

function registerIntrospection(app: HttpApp, service: ApiKeyService): void {
  app.post(
    `${ALL}/introspect`,
    {
      config: { permission: 'api-key:introspect' },
      schema: {
        tags,
        summary: 'What a key stands for, asked by another service',
        body: IntrospectInput,
        response: { 200: Introspection },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return service.introspect(request.body.key);
    },
  );
}

function registerKey(app: HttpApp, service: ApiKeyService): void {
  app.get(
    ONE,
    { config, schema: { tags, summary: 'Read an API key', params, response: { 200: ApiKey } } },
    async (request) => service.get(request.params.key_guid),
  );
  app.put(
    ONE,
    {
      config: { ...config, errors: ['conflict'] },
      ...checkedBy(service.issuesOfChange),
      schema: {
        tags,
        summary: 'Replace name, scopes, expiry and status of an API key',
        params,
        body: ApiKeyUpdate,
        response: { 200: ApiKey },
      },
    },
    async (request) => service.replace(request.params.key_guid, request.body, actorOf(request)),
  );
  registerRotationAndRemoval(app, service);
}

function registerRotationAndRemoval(app: HttpApp, service: ApiKeyService): void {
  app.post(
    `${ONE}/rotate`,
    {
      config: shownOnce,
      schema: {
        tags,
        summary: 'Replace the key by a new one; the answer alone shows it',
        params,
        body: RotateInput,
        response: { 200: ApiKeyWithSecret },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return service.rotate(request.params.key_guid, request.body ?? {}, actorOf(request));
    },
  );
  app.delete(
    ONE,
    {
      config,
      schema: { tags, summary: 'Delete an API key; it stops working', params, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await service.remove(request.params.key_guid, actorOf(request));
      return reply.code(204).send(null);
    },
  );
}
