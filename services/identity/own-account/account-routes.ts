// The page of the user's own account (decision L12): GET /account with its forms. It needs the browser session
// (decision L11), and its forms are taken from our own pages alone.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import Type from 'typebox';
import { decide } from '#lib/auth/permissions.ts';
import { validationError } from '#lib/errors.ts';
import { issuesBySchema } from '#lib/html/form-post.ts';
import { type Language, sendPage } from '#lib/html/html.ts';
import type { Actor } from '../actor.ts';
import { problemOf, statusOfProblem } from '../shared/form-problem.ts';
import type { SignedInForm, SignedInPages, SignedInVisit } from '../shared/routes/signed-in-pages.ts';
import { ACCOUNT_PAGE_FIELDS, type AccountView, accountPage, DONE } from './account-page.ts';
import { atField } from './own-proof.ts';
import { type AccountLimits, EmailBody, EmailConfirmBody, NamesBody } from './routes.ts';
import type { OwnAccounts } from './service.ts';

export interface AccountPagesDeps {
  readonly accounts: OwnAccounts;
  readonly limits: AccountLimits;
  /** From where the page was opened: the console, or the tenant's engine. */
  readonly homeHref: (language: Language) => string;
}

export function registerAccountPages(pages: SignedInPages, deps: AccountPagesDeps): void {
  const { request, confirm } = deps.limits;
  const page = '/account';
  const query = { done: Type.Optional(Type.String({ maxLength: 40 })) };
  pages.page({ path: page, query, show: (visit) => showAccount(deps, visit) });
  pages.form({ path: '/account/name', page, act: (form) => saveName(deps, form) });
  pages.form({ path: '/account/email', page, limiter: request, act: (form) => askEmail(deps, form) });
  pages.form({ path: '/account/email/confirm', page, limiter: confirm, act: (form) => confirmEmail(deps, form) });
}

type Reader = Pick<SignedInVisit, 'language' | 'actor'>;

async function showAccount(
  deps: AccountPagesDeps,
  { request, reply, language, actor }: SignedInVisit,
): Promise<FastifyReply> {
  const { done } = request.query as { done?: string };
  const said = DONE.find((each) => each === done);
  return sendPage(reply, accountPage({ ...(await viewOf(deps, { language, actor })), root: '', done: said }));
}

/** What the page shows however it is reached. */
async function viewOf({ accounts, homeHref }: AccountPagesDeps, { language, actor }: Reader) {
  const account = await accounts.read(actor);
  const pages = pagesOf(actor);
  return { language, account, hasMail: accounts.hasMail, pages, homeHref: homeHref(language) };
}

/** The further pages that the caller may open. */
function pagesOf({ principal }: Actor): AccountView['pages'] {
  return [
    ...(decide('proxy:manage-own', principal) === 'allowed' ? (['proxies'] as const) : []),
    ...(decide('directory:administer', principal) === 'allowed' ? (['guardians'] as const) : []),
  ];
}

/** Runs the change, and shows the page again with the errors at their fields. */
async function attempt(
  deps: AccountPagesDeps,
  { reply, language, actor, post }: SignedInForm,
  { root, change, done }: { root: string; change: () => Promise<unknown>; done: string },
): Promise<FastifyReply> {
  try {
    await change();
  } catch (error) {
    const problem = problemOf(atField(error), { language, post, fields: ACCOUNT_PAGE_FIELDS });
    const typed = Object.fromEntries(['first_name', 'last_name', 'new_email'].map((name) => [name, post.text(name)]));
    const given = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ''));
    const page = accountPage({ ...(await viewOf(deps, { language, actor })), root, typed: given, problem });
    return sendPage(statusOfProblem(error, reply), page);
  }
  return reply.header('cache-control', 'no-store').redirect(done, 303);
}

function saveName(deps: AccountPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { request, post, language, actor } = visit;
  const change = async () => {
    const names = { first_name: post.text('first_name'), last_name: post.text('last_name') };
    requireValid(request, NamesBody, names);
    await deps.accounts.changeNames(actor, { first: names.first_name, last: names.last_name });
  };
  return attempt(deps, visit, { root: '../', change, done: `../account?lang=${language}&done=nameSaved` });
}

function askEmail(deps: AccountPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { request, post, language, actor } = visit;
  const change = async () => {
    const code = post.optional('code');
    const [email, password] = [post.text('new_email'), post.text('current_password')];
    requireValid(request, EmailBody, { new_email: email, current_password: password, ...(code && { code }) });
    await deps.accounts.requestEmail(actor, { email, password, code, language });
  };
  return attempt(deps, visit, { root: '../', change, done: `../account?lang=${language}` });
}

function confirmEmail(deps: AccountPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { request, post, language, actor } = visit;
  const change = async () => {
    const code = post.text('email_code');
    requireValid(request, EmailConfirmBody, { email_code: code });
    await deps.accounts.confirmEmail(actor, code, language);
  };
  return attempt(deps, visit, { root: '../../', change, done: `../../account?lang=${language}&done=emailChanged` });
}

/** @throws ServiceError `validation_error` */
function requireValid(request: FastifyRequest, schema: TSchema, value: object): void {
  const issues = issuesBySchema(request, schema, value);
  if (issues.length > 0) throw validationError(issues);
}
