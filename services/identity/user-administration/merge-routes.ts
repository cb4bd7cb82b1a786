// GET, POST and DELETE /api/admin/users/{user_guid}/merge: two accounts of one person (docs/adr/0076).
import Type, { type Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { closed, NamedOrganisation, UserParams } from '../shared/routes/schema.ts';
import { registerUserAction } from '../shared/routes/user-action.ts';
import { GuidText } from '../text.ts';
import type { AccountMerge, MergeEffects } from './merge-service.ts';

const ADDRESS = '/api/admin/users/:user_guid/merge';
const Into = Type.Object({ into_user_guid: GuidText }, closed);

const Effects = Type.Object(
  {
    user_guid: Type.String(),
    into_user_guid: Type.String(),
    email: Type.String({ description: 'With which the person signs in afterwards' }),
    is_merged: Type.Boolean({ description: 'Whether it is so already' }),
    organisations: Type.Array(NamedOrganisation),
    groups: Type.Array(
      Type.Object({
        group_guid: Type.String(),
        name: Type.String(),
        group_type: Type.String(),
        is_admin: Type.Boolean(),
      }),
    ),
    registries: Type.Array(Type.String()),
    patient_guid: Type.Union([Type.String(), Type.Null()], {
      description: 'Of a patient: whose records become readable for the remaining account',
    }),
    sessions: Type.Integer({ description: 'Sign-ins of the merged account that end' }),
    rights_left: Type.Array(Type.Enum(['su_admin', 'privacy_officer']), {
      description: 'Rights of the merged account that the other does not get',
    }),
  },
  { title: 'AccountMerge' },
);

export function registerAccountMergeRoutes(app: HttpApp, accounts: AccountMerge): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  const errors = ['not_found', 'conflict'] as const;
  routes.get(
    ADDRESS,
    'What merging the account into another would do',
    { config: { errors }, schema: { params: UserParams, querystring: Into, response: { 200: Effects } } },
    async (request) => {
      const { user_guid: from } = request.params;
      return toWire(await accounts.preview(actorOf(request), from, request.query.into_user_guid));
    },
  );
  routes.post(
    ADDRESS,
    'Merge the account into another one of the same person; the same again changes nothing',
    { config: { errors }, schema: { params: UserParams, body: Into, response: { 200: Effects } } },
    async (request) => {
      const { user_guid: from } = request.params;
      return toWire(await accounts.merge(actorOf(request), from, request.body.into_user_guid));
    },
  );
  registerUserAction(routes, {
    method: 'delete',
    path: '/merge',
    summary: 'Undo the merge of the account: both are as they were',
    errors,
    run: accounts.undo,
    message: 'The merge is undone',
  });
}

function toWire({ from, into, isMerged, ...effects }: MergeEffects): Static<typeof Effects> {
  return {
    user_guid: from.user_guid,
    into_user_guid: into.user_guid,
    // `requireMergeable` refuses one without an address.
    email: into.email ?? '',
    is_merged: isMerged,
    organisations: [...effects.organisations],
    groups: effects.groups.map(({ into_status: _, ...group }) => group),
    registries: [...effects.registries],
    patient_guid: from.patient_guid,
    sessions: effects.sessions,
    rights_left: [
      ...(from.is_su_admin && !into.is_su_admin ? (['su_admin'] as const) : []),
      ...(from.is_privacy_officer && !into.is_privacy_officer ? (['privacy_officer'] as const) : []),
    ],
  };
}
