// The caller's own account: /api/auth/me and /me/service, sign-out, change of password, exchange of a one-time code
// (contract: identity, Auth; decisions I3 and I4).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SEQUENCE_HEADER } from '#clients/identity-client.ts';
import { AccessBlob } from '#lib/auth/access-blob.ts';
import { readBearer, type TokenAuthenticator } from '#lib/auth/authenticator.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { createClientCheck, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { ServiceError } from '#lib/errors.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { whenDone } from '#lib/http/hooks.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { TOKEN_AT_SERVICE } from '#lib/http/openapi.ts';
import { actorOf, originOf } from '../actor.ts';
import { signedInAnswer } from './login-answer.ts';
import { ChangePasswordBody, CodeBody, LoginAnswer, MessageAnswer } from './schema.ts';
import type { AuthService } from './service.ts';

export interface AuthRoutesDeps {
  readonly auth: AuthService;
  readonly authenticator: TokenAuthenticator;
  /** Kedja's services and the relying applications. */
  readonly clients: readonly ServiceCredentials[];
}

export function registerAuthRoutes(app: HttpApp, deps: AuthRoutesDeps): void {
  registerMe(app, deps);
  registerAccount(app, deps.auth);
  registerCodeExchange(app, deps.auth);
}

function registerMe(app: HttpApp, { authenticator, clients }: AuthRoutesDeps): void {
  // The text of an answer is made once for each blob and lives as long as that is remembered.
  const texts = new WeakMap<AccessBlob, string>();
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    const blob = authenticator.blobOf(requirePrincipal(request));
    if (blob === undefined) throw new ServiceError('unauthorized', 'The token is no longer valid');
    const text = texts.get(blob) ?? String(reply.serializeInput(blob, '200'));
    texts.set(blob, text);
    reply.header('content-type', 'application/json; charset=utf-8').send(text);
  };
  const response = { 200: AccessBlob };
  app.get(
    '/api/auth/me',
    {
      config: { permission: 'account:read-own' },
      schema: { tags: ['auth'], summary: 'Who the caller is and what they may see', response },
    },
    answer,
  );
  const clientOf = createClientCheck(clients);
  app.get(
    '/api/auth/me/service',
    {
      // The Bearer is judged first, then the service (I4): both here, since neither alone is enough.
      config: { permission: 'public', errors: ['unauthorized', 'invalid_service_credentials'] },
      schema: {
        tags: ['auth'],
        summary: 'The same for a service that holds a user’s token',
        security: TOKEN_AT_SERVICE,
        response,
      },
      onRequest: whenDone((request) => {
        const { headers } = request;
        const judge = (principal: Principal) => {
          request.principal = principal;
          if (clientOf(headers) !== undefined) return;
          throw new ServiceError('invalid_service_credentials', 'The service credentials are missing or wrong');
        };
        const sequence = Number(headers[SEQUENCE_HEADER] ?? 0);
        const known = authenticator.recall(headers, sequence);
        if (known !== undefined) return judge(known);
        return authenticator.authenticateToken(readBearer(headers.authorization), sequence).then(judge);
      }),
    },
    answer,
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
      config: {
        permission: 'account:write-own',
        validationCode: 'invalid_request',
        errors: ['authentication_failed', 'rate_limited'],
      },
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
      config: {
        permission: 'public',
        validationCode: 'invalid_request',
        errors: ['authentication_failed', 'password_change_required'],
      },
      schema: {
        tags: ['auth'],
        summary: 'Exchange the one-time code of a handshake for the token',
        body: CodeBody,
        response: { 200: LoginAnswer },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { code, next, code_verifier: verifier } = request.body;
      return signedInAnswer(await auth.exchangeCode({ code, next, verifier, origin: originOf(request) }));
    },
  );
}
