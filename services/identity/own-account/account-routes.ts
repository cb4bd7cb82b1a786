// The pages of the user's own account (decision L12): GET /account and /account/second-factor with their forms. They
// need the browser session (decision L11), and their forms are taken from our own pages alone.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import Type from 'typebox';
import { decide } from '#lib/auth/permissions.ts';
import { ServiceError, validationError } from '#lib/errors.ts';
import { type FormPost, issuesBySchema } from '#lib/html/form-post.ts';
import { type Language, sendPage } from '#lib/html/html.ts';
import type { Setup } from '#lib/second-factor/second-factors.ts';
import { type Actor, originOf } from '../actor.ts';
import type { AuthService } from '../auth/service.ts';
import type { Browsers } from '../shared/browser.ts';
import { problemOf, statusOfProblem } from '../shared/form-problem.ts';
import type { SignedInForm, SignedInPages, SignedInVisit } from '../shared/routes/signed-in-pages.ts';
import { ACCOUNT_PAGE_FIELDS, type AccountView, accountPage, DONE } from './account-page.ts';
import { type AccountLimits, EmailBody, EmailConfirmBody, NamesBody } from './routes.ts';
import { factorCodesPage, secondFactorPage } from './second-factor-page.ts';
import type { OwnAccounts } from './service.ts';

/** The user's own second factor, as the API has it. */
interface OwnSecondFactor {
  read(actor: Actor): Promise<{ since: Date | undefined; recoveryCodesLeft: number; isRequired: boolean }>;
  readSetup(actor: Actor): Promise<Setup | undefined>;
  begin(actor: Actor, proof: { password: string }): Promise<Setup>;
  confirm(actor: Actor, code: string): Promise<readonly string[]>;
  disable(actor: Actor, proof: { password: string; code: string }): Promise<void>;
}

export interface AccountPagesDeps {
  readonly accounts: OwnAccounts;
  readonly secondFactor: OwnSecondFactor;
  readonly auth: Pick<AuthService, 'openSessionAfterChange'>;
  readonly browsers: Browsers;
  readonly limits: AccountLimits;
  /** From where the page was opened: the console, or the tenant's engine. */
  readonly homeHref: (language: Language) => string;
}

const FACTOR = '/account/second-factor';

export function registerAccountPages(pages: SignedInPages, deps: AccountPagesDeps): void {
  const { request, confirm } = deps.limits;
  const page = '/account';
  const query = { done: Type.Optional(Type.String({ maxLength: 40 })) };
  pages.page({ path: page, query, show: (visit) => showAccount(deps, visit) });
  pages.form({ path: '/account/name', page, act: (form) => saveName(deps, form) });
  pages.form({ path: '/account/email', page, limiter: request, act: (form) => askEmail(deps, form) });
  pages.form({ path: '/account/email/confirm', page, limiter: confirm, act: (form) => confirmEmail(deps, form) });
  pages.page({ path: FACTOR, show: (visit) => showFactor(deps, visit, '../') });
  const forms = [
    [FACTOR, beginFactor],
    [`${FACTOR}/confirm`, confirmFactor],
    [`${FACTOR}/disable`, disableFactor],
  ] as const;
  for (const [path, act] of forms) pages.form({ path, page: FACTOR, limiter: confirm, act: (form) => act(deps, form) });
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

/** The page in its present state, with what is added. */
async function showFactor(
  { secondFactor }: AccountPagesDeps,
  { reply, language, actor }: SignedInVisit,
  root: string,
  added: Partial<Parameters<typeof secondFactorPage>[0]> = {},
): Promise<FastifyReply> {
  const { since, recoveryCodesLeft, isRequired } = await secondFactor.read(actor);
  const state = { isOn: since !== undefined, recoveryCodesLeft, isRequired };
  return sendPage(reply, secondFactorPage({ language, root, state, ...added }));
}

async function factorFailed(
  deps: AccountPagesDeps,
  visit: SignedInForm,
  failure: { error: unknown; root: string; keepsSetup?: boolean },
) {
  const { error, root, keepsSetup = false } = failure;
  const { reply, language, post, actor } = visit;
  const setup = keepsSetup ? await deps.secondFactor.readSetup(actor) : undefined;
  statusOfProblem(error, reply);
  if (error instanceof ServiceError && error.code === 'conflict') {
    return showFactor(deps, visit, root, { isConflict: true });
  }
  const problem = problemOf(atField(error), { language, post, fields: ACCOUNT_PAGE_FIELDS });
  return showFactor(deps, visit, root, { problem, setup });
}

async function beginFactor(deps: AccountPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { post, actor } = visit;
  try {
    const setup = await deps.secondFactor.begin(actor, { password: required(post, 'current_password') });
    return await showFactor(deps, visit, '../', { setup });
  } catch (error) {
    return factorFailed(deps, visit, { error, root: '../' });
  }
}

async function confirmFactor(deps: AccountPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { post, actor, reply, language } = visit;
  try {
    const codes = await deps.secondFactor.confirm(actor, required(post, 'code'));
    await reopen(deps, visit, true);
    return sendPage(reply, factorCodesPage({ language, root: '../../' }, codes));
  } catch (error) {
    return factorFailed(deps, visit, { error, root: '../../', keepsSetup: true });
  }
}

async function disableFactor(deps: AccountPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { post, actor } = visit;
  try {
    const proof = { password: required(post, 'current_password'), code: required(post, 'code') };
    await deps.secondFactor.disable(actor, proof);
    await reopen(deps, visit, false);
    return await showFactor(deps, visit, '../../', { isTurnedOff: true });
  } catch (error) {
    return factorFailed(deps, visit, { error, root: '../../' });
  }
}

/** The change has ended all sessions. The browser in which it was made has just proved its user. */
async function reopen(
  { auth, browsers }: AccountPagesDeps,
  { request, reply, actor }: SignedInVisit,
  hasSecondFactor: boolean,
) {
  const opened = await auth.openSessionAfterChange({
    userGuid: actor.principal.id,
    hasSecondFactor,
    origin: originOf(request),
  });
  browsers.keep(reply, opened);
}

function required(post: FormPost, field: string): string {
  const text = post.text(field).slice(0, 1024);
  if (text === '') throw validationError([{ field, message: `'${field}' is required` }]);
  return text;
}

/** @throws ServiceError `validation_error` */
function requireValid(request: FastifyRequest, schema: TSchema, value: object): void {
  const issues = issuesBySchema(request, schema, value);
  if (issues.length > 0) throw validationError(issues);
}

/** A wrong password and a wrong code have no field of their own. */
function atField(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'authentication_failed' || error.issues.length > 0)
    return error;
  const field = /code/.test(error.message) ? 'code' : 'current_password';
  return new ServiceError(error.code, error.message, { issues: [{ field, message: error.message }] });
}
