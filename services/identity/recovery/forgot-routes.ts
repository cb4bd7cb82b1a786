// GET and POST /forgot-password and /reset-password (decision L12). Opening a link changes nothing, since mail servers
// open links too: the token is used by the form. A link that has ended is said to have when it is opened.
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { ServiceError, validationError } from '#lib/errors.ts';
import { issuesBySchema } from '#lib/html/form-post.ts';
import { type Language, sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { passwordFieldIssues } from '#lib/passwords/policy.ts';
import { originOf } from '../actor.ts';
import type { Destinations } from '../shared/destinations.ts';
import { repetitionIssues } from '../shared/form-problem.ts';
import { carryOut, type PostedForm, registerFormRoutes, registerJourneyPage } from '../shared/form-routes.ts';
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
  /** The sign-in of the public origin, for who comes from a mail. */
  readonly signInHref: (language: Language) => string;
}

/** `scope` parses forms. */
export function registerRecoveryPages(scope: HttpApp, deps: RecoveryPagesDeps): void {
  const { recovery, destinations, staffLength, signInHref } = deps;
  registerJourneyPage(scope, {
    path: '/forgot-password',
    destinations,
    query: {},
    show: ({ reply, journey }) => sendPage(reply, forgotPage({ journey, hasMail: recovery.hasMail })),
  });
  registerJourneyPage(scope, {
    path: '/reset-password',
    destinations,
    query: { token: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })) },
    show: async ({ reply, journey, query: { token } }) => {
      // Said before anybody thinks of a password. The form says it again, as half an hour may pass in between.
      if (token === undefined || (await recovery.isLinkOpen(token)))
        return sendPage(reply, resetPage({ journey, token, staffLength }));
      return sendPage(reply.code(410), linkEndedPage(journey));
    },
  });
  registerFormRoutes(scope, {
    path: '/forgot-password',
    destinations,
    handleForm: (form) => handleForgot(deps, form),
    confirmationPage: linkSentPage,
  });
  registerFormRoutes(scope, {
    path: '/reset-password',
    destinations,
    handleForm: (form) => handleReset(deps, form),
    confirmationPage: (journey) => passwordResetPage(journey, signInHref(journey.language)),
  });
}

function handleForgot({ recovery, limits }: RecoveryPagesDeps, form: PostedForm): Promise<FastifyReply> {
  const { request, post, journey } = form;
  const email = post.text('email');
  return carryOut(form, {
    limiter: limits.request,
    fields: FORGOT_FIELDS,
    done: 'forgot-password/done',
    submit: async () => {
      const issues = issuesBySchema(request, RequestBody, { email });
      if (issues.length > 0) throw validationError(issues);
      await recovery.requestLink({ email, language: journey.language, origin: originOf(request) });
    },
    problemPage: (problem) => forgotPage({ journey, hasMail: recovery.hasMail, email, problem }),
  });
}

function handleReset({ recovery, limits, staffLength }: RecoveryPagesDeps, form: PostedForm): Promise<FastifyReply> {
  const { request, post, journey } = form;
  const [token, next] = [post.text('token'), post.text('new_password')];
  const isByLink = post.optional('by_link') !== undefined;
  return carryOut(form, {
    limiter: limits.confirm,
    fields: RESET_FIELDS,
    done: 'reset-password/done',
    submit: async () => {
      const issues = [
        ...issuesBySchema(request, ConfirmBody, { token, new_password: next }),
        ...passwordFieldIssues('new_password', next),
        ...repetitionIssues(post, { password: 'new_password', again: 'new_password_again' }),
      ];
      if (issues.length > 0) throw validationError(issues);
      await recovery.reset({ secret: token, next, language: journey.language, origin: originOf(request) });
    },
    endPage: (error) => {
      const hasEnded = isByLink && error instanceof ServiceError && error.code === 'authentication_failed';
      return hasEnded ? linkEndedPage(journey) : undefined;
    },
    problemPage: (problem) => resetPage({ journey, token: isByLink ? token : undefined, staffLength, problem }),
  });
}
