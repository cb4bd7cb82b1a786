// HTTP of a provider's own deliveries (decision L10): /api/v1/providers/{provider_guid}/deliveries.
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { sendJsonTexts } from '#lib/http/long-text.ts';
import { limitOf, makePage, sendPage } from '#lib/http/response/page.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf } from '../../shared/actor.ts';
import { limitOfProvider } from '../../shared/providers/send-limit.ts';
import { DeliveryDetail, DeliveryPage, ReplayedOne } from '../schema.ts';
import { toAttemptView, toView } from '../view.ts';
import { OwnDeliveryParams, OwnParams, OwnQuery, PayloadText } from './schema.ts';
import type { OwnDeliveryService } from './service.ts';

const PATH = '/providers/:provider_guid/deliveries';

export interface OwnDeliveryFeatures {
  readonly deliveries: OwnDeliveryService;
  /** The limit of what makes a message be sent, for each provider. */
  readonly sendLimiter: RateLimiter;
}

export function registerOwnDeliveryRoutes(app: HttpApp, { deliveries, sendLimiter }: OwnDeliveryFeatures): void {
  const routes = apiRoutes(app, { tags: ['deliveries'], permission: 'delivery:use-own' });
  routes.get(
    PATH,
    'List the deliveries to a provider',
    { schema: { params: OwnParams, querystring: OwnQuery, response: { 200: DeliveryPage } } },
    async (request, reply) => {
      const { status, type, request_guid } = request.query;
      const filter = {
        providerGuid: request.params.provider_guid,
        ...(status === undefined ? {} : { status }),
        ...(type === undefined ? {} : { type }),
        ...(request_guid === undefined ? {} : { requestGuid: request_guid }),
      };
      const found = await deliveries.list(actorOf(request), filter, limitOf(request.query));
      return sendPage(request, reply, makePage(found.deliveries.map(toView), found.total, request.query));
    },
  );
  routes.get(
    `${PATH}/:delivery_guid`,
    'A delivery to a provider, with its attempts',
    { schema: { params: OwnDeliveryParams, response: { 200: DeliveryDetail } } },
    async (request) => {
      const { delivery, attempts } = await deliveries.read(actorOf(request), addressOf(request.params));
      return { ...toView(delivery), attempts: attempts.map(toAttemptView) };
    },
  );
  registerMessage(routes, deliveries, sendLimiter);
}

function registerMessage(routes: ApiRoutes, deliveries: OwnDeliveryService, sendLimiter: RateLimiter): void {
  routes.get(
    `${PATH}/:delivery_guid/payload`,
    'The message as its webhook carries it, while consent permits',
    {
      config: { errors: ['consent_required', 'expired', 'conflict'] },
      schema: { params: OwnDeliveryParams, response: { 200: PayloadText } },
    },
    async (request, reply) =>
      sendJsonTexts(reply, await deliveries.payload(actorOf(request), addressOf(request.params))),
  );
  routes.post(
    `${PATH}/:delivery_guid/resend`,
    'Send a message again, under the same webhook-id',
    {
      config: { idempotent: true, errors: ['consent_required', 'expired', 'conflict', 'rate_limited'] },
      preValidation: limitOfProvider(sendLimiter),
      schema: { params: OwnDeliveryParams, response: { 202: ReplayedOne } },
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
