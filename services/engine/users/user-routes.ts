// Routes under /users (contract: engine, "Authentication, users, API keys"; decision E8).
import Type from 'typebox';
import { requirePrincipal } from '#lib/http/app.ts';
import { checkedBy, checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH, sendPage } from '../shared/routes.ts';
import { PasswordChange, ResetCode, User, UserInput, UserQuery } from './schema.ts';
import type { SessionService } from './session-service.ts';
import type { UserService } from './user-service.ts';

const ALL = `${BASE_PATH}/users`;
const ONE = `${ALL}/:id`;
const tags = ['users'];
const params = IdParams;

export function registerUsers(app: HttpApp, users: UserService, sessions: SessionService): void {
  app.get(
    ALL,
    {
      config: { permission: 'engine-user:administer' },
      schema: { tags, summary: 'List users', querystring: UserQuery, response: { 200: pageOf(User) } },
    },
    async (request, reply) => sendPage(request, reply, await users.list(request.query)),
  );
  registerUser(app, users);
  registerPasswords(app, users, sessions);
}

function registerUser(app: HttpApp, users: UserService): void {
  app.get(
    ONE,
    {
      config: { permission: 'engine-user:read' },
      schema: { tags, summary: 'Read a user: oneself, or as an administrator', params, response: { 200: User } },
    },
    async (request) => users.get(request.params.id, requirePrincipal(request)),
  );
  app.put(
    ONE,
    {
      config: { permission: 'engine-user:read', errors: ['conflict'] },
      ...checkedOnSchemaError((fields, request) => users.issuesOf(fields, requirePrincipal(request))),
      schema: {
        tags,
        summary: 'Replace a user; those who are no administrators change their own name alone',
        params,
        body: UserInput,
        response: { 200: User },
      },
    },
    async (request) => users.replace(request.params.id, request.body, actorOf(request)),
  );
  app.delete(
    ONE,
    {
      config: { permission: 'engine-user:administer', errors: ['conflict'] },
      schema: { tags, summary: 'Delete a user; their sessions end', params, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await users.remove(request.params.id, actorOf(request));
      return reply.code(204).send(null);
    },
  );
}

function registerPasswords(app: HttpApp, users: UserService, sessions: SessionService): void {
  app.put(
    `${ONE}/password`,
    {
      config: {
        permission: 'engine-account:manage-own',
        errors: ['authentication_failed', 'rate_limited', 'unavailable'],
      },
      ...checkedBy((fields, request) => sessions.passwordIssues(fields, requirePrincipal(request))),
      schema: {
        tags,
        summary: 'Change the own password; other sessions end',
        params,
        body: PasswordChange,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await sessions.changePassword(actorOf(request), request.params.id, request.body);
      return reply.code(204).send(null);
    },
  );
  app.post(
    `${ONE}/password/reset`,
    {
      config: { permission: 'engine-user:administer', errors: ['conflict'] },
      schema: {
        tags,
        summary: 'Replace the password by a one-time code; the answer alone shows it',
        params,
        response: { 200: ResetCode },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return users.reset(request.params.id, actorOf(request));
    },
  );
}
