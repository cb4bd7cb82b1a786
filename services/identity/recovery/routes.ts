// POST /api/auth/password-reset and its confirmation, and POST /api/admin/users/{user_guid}/password-reset (decision
// L12).
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { chooseLanguage, type Language } from '#lib/html/html.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf, originOf } from '../actor.ts';
import { MessageResponse } from '../shared/routes/schema.ts';
import { offsetTimestamp } from '../time.ts';
import { CodeResponse, ConfirmBody, RequestBody } from './schema.ts';
import type { Recovery } from './service.ts';

export interface RecoveryLimits {
  /** Requests for a link. */
  readonly request: RateLimiter;
  /** Attempts with a link or a code. */
  readonly confirm: RateLimiter;
}

export function registerRecoveryRoutes(app: HttpApp, recovery: Recovery, limits: RecoveryLimits): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'public' });
  routes.post(
    '/api/auth/password-reset',
    'Ask for a mail with a link to a new password',
    {
      config: { errors: ['conflict', 'rate_limited'] },
      schema: {
        description:
          'The response is the same for an address without an account. 409 where no mail server is configured.',
        body: RequestBody,
        response: { 202: MessageResponse },
      },
      onRequest: rateLimitHook(limits.request),
    },
    async (request, reply) => {
      const { email, lang } = request.body;
      await recovery.requestLink({ email, language: languageOf(request, lang), origin: originOf(request) });
      reply.code(202);
      return { message: 'If the address has an account, a mail with a link is on its way' };
    },
  );
  routes.post(
    '/api/auth/password-reset/confirm',
    'Change the password by the token of a link, or by a code',
    {
      config: { validationCode: 'invalid_request', errors: ['authentication_failed', 'rate_limited'] },
      schema: {
        description: 'Ends all sessions. The second factor stays as it is.',
        body: ConfirmBody,
        response: { 200: MessageResponse },
      },
      onRequest: rateLimitHook(limits.confirm),
    },
    async (request) => {
      const { token: secret, new_password: next, lang } = request.body;
      await recovery.reset({ secret, next, language: languageOf(request, lang), origin: originOf(request) });
      return { message: 'The password is changed; all sessions are signed out' };
    },
  );
  apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' }).post(
    '/api/admin/users/:user_guid/password-reset',
    'Issue a code by which a user chooses a new password',
    {
      config: { errors: ['conflict'] },
      schema: {
        description: 'Valid once, for 30 minutes. Another code replaces it.',
        params: Type.Object({ user_guid: Type.String() }, { additionalProperties: false }),
        response: { 201: CodeResponse },
      },
    },
    async (request, reply) => {
      const { user_guid } = request.params;
      const { code, expiresAt } = await recovery.issueCode(actorOf(request), user_guid, languageOf(request));
      reply.code(201).header('cache-control', 'private, no-store');
      const message = 'Hand the code to the user; it is not shown again';
      return { message, user_guid, code, expires_at: offsetTimestamp(expiresAt) };
    },
  );
}

function languageOf(request: FastifyRequest, lang?: string): Language {
  return chooseLanguage(lang, request.headers['accept-language']);
}
