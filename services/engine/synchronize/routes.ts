// Routes of synchronisations (contract: engine, POST /synchronize; decision E11).
import Type from 'typebox';
import { checkedBy } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { BASE_PATH, sendPage } from '../shared/routes.ts';
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
const ADMINISTER = { permission: 'server:administer' } as const;
const CHANGE = { ...ADMINISTER, errors: ['conflict'] } as const;
const tags = ['synchronization'];

export function registerSynchronize(app: HttpApp, service: SyncService): void {
  app.post(
    ALL,
    {
      config: { ...CHANGE, errors: ['conflict', 'not_found'], idempotent: true },
      ...checkedBy(service.issuesOf),
      schema: {
        tags,
        summary: 'Synchronize resources with an external server, in the background',
        body: SyncInput,
        response: { 202: SyncStarted },
      },
    },
    async (request, reply) => {
      const guid = await service.start(request.body, actorOf(request));
      return reply.code(202).header('location', `${ALL}/${guid}`).send({ job_guid: guid });
    },
  );
  app.get(
    ALL,
    {
      config: ADMINISTER,
      schema: { tags, summary: 'List synchronizations', querystring: SyncQuery, response: { 200: pageOf(SyncView) } },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  registerOne(app, service);
}

function registerOne(app: HttpApp, service: SyncService): void {
  const of = (summary: string) => ({ tags, summary, params: JobParams, response: { 200: SyncDetail } });
  app.get(ONE, { config: ADMINISTER, schema: of('How far a synchronization is') }, async (request) =>
    service.get(request.params.job_guid),
  );
  app.get(
    `${ONE}/conflicts`,
    {
      config: ADMINISTER,
      schema: {
        tags,
        summary: 'What the two sides do not agree on',
        params: JobParams,
        querystring: ConflictQuery,
        response: { 200: pageOf(SyncConflict) },
      },
    },
    async (request, reply) => sendPage(request, reply, await service.conflicts(request.params.job_guid, request.query)),
  );
  app.post(`${ONE}/stop`, { config: CHANGE, schema: of('Stop a synchronization') }, async (request) =>
    service.stop(request.params.job_guid, actorOf(request)),
  );
  app.post(`${ONE}/resume`, { config: CHANGE, schema: of('Go on with a synchronization') }, async (request) =>
    service.resume(request.params.job_guid, actorOf(request)),
  );
  app.delete(
    ONE,
    {
      config: CHANGE,
      schema: { tags, summary: 'Forget a synchronization', params: JobParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await service.remove(request.params.job_guid, actorOf(request));
      return reply.code(204).send(null);
    },
  );
}
