// Routes of the list of external servers and of their status (contract: engine, "External server integration"; decision
// E11).
import Type from 'typebox';
import { checkedOnSchemaError, isFields } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { BASE_PATH, created, sendPage } from '../shared/routes.ts';
import {
  ServerChange,
  ServerInput,
  ServerParams,
  ServerQuery,
  ServerStatuses,
  ServerTest,
  ServerTests,
  ServerView,
} from './schema.ts';
import type { ServerService } from './service.ts';
import type { ServerStatusService } from './status-service.ts';

const ALL = `${BASE_PATH}/servers`;
const ONE = `${ALL}/:server_name`;
const READ = { permission: 'server:read-status' } as const;
const ADMINISTER = { permission: 'server:administer' } as const;
const tags = ['external servers'];

export function registerServers(app: HttpApp, service: ServerService, statuses: ServerStatusService): void {
  registerStates(app, service, statuses);
  app.get(
    ALL,
    {
      config: ADMINISTER,
      schema: {
        tags,
        summary: 'List external servers',
        querystring: ServerQuery,
        response: { 200: pageOf(ServerView) },
      },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  app.post(
    ALL,
    {
      config: { ...ADMINISTER, idempotent: true },
      ...checkedOnSchemaError((fields) => service.issuesOf(fields)),
      schema: { tags, summary: 'Register an external server', body: ServerInput, response: { 201: ServerView } },
    },
    async (request, reply) => {
      const server = await service.create(request.body, actorOf(request));
      return created(reply, `/servers/${server.name}`, server);
    },
  );
  app.get(
    ONE,
    {
      config: ADMINISTER,
      schema: { tags, summary: 'Read an external server', params: ServerParams, response: { 200: ServerView } },
    },
    async (request) => service.get(request.params.server_name),
  );
  app.put(
    ONE,
    {
      config: { ...ADMINISTER, errors: ['conflict'] },
      ...checkedOnSchemaError((fields, { params }) => service.issuesOf(fields, nameIn(params))),
      schema: {
        tags,
        summary: 'Replace an external server; its secret may be left out when it is signed in to as before',
        params: ServerParams,
        body: ServerChange,
        response: { 200: ServerView },
      },
    },
    async (request) => service.replace(request.params.server_name, request.body, actorOf(request)),
  );
  app.delete(
    ONE,
    {
      config: { ...ADMINISTER, errors: ['conflict'] },
      schema: { tags, summary: 'Remove an external server', params: ServerParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await service.remove(request.params.server_name, actorOf(request));
      return reply.code(204).send(null);
    },
  );
}

function nameIn(params: unknown): string {
  return isFields(params) ? String(params['server_name']) : '';
}

function registerStates(app: HttpApp, service: ServerService, statuses: ServerStatusService): void {
  app.get(
    `${ALL}/status`,
    {
      config: READ,
      schema: { tags, summary: 'What calls to each external server have met', response: { 200: ServerStatuses } },
    },
    async () => ({ servers: await statuses.statuses() }),
  );
  app.get(
    `${ALL}/test-all`,
    {
      config: ADMINISTER,
      schema: { tags, summary: 'Ask every external server for its capabilities', response: { 200: ServerTests } },
    },
    async () => ({ servers: await statuses.testAll() }),
  );
  app.post(
    `${ALL}/test`,
    {
      config: ADMINISTER,
      ...checkedOnSchemaError(({ name: _, ...fields }) => service.issuesOf(fields)),
      schema: {
        tags,
        summary: 'Ask a server that need not be registered for its capabilities',
        body: ServerChange,
        response: { 200: ServerTest },
      },
    },
    async (request) => statuses.test(request.body),
  );
}
