// Addresses of goals (contract: engine, "Activities and goals"; decision E7).
import Type from 'typebox';
import { requirePrincipal } from '#lib/http/app.ts';
import { judgedBesides } from '#lib/http/fitness.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH, created, sendPage } from '../shared/routes.ts';
import { Goal, GoalInput, GoalQuery } from './schema.ts';
import type { GoalService } from './service.ts';

const ALL = `${BASE_PATH}/goals`;
const ONE = `${ALL}/:id`;
const READ = { permission: 'library:read' } as const;
const WRITE = { permission: 'library:write' } as const;
const CREATE = { ...WRITE, idempotent: true } as const;
const tags = ['library'];

export function registerGoals(app: HttpApp, service: GoalService): void {
  app.get(
    ALL,
    {
      config: READ,
      schema: { tags, summary: 'List goals', querystring: GoalQuery, response: { 200: pageOf(Goal) } },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  app.post(
    ALL,
    {
      config: CREATE,
      ...judgedBesides(service.issuesOf),
      schema: { tags, summary: 'Add a goal', body: GoalInput, response: { 201: Goal } },
    },
    async (request, reply) => {
      const goal = await service.create(request.body, requirePrincipal(request));
      return created(reply, `/goals/${goal.goal_guid}`, goal);
    },
  );
  registerGoal(app, service);
}

function registerGoal(app: HttpApp, service: GoalService): void {
  app.get(
    ONE,
    { config: READ, schema: { tags, summary: 'Read a goal', params: IdParams, response: { 200: Goal } } },
    async (request) => service.get(request.params.id),
  );
  app.put(
    ONE,
    {
      config: WRITE,
      ...judgedBesides(service.issuesOf),
      schema: { tags, summary: 'Replace a goal', params: IdParams, body: GoalInput, response: { 200: Goal } },
    },
    async (request) => service.replace(request.params.id, request.body, requirePrincipal(request)),
  );
  app.delete(
    ONE,
    {
      config: WRITE,
      schema: { tags, summary: 'Delete a goal', params: IdParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await service.remove(request.params.id, requirePrincipal(request));
      return reply.code(204).send(null);
    },
  );
}
