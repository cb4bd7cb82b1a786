// Routes under /auth (contract: engine, "Authentication, users, API keys"; decision E8).
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { AccountClient } from '#clients/account-client.ts';
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { bodyCheckHook } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf, originOf } from '../shared/actor.ts';
import { BASE_PATH, created } from '../shared/routes.ts';
import { identitySessionOf } from './identity-session.ts';
import type { UserPasswordRules } from './password-rules.ts';
import { Login, Me, Registration, Session, SignInResponse, User } from './schema.ts';
import type { SessionService } from './session-service.ts';
import type { UserService } from './user-service.ts';

const AUTH = `${BASE_PATH}/auth`;

const SIGN_IN_ERRORS = [
  'authentication_failed',
  'forbidden',
  'rate_limited',
  'unavailable',
  'upstream_unavailable',
] as const;

export interface AuthRoutesDependencies {
  readonly users: UserService;
  readonly sessions: SessionService;
  readonly rules: UserPasswordRules;
  readonly identityAccounts: AccountClient;
  readonly limits: { readonly login: RateLimiter; readonly register: RateLimiter };
}

export function registerAuth(app: HttpApp, deps: AuthRoutesDependencies): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'engine-account:manage-own' });
  registerLogin(routes, deps);
  registerRegistration(routes, deps);
  registerSession(routes, deps);
}

function registerLogin(routes: ApiRoutes, { sessions, limits }: AuthRoutesDependencies): void {
  routes.post(
    `${AUTH}/login`,
    'Sign in at the engine',
    {
      config: { permission: 'public', errors: SIGN_IN_ERRORS },
      onRequest: rateLimitHook(limits.login),
      schema: { body: Login, response: { 200: SignInResponse } },
    },
    async (request, reply) => {
      setNoStore(reply);
      return sessions.signIn(request.body, originOf(request));
    },
  );
}

function registerRegistration(routes: ApiRoutes, { users, rules, limits }: AuthRoutesDependencies): void {
  routes.post(
    `${AUTH}/register`,
    'Register oneself as a reader; where KEDJA_REGISTRATION says so an administrator approves it',
    {
      config: {
        permission: 'public',
        idempotent: true,
        errors: ['forbidden', 'conflict', 'rate_limited', 'unavailable', 'upstream_unavailable'],
      },
      onRequest: rateLimitHook(limits.register),
      attachValidation: true,
      preHandler: bodyCheckHook(rules.ofRegistration),
      schema: { body: Registration, response: { 201: User } },
    },
    async (request, reply) => {
      const user = await users.register(request.body, originOf(request));
      return created(reply, `/users/${user.user_guid}`, user);
    },
  );
}

function registerSession(routes: ApiRoutes, { users, sessions, identityAccounts }: AuthRoutesDependencies): void {
  const foreignOf = (request: FastifyRequest) =>
    identitySessionOf(requirePrincipal(request), request.headers.authorization, identityAccounts);
  routes.post(
    `${AUTH}/logout`,
    'End the session of the token',
    { config: { errors: ['upstream_unavailable'] }, schema: { response: { 204: Type.Null() } } },
    async (request, reply) => {
      const foreign = foreignOf(request);
      await (foreign === undefined ? sessions.signOut(actorOf(request)) : foreign.end());
      return reply.code(204).send(null);
    },
  );
  routes.get(
    `${AUTH}/me`,
    'Who the caller is',
    { schema: { response: { 200: Me } } },
    async (request: FastifyRequest, reply) => {
      setNoStore(reply);
      return users.me(requirePrincipal(request));
    },
  );
  routes.get(
    `${AUTH}/token`,
    'A new token of the same session, which lasts longer; of a session of identity its token',
    { config: { permission: 'engine-account:renew' }, schema: { response: { 200: Session } } },
    async (request, reply) => {
      setNoStore(reply);
      return foreignOf(request)?.session ?? sessions.renew(requirePrincipal(request));
    },
  );
}

function setNoStore(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
}
