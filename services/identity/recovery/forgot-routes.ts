// GET and POST /forgot-password and /reset-password (decision L12). Opening a link changes nothing, since mail servers
// open links too: the token is used by the form.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError, validationError } from '#lib/errors.ts';
import { issuesBySchema, readPost, refuseForeignForms } from '#lib/html/form-post.ts';
import { sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { passwordFieldIssues } from '#lib/passwords/policy.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { originOf } from '../actor.ts';
import type { Destinations } from '../shared/destinations.ts';
import { problemOf, repetitionIssues, statusOfProblem } from '../shared/form-problem.ts';
import { registerFormRoutes } from '../shared/form-routes.ts';
import { JOURNEY_FIELDS, journeyHref, journeyOfPost, readJourney } from '../shared/journey.ts';
import {
  FORGOT_FIELDS,
  forgotPage,
  linkEndedPage,
  linkSentPage,
  passwordResetPage,
  RESET_FIELDS,
  resetPage,
} from './forgot-page.ts';
import type { RecoveryLimits } from './routes.ts';
import { ConfirmBody, RequestBody } from './schema.ts';
import type { Recovery } from './service.ts';

export interface RecoveryPagesDeps {
  readonly recovery: Recovery;
  readonly destinations: Destinations;
  readonly limits: RecoveryLimits;
  /** The minimum length of the password of professionals without a second factor. */
  readonly staffLength: number;
}

/** `scope` parses forms. */
export function registerRecoveryPages(scope: HttpApp, deps: RecoveryPagesDeps): void {
  const { recovery, destinations, staffLength } = deps;
  const journeyQuery = Type.Object(JOURNEY_FIELDS, { additionalProperties: false });
  const linkQuery = Type.Object(
    { ...JOURNEY_FIELDS, token: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })) },
    { additionalProperties: false },
  );
  scope.get(
    '/forgot-password',
    { config: { permission: 'public' }, schema: { hide: true, querystring: journeyQuery } },
    async (request, reply) => {
      const journey = readJourney(request, request.query, destinations);
      return sendPage(reply, forgotPage({ journey, hasMail: recovery.hasMail }));
    },
  );
  scope.get(
    '/reset-password',
    { config: { permission: 'public' }, schema: { hide: true, querystring: linkQuery } },
    async (request, reply) => {
      const journey = readJourney(request, request.query, destinations);
      return sendPage(reply, resetPage({ journey, token: request.query.token, staffLength }));
    },
  );
  registerFormRoutes(scope, {
    path: '/forgot-password',
    destinations,
    handleForm: (request, reply) => handleForgot(deps, request, reply),
    confirmationPage: linkSentPage,
  });
  registerFormRoutes(scope, {
    path: '/reset-password',
    destinations,
    handleForm: (request, reply) => handleReset(deps, request, reply),
    confirmationPage: passwordResetPage,
  });
}

async function handleForgot(
  { recovery, destinations, limits }: RecoveryPagesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const post = readPost(request.body);
  const journey = journeyOfPost(request, post, destinations);
  const { language } = journey;
  const email = post.text('email');
  try {
    await refuseForeignForms(request);
    await rateLimitHook(limits.request)(request, reply);
    const issues = issuesBySchema(request, RequestBody, { email });
    if (issues.length > 0) throw validationError(issues);
    await recovery.requestLink({ email, language, origin: originOf(request) });
  } catch (error) {
    const problem = problemOf(error, { language, post, fields: FORGOT_FIELDS });
    return sendPage(statusOfProblem(error, reply), forgotPage({ journey, hasMail: recovery.hasMail, email, problem }));
  }
  return reply.redirect(journeyHref('forgot-password/done', journey), 303);
}

async function handleReset(
  { recovery, destinations, limits, staffLength }: RecoveryPagesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const post = readPost(request.body);
  const journey = journeyOfPost(request, post, destinations);
  const { language } = journey;
  const [token, next] = [post.text('token'), post.text('new_password')];
  const isByLink = post.optional('by_link') !== undefined;
  try {
    await refuseForeignForms(request);
    await rateLimitHook(limits.confirm)(request, reply);
    const issues = [
      ...issuesBySchema(request, ConfirmBody, { token, new_password: next }),
      ...passwordFieldIssues('new_password', next),
      ...repetitionIssues(post, { password: 'new_password', again: 'new_password_again' }),
    ];
    if (issues.length > 0) throw validationError(issues);
    await recovery.reset({ secret: token, next, language, origin: originOf(request) });
  } catch (error) {
    const hasEnded = isByLink && error instanceof ServiceError && error.code === 'authentication_failed';
    if (hasEnded) return sendPage(statusOfProblem(error, reply), linkEndedPage(journey));
    const problem = problemOf(error, { language, post, fields: RESET_FIELDS });
    const form = { journey, token: isByLink ? token : undefined, staffLength, problem };
    return sendPage(statusOfProblem(error, reply), resetPage(form));
  }
  return reply.redirect(journeyHref('reset-password/done', journey), 303);
}
