// Errors of a form page: each at its field in the order of the page, or as a notice above the form. Errors that no form
// can show go to the error page.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { type Issue, ServiceError, validationError } from '#lib/errors.ts';
import { alertText, errorSummary, type FieldErrors } from '#lib/html/form.ts';
import { type FormPost, issuesBySchema } from '#lib/html/form-post.ts';
import type { Language, Markup } from '#lib/html/html.ts';
import { type Message, translator, waitText } from '#lib/html/messages.ts';
import messages from './form-problem.messages.json' with { type: 'json' };
import { NoMember } from './tenants/no-member.ts';

/**
 * The texts of a field. They are for when it is empty, when it is wrong (unless the issue has its own text), and when
 * another account has the value.
 */
export interface FieldTexts {
  readonly missing: Message;
  readonly invalid: Message;
  readonly taken?: Message;
}

export interface FormProblem {
  readonly errors: FieldErrors;
  readonly notice?: string | undefined;
}

export interface FormContext {
  readonly language: Language;
  readonly post: FormPost;
  /** The fields by name, in the order of the page. */
  readonly fields: Readonly<Record<string, FieldTexts>>;
}

/**
 * The texts of account fields that several pages have. They are the e-mail address of a new account and of one that
 * exists. They are also a new password (where the issue has no text of its own) and its repetition.
 */
export const ACCOUNT_FIELDS = messages.fields satisfies Record<string, FieldTexts>;
export const WRONG_CREDENTIALS: Message = messages.wrongCredentials;

/** @throws the error itself when the form cannot show it */
export function problemOf(error: unknown, context: FormContext): FormProblem {
  if (!(error instanceof ServiceError)) throw error;
  const text = translator(messages.notices, context.language);
  if (error.code === 'rate_limited') {
    const wait = waitText(Math.ceil(error.retryAfterSeconds ?? 60), context.language);
    return { errors: {}, notice: text('rate_limited', { wait }) };
  }
  if (error instanceof NoMember) return { errors: {}, notice: text('noMember') };
  if (error.code === 'unavailable' || error.code === 'forbidden') return { errors: {}, notice: text(error.code) };
  const errors = fieldErrors(error, context);
  if (Object.keys(errors).length === 0) throw error;
  return { errors };
}

/** Sets the status and headers of the error, and Retry-After where the error has a waiting time. */
export function statusOfProblem(error: unknown, reply: FastifyReply): FastifyReply {
  if (!(error instanceof ServiceError)) return reply;
  const { status } = error;
  const wait = error.retryAfterSeconds ?? (status === 503 ? 2 : undefined);
  if (wait !== undefined) reply.header('retry-after', String(Math.ceil(wait)));
  return reply.code(status).headers(error.headers);
}

/** The notice or the summary of the errors, shown above the form. */
export function problemSummary(language: Language, problem: FormProblem | undefined): Markup | undefined {
  if (problem === undefined) return undefined;
  return problem.notice === undefined ? errorSummary(language, problem.errors) : alertText(problem.notice);
}

/** An issue when the repetition of a new password differs. */
export function repetitionIssues(post: FormPost, names: { password: string; again: string }): Issue[] {
  const again = post.text(names.again);
  if (again !== '' && again === post.text(names.password)) return [];
  return [{ field: names.again, message: `'${names.again}' must repeat '${names.password}'` }];
}

/**
 * Checks the form of a new account by the schema of its JSON address, by the service, and the repetition of its
 * password.
 * @throws ServiceError with every issue
 */
export async function requireValidAccount<Body extends object>(
  { request, post }: { readonly request: FastifyRequest; readonly post: FormPost },
  body: Body,
  { schema, issuesOf }: { readonly schema: TSchema; readonly issuesOf: (body: Body) => Promise<readonly Issue[]> },
): Promise<void> {
  const issues = [
    ...issuesBySchema(request, schema, body),
    ...(await issuesOf(body)),
    ...repetitionIssues(post, { password: 'password', again: 'password_again' }),
  ];
  if (issues.length > 0) throw validationError(issues);
}

function fieldErrors({ code, issues }: ServiceError, { language, post, fields }: FormContext): FieldErrors {
  const issuesOf = (name: string) => issues.filter(({ field = '' }) => /^\w+/.exec(field)?.[0] === name);
  const isTaken = code === 'conflict';
  const entries = Object.entries(fields)
    .map(([name, texts]) => ({ name, texts, found: issuesOf(name) }))
    .filter(({ found }) => found.length > 0)
    .map(({ name, texts, found }) => [name, textFor(texts, { typed: post.text(name), isTaken, found })[language]]);
  return Object.fromEntries(entries);
}

function textFor(
  { missing, invalid, taken }: FieldTexts,
  { typed, isTaken, found }: { typed: string; isTaken: boolean; found: readonly Issue[] },
): Message {
  if (typed === '') return missing;
  if (isTaken && taken !== undefined) return taken;
  return found.find(({ texts }) => texts !== undefined)?.texts ?? invalid;
}
