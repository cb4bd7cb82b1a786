// POST /login/code, /login/set-up and /login/continue: the forms of a sign-in's second step. The response is the next
// page or the redirect of the handshake. An expired challenge leads back to the sign-in page.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Issue, ServiceError, validationError } from '#lib/errors.ts';
import { type FormPost, readPost, refuseForeignForms } from '#lib/html/form-post.ts';
import { sendPage } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { originOf } from '../../actor.ts';
import { problemOf, statusOfProblem } from '../../shared/form-problem.ts';
import { invalidRedirect, type Journey, journeyOfPost } from '../../shared/journey.ts';
import type { LoginRoutesDeps } from '../login-deps.ts';
import { grantedResponse, requireTarget } from '../login-response.ts';
import type { CodeRequired, SetUpRequired } from '../sign-in.ts';
import { signInPage } from '../sign-in-page.ts';
import type { OpenChallenge } from './challenges.ts';
import messages from './second-step-forms.messages.json' with { type: 'json' };
import { CODE_FIELDS, codePage, recoveryCodesPage, type StepForm, setUpPage } from './second-step-page.ts';

const ROOT = '../';

interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly post: FormPost;
  readonly journey: Journey;
}

type Answer = (visit: Visit, challenge: OpenChallenge, form: StepForm) => Promise<unknown>;

/** `scope` parses forms. */
export function registerSecondStepForms(scope: HttpApp, deps: LoginRoutesDeps): void {
  const forms: readonly (readonly [string, Answer])[] = [
    ['/login/code', (visit, challenge, form) => submitCode(deps, visit, { challenge, form })],
    ['/login/set-up', (visit, challenge, form) => submitSetup(deps, visit, { challenge, form })],
    ['/login/continue', (visit, challenge) => goOn(deps, visit, challenge)],
  ];
  for (const [path, answer] of forms) {
    scope.post(path, { config: { permission: 'public' }, schema: { hide: true } }, (request, reply) =>
      visited(deps, { request, reply, answer }),
    );
  }
}

/** The page after a right password when a second step is required. */
export async function sendSecondStep(
  { auth }: LoginRoutesDeps,
  reply: FastifyReply,
  { outcome, journey }: { outcome: CodeRequired | SetUpRequired; journey: Journey },
): Promise<FastifyReply> {
  const form = { journey, root: '../../', challenge: outcome.challenge };
  if (outcome.kind === 'code') return sendPage(reply, codePage(form));
  return sendPage(reply, setUpPage(form, await auth.readSetup(await auth.readChallenge(outcome.challenge))));
}

async function visited(
  deps: LoginRoutesDeps,
  { request, reply, answer }: { request: FastifyRequest; reply: FastifyReply; answer: Answer },
): Promise<unknown> {
  const post = readPost(request.body);
  const journey = journeyOfPost(request, post, deps.destinations);
  if (journey.goal === undefined) throw invalidRedirect();
  const visit = { request, reply, post, journey };
  try {
    await refuseForeignForms(request);
    await rateLimitHook(deps.limiter)(request, reply);
    const challenge = await deps.auth.readChallenge(post.text('challenge'));
    if (challenge.handshake !== undefined) requireTarget(challenge.handshake, deps.destinations);
    return await answer(visit, challenge, { journey, root: ROOT, challenge: post.text('challenge') });
  } catch (error) {
    return backToSignIn(deps, visit, error);
  }
}

async function submitCode(
  deps: LoginRoutesDeps,
  visit: Visit,
  { challenge, form }: { challenge: OpenChallenge; form: StepForm },
): Promise<unknown> {
  const { auth, browsers } = deps;
  const field = visit.post.optional('recovery_code') === undefined ? 'code' : 'recovery_code';
  try {
    const code = typed(visit.post, field);
    const browser = browsers.signingOf(visit.request);
    const granted = await auth.submitCode({ challenge, code, origin: originOf(visit.request), browser });
    return grantedResponse(visit.reply, granted, { ...deps, journey: visit.journey });
  } catch (error) {
    const { known, problem } = problemAt(error, field, visit);
    return sendPage(statusOfProblem(known, visit.reply), codePage({ ...form, problem }));
  }
}

async function submitSetup(
  { auth }: LoginRoutesDeps,
  visit: Visit,
  { challenge, form }: { challenge: OpenChallenge; form: StepForm },
): Promise<FastifyReply> {
  try {
    const code = typed(visit.post, 'code');
    const done = await auth.submitSetup({ challenge, code, origin: originOf(visit.request) });
    return sendPage(visit.reply, recoveryCodesPage({ ...form, challenge: done.challenge }, done.recoveryCodes));
  } catch (error) {
    const { known, problem } = problemAt(error, 'code', visit);
    // Another sign-in may have begun a set-up meanwhile; only that sign-in may see it.
    const setup = await auth.readSetup(await auth.readChallenge(form.challenge));
    return sendPage(statusOfProblem(known, visit.reply), setUpPage({ ...form, problem }, setup));
  }
}

async function goOn(deps: LoginRoutesDeps, visit: Visit, challenge: OpenChallenge): Promise<unknown> {
  const browser = deps.browsers.signingOf(visit.request);
  const granted = await deps.auth.continueSignIn({ challenge, origin: originOf(visit.request), browser });
  return grantedResponse(visit.reply, granted, { ...deps, journey: visit.journey });
}

/** @throws ServiceError `validation_error` for an empty field */
function typed(post: FormPost, field: string): string {
  const text = post.text(field);
  if (text === '') throw validationError([{ field, message: `'${field}' is required` }]);
  return text;
}

/** The errors to show at the form. @throws the error when the form cannot show it */
function problemAt(error: unknown, field: string, { post, journey }: Visit) {
  const known = isWrongCode(error) ? atField(error, { field, message: error.message }) : error;
  return { known, problem: problemOf(known, { language: journey.language, post, fields: CODE_FIELDS }) };
}

function atField(error: ServiceError, issue: Issue): ServiceError {
  return new ServiceError(error.code, error.message, { issues: [issue] });
}

function isWrongCode(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'authentication_failed' && !hasEnded(error);
}

function hasEnded(error: ServiceError): boolean {
  return error.issues.some(({ field }) => field === 'challenge');
}

/** @throws the error when it does not concern the sign-in */
function backToSignIn(
  { isRegistrationOpen }: LoginRoutesDeps,
  { reply, post, journey }: Visit,
  error: unknown,
): FastifyReply {
  const { language } = journey;
  if (!(error instanceof ServiceError)) throw error;
  const isOver = error.code === 'authentication_failed';
  const notice = { errors: {}, notice: translator(messages, language)('ended') };
  const problem = isOver ? notice : problemOf(error, { language, post, fields: {} });
  return sendPage(statusOfProblem(error, reply), signInPage({ journey, root: ROOT, isRegistrationOpen, problem }));
}
