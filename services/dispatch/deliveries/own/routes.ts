// HTTP of a provider's own deliveries (decision L10): /api/v1/providers/{provider_guid}/deliveries.
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import { limitOf, linkHeader, makePage } from '#lib/http/response/page.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf } from '../../shared/actor.ts';
import { limitOfProvider } from '../../shared/providers/send-limit.ts';
import { DeliveryDetail, DeliveryPage, ReplayedOne } from '../schema.ts';
import { toAttemptView, toView } from '../view.ts';
import { OwnDeliveryParams, OwnParams, OwnQuery, PayloadText } from './schema.ts';
import type { OwnDeliveryService } from './service.ts';

const PATH = '/providers/:provider_guid/deliveries';
const CONFIG = { permission: 'delivery:use-own' } as const;
const TAGS = ['deliveries'];

export interface OwnDeliveryFeatures {
  readonly deliveries: OwnDeliveryService;
  /** The limit of what makes a message be sent, for each provider. */
  readonly sendLimiter: RateLimiter;
}

export function registerOwnDeliveryRoutes(app: HttpApp, { deliveries, sendLimiter }: OwnDeliveryFeatures): void {
  app.get(
    PATH,
    {
      config: CONFIG,
      schema: {
        tags: TAGS,
        summary: 'List the deliveries to a provider',
        params: OwnParams,
        querystring: OwnQuery,
        response: { 200: DeliveryPage },
      },
    },
    async (request, reply) => {
      const { status, type, request_guid } = request.query;
      const filter = {
        providerGuid: request.params.provider_guid,
        ...(status === undefined ? {} : { status }),
        ...(type === undefined ? {} : { type }),
        ...(request_guid === undefined ? {} : { requestGuid: request_guid }),
      };
      const found = await deliveries.list(actorOf(request), filter, limitOf(request.query));
      reply.header('link', linkHeader(request.url, request.query, found.total));
      return makePage(found.deliveries.map(toView), found.total, request.query);
    },
  );
  app.get(
    `${PATH}/:delivery_guid`,
    {
      config: CONFIG,
      schema: {
        tags: TAGS,
        summary: 'A delivery to a provider, with its attempts',
        params: OwnDeliveryParams,
        response: { 200: DeliveryDetail },
      },
    },
    async (request) => {
      const { delivery, attempts } = await deliveries.read(actorOf(request), addressOf(request.params));
      return { ...toView(delivery), attempts: attempts.map(toAttemptView) };
    },
  );
  registerMessage(app, deliveries, sendLimiter);
}

function registerMessage(app: HttpApp, deliveries: OwnDeliveryService, sendLimiter: RateLimiter): void {
  app.get(
    `${PATH}/:delivery_guid/payload`,
    {
      config: { ...CONFIG, errors: ['consent_required', 'expired', 'conflict'] },
      schema: {
        tags: TAGS,
        summary: 'The message as its webhook carries it, while consent permits',
        params: OwnDeliveryParams,
        response: { 200: PayloadText },
      },
    },
    async (request, reply) =>
      sendJsonTexts(reply, await deliveries.payload(actorOf(request), addressOf(request.params))),
  );
  app.post(
    `${PATH}/:delivery_guid/resend`,
    {
      config: { ...CONFIG, idempotent: true, errors: ['consent_required', 'expired', 'conflict', 'rate_limited'] },
      preValidation: limitOfProvider(sendLimiter),
      schema: {
        tags: TAGS,
        summary: 'Send a message again, under the same webhook-id',
        params: OwnDeliveryParams,
        response: { 202: ReplayedOne },
      },
    },
    async (request, reply) => {
      const address = addressOf(request.params);
      const status = await deliveries.resend(actorOf(request), address);
      return reply.code(202).send({ delivery_guid: address.deliveryGuid, status });
    },
  );
}

function addressOf(params: { readonly provider_guid: string; readonly delivery_guid: string }) {
  return { providerGuid: params.provider_guid, deliveryGuid: params.delivery_guid };
}
