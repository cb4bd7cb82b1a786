// Routes of synchronisations (contract: engine, POST /synchronize; decision E11).
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import { checkedBy } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { BASE_PATH } from '../shared/routes.ts';
import {
  ConflictQuery,
  JobParams,
  SyncConflict,
  SyncDetail,
  SyncInput,
  SyncQuery,
  SyncStarted,
  SyncView,
} from './schema.ts';
import type { SyncService } from './service.ts';

const ALL = `${BASE_PATH}/synchronize`;
const ONE = `${ALL}/:job_guid`;
const CHANGE = { errors: ['conflict'] } as const;

export function registerSynchronize(app: HttpApp, service: SyncService): void {
  const routes = apiRoutes(app, { tags: ['synchronization'], permission: 'server:administer' });
  routes.post(
    ALL,
    'Synchronize resources with an external server, in the background',
    {
      config: { errors: ['conflict', 'not_found'], idempotent: true },
      ...checkedBy(service.issuesOf),
      schema: { body: SyncInput, response: { 202: SyncStarted } },
    },
    async (request, reply) => {
      const guid = await service.start(request.body, actorOf(request));
      return reply.code(202).header('location', `${ALL}/${guid}`).send({ job_guid: guid });
    },
  );
  routes.get(
    ALL,
    'List synchronizations',
    { schema: { querystring: SyncQuery, response: { 200: pageOf(SyncView) } } },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  registerOne(routes, service);
}

function registerOne(routes: ApiRoutes, service: SyncService): void {
  const schema = { params: JobParams, response: { 200: SyncDetail } };
  routes.get(ONE, 'How far a synchronization is', { schema }, async (request) => service.get(request.params.job_guid));
  routes.get(
    `${ONE}/conflicts`,
    'What the two sides do not agree on',
    { schema: { params: JobParams, querystring: ConflictQuery, response: { 200: pageOf(SyncConflict) } } },
    async (request, reply) => sendPage(request, reply, await service.conflicts(request.params.job_guid, request.query)),
  );
  routes.post(`${ONE}/stop`, 'Stop a synchronization', { config: CHANGE, schema }, async (request) =>
    service.stop(request.params.job_guid, actorOf(request)),
  );
  routes.post(`${ONE}/resume`, 'Go on with a synchronization', { config: CHANGE, schema }, async (request) =>
    service.resume(request.params.job_guid, actorOf(request)),
  );
  routes.remove(ONE, 'Forget a synchronization', {
    config: CHANGE,
    params: JobParams,
    run: (request) => service.remove(request.params.job_guid, actorOf(request)),
  });
}
