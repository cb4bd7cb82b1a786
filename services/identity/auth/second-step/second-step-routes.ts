// POST /api/auth/login/second-factor: the code that a sign-in requires. The handshake of the challenge is checked again
// before the code.
import { refuseForeignForms } from '#lib/html/form-post.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { originOf } from '../../actor.ts';
import type { LoginRoutesDeps } from '../login-deps.ts';
import { grantedResponse, requireTarget } from '../login-response.ts';
import { LoginResponse, Redirect, SecondStepBody } from '../schema.ts';

export function registerSecondStepRoutes(scope: HttpApp, deps: LoginRoutesDeps): void {
  const { auth, limiter, destinations } = deps;
  const routes = apiRoutes(scope, { tags: ['auth'], permission: 'public' });
  routes.post(
    '/api/auth/login/second-factor',
    'The second step of a sign-in: the challenge and a code for the token, or the redirect that carries it',
    {
      config: {
        validationCode: 'invalid_request',
        hasPages: true,
        errors: ['authentication_failed', 'forbidden', 'rate_limited'],
      },
      preValidation: [refuseForeignForms, rateLimitHook(limiter)],
      schema: {
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: SecondStepBody,
        response: { 200: LoginResponse, 302: Redirect },
      },
    },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      const challenge = await auth.readChallenge(request.body.challenge);
      if (challenge.handshake !== undefined) requireTarget(challenge.handshake, destinations);
      const { code } = request.body;
      const granted = await auth.submitCode({ challenge, code, origin: originOf(request) });
      return grantedResponse(reply, granted, deps);
    },
  );
}
