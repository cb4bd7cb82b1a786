// Routes of the list of external servers and of their status (contract: engine, "External server integration"; decision
// E11).
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import { checkedOnSchemaError, isFields } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { BASE_PATH, created } from '../shared/routes.ts';
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

export function registerServers(app: HttpApp, service: ServerService, statuses: ServerStatusService): void {
  const routes = apiRoutes(app, { tags: ['external servers'], permission: 'server:administer' });
  registerStates(routes, service, statuses);
  routes.get(
    ALL,
    'List external servers',
    { schema: { querystring: ServerQuery, response: { 200: pageOf(ServerView) } } },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  routes.post(
    ALL,
    'Register an external server',
    {
      config: { idempotent: true },
      ...checkedOnSchemaError((fields) => service.issuesOf(fields)),
      schema: { body: ServerInput, response: { 201: ServerView } },
    },
    async (request, reply) => {
      const server = await service.create(request.body, actorOf(request));
      return created(reply, `/servers/${server.name}`, server);
    },
  );
  routes.get(
    ONE,
    'Read an external server',
    { config: { errors: ['validation_error'] }, schema: { params: ServerParams, response: { 200: ServerView } } },
    async (request) => service.get(request.params.server_name),
  );
  routes.put(
    ONE,
    'Replace an external server; its secret may be left out when it is signed in to as before',
    {
      config: { errors: ['conflict'] },
      ...checkedOnSchemaError((fields, { params }) => service.issuesOf(fields, nameIn(params))),
      schema: { params: ServerParams, body: ServerChange, response: { 200: ServerView } },
    },
    async (request) => service.replace(request.params.server_name, request.body, actorOf(request)),
  );
  routes.remove(ONE, 'Remove an external server', {
    config: { errors: ['conflict', 'validation_error'] },
    params: ServerParams,
    run: (request) => service.remove(request.params.server_name, actorOf(request)),
  });
}

function nameIn(params: unknown): string {
  return isFields(params) ? String(params['server_name']) : '';
}

function registerStates(routes: ApiRoutes, service: ServerService, statuses: ServerStatusService): void {
  routes.get(
    `${ALL}/status`,
    'What calls to each external server have met',
    { config: READ, schema: { response: { 200: ServerStatuses } } },
    async () => ({ servers: await statuses.statuses() }),
  );
  routes.get(
    `${ALL}/test-all`,
    'Ask every external server for its capabilities',
    { schema: { response: { 200: ServerTests } } },
    async () => ({ servers: await statuses.testAll() }),
  );
  routes.post(
    `${ALL}/test`,
    'Ask a server that need not be registered for its capabilities',
    {
      ...checkedOnSchemaError(({ name: _, ...fields }) => service.issuesOf(fields)),
      schema: { body: ServerChange, response: { 200: ServerTest } },
    },
    async (request) => statuses.test(request.body),
  );
}
