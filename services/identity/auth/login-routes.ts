// POST /api/auth/login in its forms (JSON or form, direct or handshake) and the page that makes the call, GET /login
// (contract: identity, Auth; decisions I2 and I3). A form from a browser (Accept: text/html) is answered by pages.
import formBody from '@fastify/formbody';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '#lib/errors.ts';
import { chooseLanguage, type Language, sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { originOf } from '../actor.ts';
import { parseRedirectTarget, withParameters } from './redirect-target.ts';
import { LoginAnswer, LoginBody, SignInQuery } from './schema.ts';
import type { AuthService } from './service.ts';
import { refusedPage, type SignInProblem, signInPage } from './sign-in-page.ts';
import type { SignedIn } from './token-issuer.ts';

export interface LoginRoutesDeps {
  readonly auth: AuthService;
  readonly limiter: RateLimiter;
  /** Allowed `next` addresses: origins with a path prefix. */
  readonly redirects: readonly string[];
}

export async function registerLoginRoutes(app: HttpApp, deps: LoginRoutesDeps): Promise<void> {
  registerSignInPage(app, deps);
  // Forms are read here alone: every other address takes JSON.
  await app.register(async (scope) => {
    await scope.register(formBody);
    registerLogin(scope.withTypeProvider<TypeBoxTypeProvider>(), deps);
  });
}

function registerLogin(app: HttpApp, { auth, limiter, redirects }: LoginRoutesDeps): void {
  app.post(
    '/api/auth/login',
    {
      config: { permission: 'public', validationCode: 'invalid_request' },
      schema: {
        tags: ['auth'],
        summary: 'Sign in; with `next` the answer is a redirect that carries the token',
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: LoginBody,
        response: { 200: LoginAnswer },
      },
      // After the body is read: a browser that is refused gets its form back.
      preValidation: rateLimitHook(limiter),
      errorHandler: (error, request, reply) => answerFailure(error, request, reply, redirects),
    },
    async (request, reply) => {
      const { email, password, next, state, response_mode: mode } = request.body;
      const attempt = { email, password, origin: originOf(request) };
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      if (next === undefined) {
        if (mode === 'code') throw new ServiceError('invalid_request', "'next' is required for a code");
        if (wantsPage(request)) throw invalidRedirect();
        return signedInAnswer(await auth.signIn(attempt));
      }
      const target = parseRedirectTarget(next, redirects);
      if (target === undefined) throw invalidRedirect();
      const carried: { code: string } | { token: string } =
        mode === 'code'
          ? { code: await auth.signInForCode({ ...attempt, next }) }
          : { token: (await auth.signIn(attempt)).token };
      return reply.redirect(withParameters(target, { ...carried, ...(state === undefined ? {} : { state }) }), 302);
    },
  );
}

/** The answer of a direct sign-in. */
export function signedInAnswer({ token, userGuid, mustChangePassword }: SignedIn) {
  return { token, user_guid: userGuid, ...(mustChangePassword ? { must_change_password: true } : {}) };
}

function registerSignInPage(app: HttpApp, { redirects }: LoginRoutesDeps): void {
  app.get(
    '/login',
    { config: { permission: 'public' }, schema: { hide: true, querystring: SignInQuery } },
    async (request, reply) => {
      const { next, state, response_mode: responseMode, lang } = request.query;
      const language = languageOf(request, lang);
      const target = next === undefined ? undefined : parseRedirectTarget(next, redirects);
      if (next === undefined || target === undefined) return sendPage(reply.code(400), refusedPage(language));
      return sendPage(reply, signInPage({ language, root: '', target, next, state, responseMode }));
    },
  );
}

/** Errors of a browser's form are shown on the page; everything else is answered as everywhere. */
function answerFailure(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  redirects: readonly string[],
): FastifyReply {
  const form = formOf(request);
  const problem = wantsPage(request) ? problemOf(error) : undefined;
  if (problem === undefined) throw error;
  const language = languageOf(request, form['lang']);
  const { next } = form;
  const target = next === undefined ? undefined : parseRedirectTarget(next, redirects);
  if (problem === 'refused' || next === undefined || target === undefined) {
    return sendPage(reply.code(400), refusedPage(language));
  }
  const { status, retryAfter } = statusOf(error);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  const shown = { next, state: form['state'], responseMode: form['response_mode'], email: form['email'] };
  return sendPage(reply.code(status), signInPage({ ...shown, language, target, root: '../../', problem }));
}

function wantsPage(request: FastifyRequest): boolean {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return isForm && request.headers.accept?.includes('text/html') === true;
}

function problemOf(error: Error): SignInProblem | 'refused' | undefined {
  if ('validation' in error && Array.isArray(error.validation)) {
    return { kind: 'missing', fields: ['email', 'password'].filter((name) => mentions(error, name)) };
  }
  if (!(error instanceof ServiceError)) return undefined;
  switch (error.code) {
    case 'authentication_failed':
      return { kind: 'wrong_credentials' };
    case 'rate_limited':
      return { kind: 'too_many', seconds: Math.ceil(error.retryAfterSeconds ?? 60) };
    case 'unavailable':
      return { kind: 'unavailable' };
    case 'invalid_redirect':
      return 'refused';
    default:
      return undefined;
  }
}

function statusOf(error: Error): { status: number; retryAfter?: number } {
  if (!(error instanceof ServiceError)) return { status: 400 };
  const { status, retryAfterSeconds } = error;
  return retryAfterSeconds === undefined ? { status } : { status, retryAfter: Math.ceil(retryAfterSeconds) };
}

function mentions(error: Error, field: string): boolean {
  return error.message.includes(`/${field} `) || error.message.includes(`'${field}'`);
}

/** The texts of a form that may not have passed validation. */
function formOf(request: FastifyRequest): Readonly<Record<string, string | undefined>> {
  const body: unknown = request.body;
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === 'string'));
}

function languageOf(request: FastifyRequest, wanted: string | undefined): Language {
  return chooseLanguage(wanted, request.headers['accept-language']);
}

function invalidRedirect(): ServiceError {
  return new ServiceError('invalid_redirect', "'next' is not an address that a sign-in may lead to");
}
