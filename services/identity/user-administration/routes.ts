// DELETE /api/admin/users/{user_guid}, POST …/block and …/unblock, and POST /api/admin/promote-su (contract: identity,
// Admin; decision I10).
import Type from 'typebox';
import { Email } from '#lib/auth/email.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { ProfessionalRole } from '../professional-role.ts';
import { closed, UserChanged, UserParams } from '../shared/routes/schema.ts';
import { registerUserAction } from '../shared/routes/user-action.ts';
import { GuidText, nameText } from '../text.ts';
import type { UserChanges } from './change-service.ts';
import type { UserAdministration } from './service.ts';

const PromoteBody = Type.Object(
  { user_guid: GuidText, password: Type.String({ maxLength: 1024, description: 'The caller’s own password' }) },
  closed,
);
const Promoted = Type.Object({ message: Type.String(), user_guid: Type.String(), is_su_admin: Type.Boolean() });

const ChangeBody = Type.Object(
  {
    email: Type.Optional(Email),
    first_name: Type.Optional(nameText(100)),
    last_name: Type.Optional(nameText(100)),
    professional_role: Type.Optional(ProfessionalRole),
    organisation_guids: Type.Optional(Type.Array(GuidText, { maxItems: 100, description: 'A patient has one' })),
    phases: Type.Optional(Type.Array(nameText(100), { maxItems: 20, uniqueItems: true })),
    is_privacy_officer: Type.Optional(
      Type.Boolean({ description: 'Whether a professional reads the access log of every patient' }),
    ),
  },
  { title: 'UserChange', ...closed, minProperties: 1 },
);

function registerChange(app: HttpApp, users: UserChanges): void {
  app.patch(
    '/api/admin/users/:user_guid',
    {
      config: { permission: 'directory:administer', errors: ['not_found', 'conflict'] },
      schema: {
        tags: ['admin'],
        summary: 'Change a user; what is left out stays',
        params: UserParams,
        body: ChangeBody,
        response: { 200: UserChanged },
      },
    },
    async (request) => {
      const { user_guid } = request.params;
      const { first_name: firstName, last_name: lastName, professional_role: role, ...body } = request.body;
      const { email, organisation_guids: organisationGuids, phases, is_privacy_officer: isPrivacyOfficer } = body;
      const given = { email, firstName, lastName, role, organisationGuids, phases, isPrivacyOfficer };
      const change = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      await users.change(actorOf(request), user_guid, change);
      return { message: 'The user is changed', user_guid };
    },
  );
}

export function registerUserAdministrationRoutes(app: HttpApp, users: UserAdministration, changed: UserChanges): void {
  registerChange(app, changed);
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  registerUserAction(routes, {
    method: 'delete',
    path: '',
    summary: 'Delete a user; the user’s tokens stop counting at once',
    errors: ['conflict'],
    run: users.remove,
    message: 'The user is deleted',
  });
  registerUserAction(routes, {
    method: 'post',
    path: '/block',
    summary: 'Block a user, who cannot sign in; the user’s tokens stop counting at once',
    errors: ['not_found', 'conflict'],
    run: users.block,
    message: 'The user is blocked',
  });
  registerUserAction(routes, {
    method: 'post',
    path: '/unblock',
    summary: 'Unblock a user',
    errors: ['not_found', 'conflict'],
    run: users.unblock,
    message: 'The user is unblocked',
  });
  routes.post(
    '/api/admin/promote-su',
    'Make a professional an SU admin',
    {
      config: { errors: ['authentication_failed', 'not_found', 'conflict', 'rate_limited'] },
      schema: { body: PromoteBody, response: { 200: Promoted } },
    },
    async (request) => {
      const { user_guid, password } = request.body;
      await users.promote(actorOf(request), { userGuid: user_guid, password });
      return { message: 'The user is an SU admin', user_guid, is_su_admin: true };
    },
  );
}
