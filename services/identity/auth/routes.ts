// The caller's own account: /api/auth/me and /me/service, sign-out, change of password, exchange of a one-time code
// (contract: identity, Auth; decisions I3 and I4).
import type { FastifyRequest } from 'fastify';
import { AccessBlob } from '#lib/auth/access-blob.ts';
import { type Authenticator, readBearer } from '#lib/auth/authenticator.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { authenticateService, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { ServiceError } from '#lib/errors.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf, originOf } from '../actor.ts';
import { signedInAnswer } from './login-routes.ts';
import { ChangePasswordBody, CodeBody, LoginAnswer, MessageAnswer } from './schema.ts';
import type { AuthService } from './service.ts';

export interface AuthRoutesDeps {
  readonly auth: AuthService;
  readonly authenticator: Authenticator;
  readonly serviceClients: readonly ServiceCredentials[];
  /** The blob as it is in the database now; undefined when the user is gone or the token revoked. */
  readonly readBlob: (principal: Principal) => Promise<AccessBlob | undefined>;
}

export function registerAuthRoutes(app: HttpApp, deps: AuthRoutesDeps): void {
  registerMe(app, deps);
  registerAccount(app, deps.auth);
  registerCodeExchange(app, deps.auth);
}

function registerMe(app: HttpApp, { authenticator, serviceClients, readBlob }: AuthRoutesDeps): void {
  const answer = async (request: FastifyRequest): Promise<AccessBlob> => {
    const blob = await readBlob(requirePrincipal(request));
    if (blob === undefined) throw new ServiceError('unauthorized', 'The token is no longer valid');
    return blob;
  };
  const response = { 200: AccessBlob };
  app.get(
    '/api/auth/me',
    {
      config: { permission: 'account:read-own' },
      schema: { tags: ['auth'], summary: 'Who the caller is and what they may see', response },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return answer(request);
    },
  );
  app.get(
    '/api/auth/me/service',
    {
      // The Bearer is judged first, then the service (I4): both here, since neither alone is enough.
      config: { permission: 'public' },
      schema: { tags: ['auth'], summary: 'The same for a service that holds a user’s token', response },
      onRequest: async (request) => {
        request.principal = await authenticator.authenticateToken(readBearer(request.headers.authorization));
        if (authenticateService(request.headers, serviceClients) !== undefined) return;
        throw new ServiceError('invalid_service_credentials', 'The service credentials are missing or wrong');
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      return answer(request);
    },
  );
}

function registerAccount(app: HttpApp, auth: AuthService): void {
  app.post(
    '/api/auth/logout',
    {
      config: { permission: 'account:write-own' },
      schema: { tags: ['auth'], summary: 'Revoke the token of the call', response: { 200: MessageAnswer } },
    },
    async (request) => {
      await auth.signOut(actorOf(request));
      return { message: 'Signed out' };
    },
  );
  app.post(
    '/api/auth/change-password',
    {
      config: { permission: 'account:write-own', validationCode: 'invalid_request' },
      schema: {
        tags: ['auth'],
        summary: 'Change the password; the user’s other tokens are revoked',
        body: ChangePasswordBody,
        response: { 200: MessageAnswer },
      },
    },
    async (request) => {
      const { current_password: current, new_password: next } = request.body;
      await auth.changePassword(actorOf(request), { current, next });
      return { message: 'The password is changed; other sessions are signed out' };
    },
  );
}

function registerCodeExchange(app: HttpApp, auth: AuthService): void {
  app.post(
    '/api/auth/token',
    {
      config: { permission: 'public', validationCode: 'invalid_request' },
      schema: {
        tags: ['auth'],
        summary: 'Exchange the one-time code of a handshake for the token',
        body: CodeBody,
        response: { 200: LoginAnswer },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { code, next } = request.body;
      return signedInAnswer(await auth.exchangeCode({ code, next, origin: originOf(request) }));
    },
  );
}
