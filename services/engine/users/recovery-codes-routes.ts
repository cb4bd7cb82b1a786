// GET and POST /auth/recovery-codes: the page on which a user of the engine renews recovery codes, with the limits and locks of a sign-in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type ErrorCode, ServiceError } from '#lib/errors.ts';
import { readPost, refuseForeignForms, registerForms } from '#lib/html/form-post.ts';
import { chooseLanguage, sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { originOf } from '../shared/actor.ts';
import { type RenewalProblem, renewalPage, renewedPage } from './recovery-codes-page.ts';
import type { SecondFactorService } from './second-factor-service.ts';

const PATH = '/auth/recovery-codes';
const FIELDS = ['email', 'current_password', 'code'] as const;
/** As the bodies of the API have them. */
const MOST_CHARACTERS = 1024;

const PROBLEMS: Partial<Record<ErrorCode, RenewalProblem>> = {
  authentication_failed: 'wrong',
  conflict: 'none',
  rate_limited: 'locked',
};

interface RecoveryPageDependencies {
  readonly secondFactor: Pick<SecondFactorService, 'renewByPassword'>;
  readonly limiter: RateLimiter;
}

export async function registerRecoveryPage(app: HttpApp, deps: RecoveryPageDependencies): Promise<void> {
  await registerForms(app, (scope) => {
    const config = { permission: 'public' } as const;
    const querystring = Type.Object({ lang: Type.Optional(Type.String()) });
    scope.get(PATH, { config, schema: { hide: true, querystring } }, async (request, reply) =>
      sendPage(reply, renewalPage({ language: languageOf(request, request.query.lang) })),
    );
    scope.post(PATH, { config, schema: { hide: true } }, async (request, reply) => renew(deps, request, reply));
  });
}

async function renew(
  { secondFactor, limiter }: RecoveryPageDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const post = readPost(request.body);
  const language = languageOf(request, post.optional('lang'));
  const [email, password, code] = FIELDS.map((name) => post.text(name).slice(0, MOST_CHARACTERS));
  try {
    await refuseForeignForms(request);
    await rateLimitHook(limiter)(request, reply);
    const missing = FIELDS.filter((name) => post.optional(name) === undefined);
    if (email === undefined || password === undefined || code === undefined || missing.length > 0) {
      return sendPage(reply.code(400), renewalPage({ language, email: post.text('email'), missing }));
    }
    return sendPage(
      reply,
      renewedPage(language, await secondFactor.renewByPassword({ email, password, code }, originOf(request))),
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const problem = PROBLEMS[error.code] ?? 'failed';
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
    return sendPage(reply.code(error.status), renewalPage({ language, email: post.text('email'), problem }));
  }
}

function languageOf({ headers }: FastifyRequest, parameter: unknown) {
  return chooseLanguage(parameter, headers['accept-language']);
}
