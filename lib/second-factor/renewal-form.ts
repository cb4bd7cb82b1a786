// GET and POST …/recovery-codes: the page on which people renew their recovery codes, with the limits and locks of a
// sign-in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { readPost, refuseForeignForms } from '../html/form-post.ts';
import { chooseLanguage, sendPage } from '../html/html.ts';
import type { Message } from '../html/messages.ts';
import type { HttpApp } from '../http/http-app.ts';
import { rateLimitHook } from '../rate-limit/hook.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import { type RenewalProblem, renewalPage, renewedPage } from './renewal-page.ts';

const FIELDS = ['email', 'current_password', 'code'] as const;
/** As the bodies of the API have them. */
const MOST_CHARACTERS = 1024;

const PROBLEMS: Partial<Record<ErrorCode, RenewalProblem>> = {
  authentication_failed: 'wrong',
  conflict: 'none',
  password_change_required: 'temporary',
  rate_limited: 'locked',
};

/** The credentials of a person who has not signed in. */
export interface RenewalProof {
  readonly email: string;
  readonly password: string;
  /** Of the second factor, or a recovery code. */
  readonly code: string;
}

export interface RenewalPageOptions {
  /** Ends in `/recovery-codes`. */
  readonly path: string;
  /** The name of the service on the page. */
  readonly lead: Message;
  /** Of sign-ins. */
  readonly limiter: RateLimiter;
  /**
   * The new codes. @throws ServiceError `authentication_failed`, `rate_limited`, `conflict` when the account has no
   * second factor, `password_change_required`
   */
  readonly renew: (proof: RenewalProof, request: FastifyRequest) => Promise<readonly string[]>;
}

/** `scope` reads forms. */
export function registerRenewalPage(scope: HttpApp, site: RenewalPageOptions): void {
  const config = { permission: 'public' } as const;
  const querystring = Type.Object({ lang: Type.Optional(Type.String()) });
  scope.get(site.path, { config, schema: { hide: true, querystring } }, async (request, reply) =>
    sendPage(reply, renewalPage({ language: languageOf(request, request.query.lang), lead: site.lead })),
  );
  scope.post(site.path, { config, schema: { hide: true } }, async (request, reply) => renew(site, request, reply));
}

async function renew(
  { lead, limiter, renew: renewCodes }: RenewalPageOptions,
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
      return sendPage(reply.code(400), renewalPage({ language, lead, email: post.text('email'), missing }));
    }
    return sendPage(reply, renewedPage(language, await renewCodes({ email, password, code }, request)));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const problem = PROBLEMS[error.code] ?? 'failed';
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
    return sendPage(reply.code(error.status), renewalPage({ language, lead, email: post.text('email'), problem }));
  }
}

function languageOf({ headers }: FastifyRequest, parameter: unknown) {
  return chooseLanguage(parameter, headers['accept-language']);
}
