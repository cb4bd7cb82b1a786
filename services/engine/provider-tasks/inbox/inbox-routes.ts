// Routes of inboxes (decision E10): dispatch's webhooks arrive here, and an administrator opens and closes a provider's
// inbox.
import Type from 'typebox';
import { queryOf } from '#fhir/rest/http/content.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { IdParams } from '../../shared/fields.ts';
import { BASE_PATH } from '../../shared/routes.ts';
import { Inbox, InboxInput } from '../schema.ts';
import type { InboxAdmin } from './inbox-admin.ts';
import type { InboxService } from './inbox-service.ts';

/** The largest webhook in bytes: a pushed bundle may contain many forms. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

export function registerInbox(app: HttpApp, inbox: InboxService, admin: InboxAdmin): void {
  const routes = apiRoutes(app, { tags: ['providers'], permission: 'provider:administer' });
  routes.put(
    `${BASE_PATH}/providers/:id/inbox`,
    "Open or close a provider's inbox",
    { schema: { params: IdParams, body: InboxInput, response: { 200: Inbox } } },
    async (request) => {
      const { enabled, renew_secret: renewsSecret = false } = request.body;
      return admin.setEnabled(request.params.id, { enabled, renewsSecret }, requirePrincipal(request));
    },
  );
  app.register(async (scope: HttpApp) => {
    // The signature covers the bytes. It is verified before they are parsed.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(['application/json', 'application/fhir+json'], { parseAs: 'buffer' }, (_, body, done) =>
      done(null, body),
    );
    scope.post(
      `${BASE_PATH}/provider-tasks/inbox`,
      {
        // The signature is the credential of the request.
        config: {
          permission: 'public',
          errors: ['unauthorized', 'expired', 'payload_too_large', 'unprocessable', 'unsupported_media_type'],
        },
        bodyLimit: BODY_LIMIT_BYTES,
        onRequest: async (request) => {
          const providerGuid = queryOf(request).get('provider_guid');
          if (providerGuid === null) return;
          await inbox.admit({ providerGuid, headers: request.headers });
          request.hasCapability = true;
        },
        schema: {
          tags: ['provider-tasks'],
          summary: "Receives dispatch's signed webhooks",
          querystring: Type.Object({ provider_guid: Type.String() }),
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const { provider_guid: providerGuid } = request.query;
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        await inbox.receive({ providerGuid, headers: request.headers, body });
        return reply.code(204).send(null);
      },
    );
  });
}
