// Where dispatch's webhooks arrive (decision E10), and where an administrator opens and closes a provider's inbox.
import Type from 'typebox';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH } from '../shared/routes.ts';
import type { InboxAdmin } from './inbox-admin.ts';
import type { InboxService } from './inbox-service.ts';
import { keepRawBodies } from './raw-body.ts';
import { Inbox, InboxInput } from './schema.ts';

/** A pushed bundle may hold many forms. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

export function registerInbox(app: HttpApp, inbox: InboxService, admin: InboxAdmin): void {
  app.put(
    `${BASE_PATH}/providers/:id/inbox`,
    {
      config: { permission: 'provider:administer' },
      schema: {
        tags: ['providers'],
        summary: "Open or close a provider's inbox",
        params: IdParams,
        body: InboxInput,
        response: { 200: Inbox },
      },
    },
    async (request) => admin.setEnabled(request.params.id, request.body.enabled, requirePrincipal(request)),
  );
  app.register(async (scope: HttpApp) => {
    const rawBody = keepRawBodies(scope);
    scope.post(
      `${BASE_PATH}/provider-tasks/inbox`,
      {
        // The signature is the credential.
        config: { permission: 'public' },
        bodyLimit: BODY_LIMIT_BYTES,
        schema: {
          tags: ['provider-tasks'],
          summary: "Receives dispatch's signed webhooks",
          querystring: Type.Object({ provider_guid: Type.String() }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { provider_guid: providerGuid } = request.query;
        await inbox.receive({ providerGuid, headers: request.headers, body: rawBody(request) });
        return reply.code(204).send(null);
      },
    );
  });
}
