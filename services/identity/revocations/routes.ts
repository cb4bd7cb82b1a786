// GET /api/auth/revocations: the feed from which the other services maintain their lists of revoked tokens (decision
// G8).
import Type from 'typebox';
import { RevocationFeed } from '#clients/identity-client.ts';
import type { RevocationEvent } from '#lib/auth/revocation-list.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { Revocations } from './service.ts';

const Query = Type.Object(
  {
    after: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'The sequence number already read; 0 begins with every revoked token that has not expired',
    }),
  },
  { additionalProperties: false },
);

export function registerRevocationRoutes(app: HttpApp, revocations: Revocations): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'revocation:follow' });
  routes.get(
    '/api/auth/revocations',
    'Revoked tokens and changed users in commit order, for services',
    { schema: { querystring: Query, response: { 200: RevocationFeed } } },
    async (request) => {
      const page = await revocations.source.readAfter(request.query.after);
      const events = page.events.map(toWire);
      return { events, sequence: page.sequence, has_more: page.hasMore };
    },
  );
}

function toWire(event: RevocationEvent) {
  switch (event.kind) {
    case 'token_revoked':
      return { kind: event.kind, token_id: event.tokenId, expires_at: event.expiresAt };
    case 'user_changed':
      return { kind: event.kind, user_guid: event.userGuid };
    case 'keys_changed':
      return { kind: event.kind };
    default:
      return event satisfies never;
  }
}
