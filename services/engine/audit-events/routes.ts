// The route to which services send their audit events (decision G9). Clients read them at /AuditEvent.
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { BASE_PATH } from '../shared/routes.ts';
import type { AuditEventService } from './service.ts';

const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

const ShippedEvents = Type.Object(
  { events: Type.Array(Type.Object({}, { additionalProperties: true }), { maxItems: 1000 }) },
  { additionalProperties: false },
);

export function registerAuditEvents(app: HttpApp, service: AuditEventService): void {
  const routes = apiRoutes(app, { tags: ['audit'] });
  routes.post(
    `${BASE_PATH}/audit-events`,
    'Keep the audit events that the calling service has recorded; one that is known already is left as it is',
    {
      config: { permission: 'audit-event:ship', errors: ['unprocessable'] },
      bodyLimit: BODY_LIMIT_BYTES,
      schema: { body: ShippedEvents, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await service.store(requirePrincipal(request).id, request.body.events);
      return reply.code(204).send(null);
    },
  );
}
