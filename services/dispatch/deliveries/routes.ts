// HTTP of deliveries and dead letters (decision D9): /api/v1/deliveries and /api/v1/dead-letters.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import { checkedBy, isFields } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, type PageRequest, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { momentIssues, readMoment } from '../shared/moment.ts';
import {
  AdministeredDetail,
  AdministeredPage,
  DeadLetterCauses,
  DeadLetterQuery,
  DeliveryParams,
  DeliveryQuery,
  DiscardedOne,
  DiscardInput,
  ReplayedMany,
  ReplayedOne,
  ReplayInput,
} from './schema.ts';
import type { DeliveryFilter, DeliveryService } from './service.ts';
import { toAdministeredView, toAttemptView } from './view.ts';

export function registerDeliveryRoutes(app: HttpApp, deliveries: DeliveryService): void {
  const routes = apiRoutes(app, { tags: ['deliveries'], permission: 'delivery:administer' });
  async function answerPage(request: FastifyRequest, reply: FastifyReply, page: PageRequest, filter: DeliveryFilter) {
    const found = await deliveries.list(filter, limitOf(page));
    return sendPage(request, reply, makePage(found.deliveries.map(toAdministeredView), found.total, page));
  }

  routes.get(
    '/deliveries',
    'List deliveries',
    { schema: { querystring: DeliveryQuery, response: { 200: AdministeredPage } } },
    async (request, reply) => {
      const { status, type, provider_guid, request_guid } = request.query;
      return answerPage(request, reply, request.query, {
        ...(status === undefined ? {} : { status }),
        ...(type === undefined ? {} : { type }),
        ...(provider_guid === undefined ? {} : { providerGuid: provider_guid }),
        ...(request_guid === undefined ? {} : { requestGuid: request_guid }),
      });
    },
  );
  routes.get(
    '/deliveries/:guid',
    'One delivery with its attempts',
    { schema: { params: DeliveryParams, response: { 200: AdministeredDetail } } },
    async (request) => {
      const { delivery, attempts } = await deliveries.read(request.params.guid);
      return { ...toAdministeredView(delivery), attempts: attempts.map(toAttemptView) };
    },
  );
  routes.get(
    '/dead-letters',
    'List dead letters',
    {
      ...checkedBy((_body, { query }) => momentIssues(isFields(query) ? query : {}, 'since', 'until')),
      schema: { querystring: DeadLetterQuery, response: { 200: AdministeredPage } },
    },
    async (request, reply) => answerPage(request, reply, request.query, { status: 'dead', ...filterOf(request.query) }),
  );
  routes.get(
    '/dead-letters/causes',
    'How many dead letters there are, by provider and cause',
    { schema: { response: { 200: DeadLetterCauses } } },
    async () => ({
      data: (await deliveries.causes()).map(({ providerGuid, cause, deadLetters, firstDeadAt, lastDeadAt }) => ({
        provider_guid: providerGuid,
        cause,
        dead_letters: deadLetters,
        first_dead_at: firstDeadAt.toISOString(),
        last_dead_at: lastDeadAt.toISOString(),
      })),
    }),
  );
  registerReplay(routes, deliveries);
  registerDiscard(routes, deliveries);
}

function registerDiscard(routes: ApiRoutes, deliveries: DeliveryService): void {
  routes.post(
    '/dead-letters/:guid/discard',
    'Give a dead letter up for good',
    {
      config: { errors: ['conflict'] },
      schema: { params: DeliveryParams, body: DiscardInput, response: { 200: DiscardedOne } },
    },
    async (request) => {
      const { guid } = request.params;
      await deliveries.discard(actorOf(request), guid, request.body.reason.trim());
      return { delivery_guid: guid, status: 'cancelled' as const, cancelled_reason: 'discarded' as const };
    },
  );
}

function registerReplay(routes: ApiRoutes, deliveries: DeliveryService): void {
  routes.post(
    '/dead-letters/:guid/replay',
    'Replay a dead letter',
    { config: { errors: ['conflict'] }, schema: { params: DeliveryParams, response: { 202: ReplayedOne } } },
    async (request, reply) => {
      const { guid } = request.params;
      const status = await deliveries.replay(actorOf(request), guid);
      return reply.code(202).send({ delivery_guid: guid, status });
    },
  );
  routes.post(
    '/dead-letters/replay',
    'Replay dead letters',
    {
      ...checkedBy((body) => momentIssues(body, 'since', 'until')),
      schema: { operationId: 'postDeadLettersReplayMany', body: ReplayInput, response: { 202: ReplayedMany } },
    },
    async (request, reply) => {
      const replayed = await deliveries.replayAll(actorOf(request), filterOf(request.body));
      return reply.code(202).send({ replayed });
    },
  );
}

function filterOf(
  given: Static<typeof ReplayInput>,
): Pick<DeliveryFilter, 'providerGuid' | 'since' | 'until' | 'cause'> {
  const since = readMoment(given.since, 'since');
  const until = readMoment(given.until, 'until');
  return {
    ...(given.provider_guid === undefined ? {} : { providerGuid: given.provider_guid }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(given.cause === undefined ? {} : { cause: given.cause }),
  };
}
