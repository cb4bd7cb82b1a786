// HTTP of push and push-one (decision D6): POST /api/v1/ServiceRequest/{id}/push and …/push/{match_guid}.
import type { Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { checkedBy } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../shared/actor.ts';
import { momentIssues, readMoment } from '../shared/moment.ts';
import { IdParams, MatchParams } from '../shared/wire.ts';
import { PushInput, PushResponse } from './schema.ts';
import type { PushResult, PushService } from './service.ts';

export function registerPushRoutes(app: HttpApp, pushes: PushService): void {
  const routes = apiRoutes(app, { tags: ['ServiceRequest workflow'], permission: 'request:plan' });
  const checks = checkedBy((body) => {
    const { respond_by: given } = body;
    const issues = momentIssues(body, 'respond_by');
    return issues.length > 0 || typeof given !== 'string' ? issues : pushes.deadlineIssues(new Date(given));
  });
  routes.post(
    '/ServiceRequest/:id/push',
    'Push to all providers whose match is pending',
    { ...checks, schema: { params: IdParams, body: PushInput, response: { 202: PushResponse } } },
    async (request, reply) => {
      const result = await pushes.push(actorOf(request), request.params.id, inputOf(request.body, undefined));
      return reply.code(202).send(toResponse(result));
    },
  );
  routes.post(
    '/ServiceRequest/:id/push/:match_guid',
    'Push to the provider of one match',
    { ...checks, schema: { params: MatchParams, body: PushInput, response: { 202: PushResponse } } },
    async (request, reply) => {
      const { id, match_guid } = request.params;
      const result = await pushes.push(actorOf(request), id, inputOf(request.body, match_guid));
      return reply.code(202).send(toResponse(result));
    },
  );
}

function inputOf(body: Static<typeof PushInput>, matchGuid: string | undefined) {
  const { selection, respond_by } = body;
  return { selection, respondBy: readMoment(respond_by, 'respond_by'), matchGuid };
}

function toResponse({ pushed, blocked, already }: PushResult): Static<typeof PushResponse> {
  return {
    pushed: pushed.map(({ matchGuid, requestGuid, deliveryGuid }) => ({
      match_guid: matchGuid,
      request_guid: requestGuid,
      delivery_guid: deliveryGuid ?? null,
    })),
    blocked: blocked.map(({ matchGuid, reason }) => ({ match_guid: matchGuid, reason })),
    already: [...already],
  };
}
