// GET and POST /change-password: the page on which any user changes the password, with the limits and locks of a
// sign-in. A user who came from a sign-in is then signed in and redirected to the application (decision I13).
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError, validationError } from '#lib/errors.ts';
import { type FormPost, issuesBySchema, refuseForeignForms } from '#lib/html/form-post.ts';
import { type Language, sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { passwordFieldIssues } from '#lib/passwords/policy.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { originOf } from '../../actor.ts';
import { PASSWORD_CHANGE_REASONS } from '../../shared/credentials.ts';
import { problemOf, repetitionIssues, statusOfProblem } from '../../shared/form-problem.ts';
import { type PostedForm, registerFormRoutes } from '../../shared/form-routes.ts';
import { JOURNEY_FIELDS, type Journey, journeyHref, readJourney } from '../../shared/journey.ts';
import type { LoginRoutesDeps } from '../login-deps.ts';
import { redirectOn } from '../login-response.ts';
import { ChangeOwnPasswordBody } from '../schema.ts';
import { handshakeOf } from '../single-sign-on/handshake.ts';
import { CHANGE_FIELDS, changePasswordPage, passwordChangedPage } from './change-password-page.ts';

/** `scope` parses forms. */
export function registerChangePasswordPages(scope: HttpApp, deps: LoginRoutesDeps): void {
  const querystring = Type.Object(JOURNEY_FIELDS, { additionalProperties: false });
  scope.get(
    '/change-password',
    { config: { permission: 'public' }, schema: { hide: true, querystring } },
    async (request, reply) => {
      const journey = readJourney(request, request.query, deps.destinations);
      const known = await deps.auth.readSignedIn(deps.browsers.secretOf(request));
      const email = known?.email ?? '';
      return sendPage(reply, changePasswordPage({ journey, root: '', email, staffLength: deps.staffLength }));
    },
  );
  registerFormRoutes(scope, {
    path: '/change-password',
    destinations: deps.destinations,
    handleForm: (form) => handleForm(deps, form),
    confirmationPage: passwordChangedPage,
  });
}

async function handleForm(deps: LoginRoutesDeps, { request, reply, post, journey }: PostedForm): Promise<FastifyReply> {
  try {
    await refuseForeignForms(request);
    await rateLimitHook(deps.limiter)(request, reply);
    await change(deps, { request, post, language: journey.language });
  } catch (error) {
    const known = atField(error);
    const problem = problemOf(known, { language: journey.language, post, fields: CHANGE_FIELDS });
    const reason = PASSWORD_CHANGE_REASONS.find((each) => post.optional(each) !== undefined);
    const requiresCode = 'code' in problem.errors || post.optional('code') !== undefined;
    const typed = { reason, requiresCode, email: post.text('email') };
    const page = changePasswordPage({ journey, root: '', ...typed, staffLength: deps.staffLength, problem });
    return sendPage(statusOfProblem(known, reply), page);
  }
  return goOn(deps, reply, { journey, email: post.text('email'), password: post.text('new_password'), request });
}

async function change(
  { auth }: LoginRoutesDeps,
  { request, post, language }: { request: FastifyRequest; post: FormPost; language: Language },
): Promise<void> {
  const names = ['email', 'current_password', 'new_password'] as const;
  const body = Object.fromEntries(names.map((name) => [name, post.text(name)]));
  const issues = [
    ...issuesBySchema(request, ChangeOwnPasswordBody, body),
    ...passwordFieldIssues('new_password', post.text('new_password')),
    ...repetitionIssues(post, { password: 'new_password', again: 'new_password_again' }),
  ];
  if (issues.length > 0) throw validationError(issues);
  await auth.changeOwnPassword({
    email: post.text('email'),
    current: post.text('current_password'),
    next: post.text('new_password'),
    code: post.optional('code'),
    origin: originOf(request),
    language,
  });
}

/**
 * Signs in with the new password when the user came from a sign-in. If that fails for the moment, the page confirms the
 * change.
 */
async function goOn(
  deps: LoginRoutesDeps,
  reply: FastifyReply,
  { journey, email, password, request }: { journey: Journey; email: string; password: string; request: FastifyRequest },
): Promise<FastifyReply> {
  if (journey.goal !== undefined) {
    const [handshake, browser] = [handshakeOf(journey), deps.browsers.signingOf(request)];
    try {
      const wanted = { email, password, handshake, origin: originOf(request), browser };
      const outcome = await deps.auth.signInAtPage(wanted);
      // A user with a second factor has just used a code: the sign-in page asks for another.
      if (outcome.kind === 'handshake') return redirectOn(reply, outcome, { ...deps, journey });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
  return reply.redirect(journeyHref('/change-password/done', journey), 303);
}

/** Reports wrong credentials at the field of the current password. */
function atField(error: unknown): unknown {
  const isToBePlaced = error instanceof ServiceError && error.code === 'authentication_failed';
  if (!isToBePlaced || error.issues.length > 0) return error;
  const { code, message } = error;
  return new ServiceError(code, message, { issues: [{ field: 'current_password', message }] });
}
