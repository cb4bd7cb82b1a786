// Errors of a form page: each at its field in the order of the page, or as a notice above the form. Errors that no form
// can show go to the error page.
import type { FastifyReply } from 'fastify';
import { type Issue, ServiceError } from '#lib/errors.ts';
import { type Bilingual, speak, waitText } from '#lib/html/bilingual.ts';
import { alertText, errorSummary, type FieldErrors } from '#lib/html/form.ts';
import type { FormPost } from '#lib/html/form-post.ts';
import type { Language, Markup } from '#lib/html/html.ts';

/**
 * The texts of a field: when it is empty, when it is wrong (unless the issue has its own text), and when another
 * account has the value.
 */
export interface FieldTexts {
  readonly missing: Bilingual;
  readonly invalid: Bilingual;
  readonly taken?: Bilingual;
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

const NOTICES = {
  rate_limited: {
    sv: 'För många försök. Vänta {wait} och försök igen.',
    en: 'Too many attempts. Wait {wait} and try again.',
  },
  forbidden: {
    sv: 'Formuläret skickades från en annan webbplats och togs inte emot. Fyll i det här i stället.',
    en: 'The form was sent from another website and was not accepted. Fill it in here instead.',
  },
  unavailable: {
    sv: 'Det går inte just nu. Försök igen om en stund.',
    en: 'It is not possible at the moment. Try again shortly.',
  },
} as const satisfies Record<string, Bilingual>;

/** The texts of the e-mail address of a new account. */
export const NEW_EMAIL_TEXTS = {
  missing: { sv: 'Fyll i din e-postadress.', en: 'Enter your e-mail address.' },
  invalid: { sv: 'Skriv en e-postadress som namn@exempel.se.', en: 'Write an e-mail address like name@example.org.' },
} as const satisfies FieldTexts;
/** The texts of the e-mail address of an account that exists. */
export const EMAIL_TEXTS = {
  missing: NEW_EMAIL_TEXTS.missing,
  invalid: { sv: 'E-postadressen går inte att läsa.', en: 'The e-mail address cannot be read.' },
} as const satisfies FieldTexts;
export const WRONG_CREDENTIALS = {
  sv: 'E-postadressen eller lösenordet stämmer inte.',
  en: 'The e-mail address or the password is wrong.',
} as const satisfies Bilingual;

/** The texts of a new password, where the issue has none of its own, and of its repetition. */
export const NEW_PASSWORD_TEXTS = {
  missing: { sv: 'Välj ett lösenord.', en: 'Choose a password.' },
  invalid: { sv: 'Lösenordet går inte att läsa.', en: 'The password cannot be read.' },
} as const satisfies FieldTexts;
export const REPEATED_PASSWORD_TEXTS: FieldTexts = {
  missing: { sv: 'Skriv lösenordet en gång till.', en: 'Type the password once more.' },
  invalid: { sv: 'De två lösenorden är olika.', en: 'The two passwords differ.' },
};

/** @throws the error itself when the form cannot show it */
export function problemOf(error: unknown, context: FormContext): FormProblem {
  if (!(error instanceof ServiceError)) throw error;
  const text = speak(NOTICES, context.language);
  if (error.code === 'rate_limited') {
    const wait = waitText(Math.ceil(error.retryAfterSeconds ?? 60), context.language);
    return { errors: {}, notice: text('rate_limited', { wait }) };
  }
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
): Bilingual {
  if (typed === '') return missing;
  if (isTaken && taken !== undefined) return taken;
  return found.find(({ texts }) => texts !== undefined)?.texts ?? invalid;
}
