// POST /api/auth/login (JSON or form, direct or handshake) and its page GET /login (contract: identity, Auth; decisions
// I2 and I3). A form from a browser (Accept: text/html) gets HTML pages.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError, validationError } from '#lib/errors.ts';
import { sendErrorPage, wantsPage } from '#lib/html/error-page.ts';
import { type FormPost, isForm, readPost, refuseForeignForms } from '#lib/html/form-post.ts';
import { sendPage } from '#lib/html/html.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { originOf } from '../actor.ts';
import { readChallenge } from '../shared/code-challenge.ts';
import { PASSWORD_CHANGE_REASONS } from '../shared/credentials.ts';
import type { Destinations } from '../shared/destinations.ts';
import { problemOf, statusOfProblem } from '../shared/form-problem.ts';
import { invalidRedirect, JOURNEY_FIELDS, type Journey, journeyOfPost, readJourney } from '../shared/journey.ts';
import { AccountMerged } from './credential-check.ts';
import type { LoginRoutesDeps } from './login-deps.ts';
import { challengeResponse, grantedResponse, requireTarget } from './login-response.ts';
import { changePasswordPage } from './passwords/change-password-page.ts';
import { FirstStepResponse, LoginBody, Redirect } from './schema.ts';
import { registerSecondStepForms, sendSecondStep } from './second-step/second-step-forms.ts';
import { registerSecondStepRoutes } from './second-step/second-step-routes.ts';
import { MERGED_TEXTS, SIGN_IN_TEXTS, signInPage } from './sign-in-page.ts';
import { handshakeOf } from './single-sign-on/handshake.ts';
import { passBySession, registerSessionPages } from './single-sign-on/session-routes.ts';

/** `scope` parses forms. */
export function registerLoginRoutes(scope: HttpApp, deps: LoginRoutesDeps): void {
  const routes = apiRoutes(scope, { tags: ['auth'], permission: 'public' });
  const { auth, limiter, destinations } = deps;
  registerSignInPage(scope, deps);
  registerSessionPages(scope, deps);
  registerSecondStepRoutes(scope, deps);
  registerSecondStepForms(scope, deps);
  routes.post(
    '/api/auth/login',
    'Sign in; with `next` the answer is a redirect that carries the token',
    {
      config: {
        validationCode: 'invalid_request',
        hasPages: true,
        errors: ['invalid_redirect', 'authentication_failed', 'forbidden', 'rate_limited'],
      },
      // Runs after the body is parsed: a browser that is refused gets its form back.
      preValidation: [refuseForeignForms, rateLimitHook(limiter)],
      errorHandler: (error, request, reply) => sendFailure(error, request, reply, deps),
      schema: {
        consumes: ['application/json', 'application/x-www-form-urlencoded'],
        body: LoginBody,
        response: { 200: FirstStepResponse, 302: Redirect },
      },
    },
    async (request, reply) => {
      const { email, password, code, next, client_id: clientId, state, response_mode: mode = 'token' } = request.body;
      const isAtPage = isPost(request);
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      if (next !== undefined) requireTarget({ next, clientId }, destinations);
      else if (mode === 'code' || clientId !== undefined)
        throw new ServiceError('invalid_request', "'next' is required for a code");
      else if (isAtPage) throw invalidRedirect();
      const codeChallenge = readChallenge(request.body);
      const handshake = next === undefined ? undefined : { next, clientId, state, mode, codeChallenge };
      const wanted = { email, password, code, handshake, origin: originOf(request) };
      const outcome = await (isAtPage
        ? auth.signInAtPage({ ...wanted, browser: deps.browsers.signingOf(request) })
        : auth.signIn(wanted));
      const journey = isAtPage ? readJourney(request, request.body, destinations) : undefined;
      if (outcome.kind === 'direct' || outcome.kind === 'handshake')
        return grantedResponse(reply, outcome, { ...deps, journey });
      return journey === undefined ? challengeResponse(outcome) : sendSecondStep(deps, reply, { outcome, journey });
    },
  );
}

function registerSignInPage(app: HttpApp, deps: LoginRoutesDeps): void {
  const hint = { login_hint: Type.Optional(Type.String({ maxLength: 254 })) };
  const querystring = Type.Object({ ...JOURNEY_FIELDS, ...hint }, { additionalProperties: false });
  app.get(
    '/login',
    { config: { permission: 'public' }, schema: { hide: true, querystring } },
    async (request, reply) => {
      const journey = readJourney(request, request.query, deps.destinations);
      const handshake = handshakeOf(journey);
      const { login_hint: email } = request.query;
      const passed = await passBySession(deps, { request, reply, journey, handshake, email });
      if (passed.isSent) return reply;
      const { user: again, refused } = passed;
      if (refused !== undefined) reply.code(403);
      const { isRegistrationOpen } = deps;
      return sendPage(reply, signInPage({ journey, root: '', isRegistrationOpen, email, again, refused }));
    },
  );
}

/** Whether the request is a form from a browser. */
function isPost(request: FastifyRequest): boolean {
  return isForm(request) && wantsPage(request);
}

/** Shows errors of a browser's form on the page; other errors go to the common error handler. */
function sendFailure(
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
  { destinations, staffLength, isRegistrationOpen }: LoginRoutesDeps,
): FastifyReply {
  if (!isPost(request)) throw error;
  const known = asServiceError(error);
  const post = readPost(request.body);
  const journey = journeyOf(request, post, destinations);
  if (journey?.goal === undefined) return sendErrorPage(invalidRedirect(), reply.code(400));
  const { language } = journey;
  const email = post.text('email');
  if (known.code === 'password_change_required') {
    const sent = known.details['password_change_reason'];
    const reason = PASSWORD_CHANGE_REASONS.find((each) => each === sent);
    return sendPage(reply, changePasswordPage({ journey, root: '../../', reason, email, staffLength }));
  }
  const fields = error instanceof AccountMerged ? MERGED_TEXTS : SIGN_IN_TEXTS;
  const problem = problemOf(known, { language, post, fields });
  return sendPage(
    statusOfProblem(known, reply),
    signInPage({ journey, root: '../../', isRegistrationOpen, email, problem }),
  );
}

function journeyOf(request: FastifyRequest, post: FormPost, destinations: Destinations): Journey | undefined {
  try {
    return journeyOfPost(request, post, destinations);
  } catch {
    return undefined;
  }
}

/**
 * The errors to show at the form; wrong credentials become an error of the password field.
 * @throws the error when the form cannot show it
 */
function asServiceError(error: Error): ServiceError {
  if ('validation' in error && Array.isArray(error.validation)) {
    const missing = ['email', 'password'].filter((name) => mentions(error, name));
    return validationError(missing.map((field) => ({ field, message: `'${field}' is required` })));
  }
  if (!(error instanceof ServiceError)) throw error;
  if (error.code !== 'authentication_failed') return error;
  return new ServiceError(error.code, error.message, { issues: [{ field: 'password', message: error.message }] });
}

function mentions(error: Error, field: string): boolean {
  return error.message.includes(`/${field} `) || error.message.includes(`'${field}'`);
}
