// POST /api/groups/admin/invite and /api/groups/join-by-invite (contract: identity, Groups; decision I8).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { closed } from '../shared/routes/schema.ts';
import { GuidText } from '../text.ts';
import { offsetTimestamp } from '../time.ts';
import type { Invites } from './service.ts';

const CreateBody = Type.Object(
  { group_guid: GuidText, hours_valid: Type.Integer({ minimum: 1, maximum: 720, default: 72 }) },
  closed,
);
const Created = Type.Object({
  invite_guid: Type.String(),
  token: Type.String({ description: 'Shown this once' }),
  group_guid: Type.String(),
  expires_at: Type.String(),
});
const JoinBody = Type.Object({ token: Type.String({ minLength: 1, maxLength: 256 }) }, closed);
const Joined = Type.Object({ membership_guid: Type.String(), group_guid: Type.String(), status: Type.String() });

export function registerInviteRoutes(app: HttpApp, invites: Invites): void {
  const routes = apiRoutes(app, { tags: ['groups'] });
  routes.post(
    '/api/groups/admin/invite',
    'Make an invite that many may use until it expires',
    {
      config: { permission: 'group:administer', idempotent: true, errors: ['not_found'] },
      schema: { body: CreateBody, response: { 201: Created } },
    },
    async (request, reply) => {
      const { group_guid: groupGuid, hours_valid: hoursValid } = request.body;
      const invite = await invites.create(actorOf(request), { groupGuid, hoursValid });
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({
          invite_guid: invite.inviteGuid,
          token: invite.token,
          group_guid: invite.groupGuid,
          expires_at: offsetTimestamp(invite.expiresAt),
        });
    },
  );
  routes.post(
    '/api/groups/join-by-invite',
    'Ask to join the group of an invite',
    {
      config: { permission: 'group:take-part', idempotent: true, errors: ['not_found', 'expired'] },
      schema: { body: JoinBody, response: { 201: Joined } },
    },
    async (request, reply) => {
      const made = await invites.join(actorOf(request), request.body.token);
      const { membership_guid, group_guid, status } = made;
      return reply.code(201).send({ membership_guid, group_guid, status });
    },
  );
}
