// Routes under /users (contract: engine, "Authentication, users, API keys"; decision E8).
import Type from 'typebox';
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { checkedBy, checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { PasswordChange, ResetCode, User, UserInput, UserQuery } from './schema.ts';
import type { SessionService } from './session-service.ts';
import type { UserService } from './user-service.ts';

const ALL = `${BASE_PATH}/users`;
const ONE = `${ALL}/:id`;
const params = IdParams;

export function registerUsers(app: HttpApp, users: UserService, sessions: SessionService): void {
  const routes = apiRoutes(app, { tags: ['users'], permission: 'engine-user:administer' });
  routes.get(
    ALL,
    'List users',
    { schema: { querystring: UserQuery, response: { 200: pageOf(User) } } },
    async (request, reply) => sendPage(request, reply, await users.list(request.query)),
  );
  registerUser(routes, users);
  registerPasswords(routes, users, sessions);
}

function registerUser(routes: ApiRoutes, users: UserService): void {
  routes.get(
    ONE,
    'Read a user: oneself, or as an administrator',
    { config: { permission: 'engine-user:read' }, schema: { params, response: { 200: User } } },
    async (request) => users.get(request.params.id, requirePrincipal(request)),
  );
  routes.put(
    ONE,
    'Replace a user; those who are no administrators change their own name alone',
    {
      config: { permission: 'engine-user:read', errors: ['conflict'] },
      ...checkedOnSchemaError((fields, request) => users.issuesOf(fields, requirePrincipal(request))),
      schema: { params, body: UserInput, response: { 200: User } },
    },
    async (request) => users.replace(request.params.id, request.body, actorOf(request)),
  );
  routes.remove(ONE, 'Delete a user; their sessions end', {
    config: { errors: ['conflict'] },
    params,
    run: (request) => users.remove(request.params.id, actorOf(request)),
  });
}

function registerPasswords(routes: ApiRoutes, users: UserService, sessions: SessionService): void {
  routes.put(
    `${ONE}/password`,
    'Change the own password; other sessions end',
    {
      config: {
        permission: 'engine-account:manage-own',
        errors: ['authentication_failed', 'rate_limited', 'unavailable'],
      },
      ...checkedBy((fields, request) => sessions.passwordIssues(fields, requirePrincipal(request))),
      schema: { params, body: PasswordChange, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await sessions.changePassword(actorOf(request), request.params.id, request.body);
      return reply.code(204).send(null);
    },
  );
  routes.post(
    `${ONE}/password/reset`,
    'Replace the password by a one-time code; the answer alone shows it',
    { config: { errors: ['conflict'] }, schema: { params, response: { 200: ResetCode } } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return users.reset(request.params.id, actorOf(request));
    },
  );
}
