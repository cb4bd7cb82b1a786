// POST /api/groups/admin/invite and /api/groups/join-by-invite (contract: identity, Groups; decision I8).
import Type from 'typebox';
import { qrSvg } from '#lib/html/qr-image.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { closed, OptionalText } from '../shared/routes/schema.ts';
import { GuidText } from '../text.ts';
import { offsetTimestamp, plainTimestamp } from '../time.ts';
import type { Invites } from './service.ts';

const CreateBody = Type.Object(
  {
    group_guid: GuidText,
    hours_valid: Type.Integer({ minimum: 1, maximum: 720, default: 72 }),
    with_link: Type.Boolean({ default: false, description: 'Also answers the link, and the link as a QR code' }),
  },
  closed,
);
const Created = Type.Object(
  {
    invite_guid: Type.String(),
    token: Type.String({ description: 'Shown this once' }),
    group_guid: Type.String(),
    expires_at: Type.String(),
    link: Type.Optional(Type.String({ description: 'The page of the console that uses it' })),
    qr_svg: Type.Optional(Type.String({ description: 'The link as a QR code, an SVG document' })),
  },
  { title: 'NewInvite' },
);
const ListedInvite = Type.Object(
  {
    invite_guid: Type.String(),
    created_at: Type.String(),
    expires_at: Type.String(),
    created_by: OptionalText,
  },
  { title: 'Invite' },
);
const params = Type.Object({ group_guid: Type.String() }, closed);
const InviteParams = Type.Object({ group_guid: Type.String(), invite_guid: Type.String() }, closed);
const Revoked = Type.Object({ message: Type.String(), invite_guid: Type.String() });
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
      const { group_guid: groupGuid, hours_valid: hoursValid, with_link: withLink } = request.body;
      const invite = await invites.create(actorOf(request), { groupGuid, hoursValid });
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({
          invite_guid: invite.inviteGuid,
          token: invite.token,
          group_guid: invite.groupGuid,
          expires_at: offsetTimestamp(invite.expiresAt),
          ...(withLink ? { link: invite.link, qr_svg: qrSvg(invite.link) } : {}),
        });
    },
  );
  const path = '/api/groups/admin/groups/:group_guid/invites';
  routes.get(
    path,
    'Invites to the group that may still be used, the first to expire first; at most 200',
    {
      config: { permission: 'group:administer', errors: ['not_found'] },
      schema: { params, response: { 200: Type.Array(ListedInvite) } },
    },
    async (request) => {
      const open = await invites.open(actorOf(request), request.params.group_guid);
      return open.map(({ created_at, expires_at, ...invite }) => ({
        ...invite,
        created_at: plainTimestamp(created_at),
        expires_at: offsetTimestamp(expires_at),
      }));
    },
  );
  routes.delete(
    `${path}/:invite_guid`,
    'Revoke an invite: nobody can use it any more',
    {
      config: { permission: 'group:administer', errors: ['not_found'] },
      schema: { params: InviteParams, response: { 200: Revoked } },
    },
    async (request) => {
      const { group_guid, invite_guid } = request.params;
      await invites.revoke(actorOf(request), group_guid, invite_guid);
      return { message: 'The invite is revoked', invite_guid };
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
