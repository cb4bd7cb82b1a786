// The pages of the user's own second factor (decision L12): turned on, replaced and turned off. They need the browser
// session (decision L11), and their forms are taken from our own pages alone.
import type { FastifyReply } from 'fastify';
import { conflict, type ErrorCode, ServiceError } from '#lib/errors.ts';
import type { FormPost } from '#lib/html/form-post.ts';
import { sendPage } from '#lib/html/html.ts';
import type { FinishedSetup, Setup } from '#lib/second-factor/second-factors.ts';
import { type Actor, originOf } from '../actor.ts';
import type { AuthService } from '../auth/service.ts';
import type { Browsers } from '../shared/browser.ts';
import { problemOf, statusOfProblem } from '../shared/form-problem.ts';
import type { SignedInForm, SignedInPages, SignedInVisit } from '../shared/routes/signed-in-pages.ts';
import { ACCOUNT_PAGE_FIELDS } from './account-page.ts';
import { atField, typedIn } from './own-proof.ts';
import type { AccountLimits } from './routes.ts';
import { type FactorView, factorCodesPage, secondFactorPage } from './second-factor-page.ts';

/** The user's own second factor, as the API has it. */
interface OwnSecondFactor {
  read(actor: Actor): Promise<{ since: Date | undefined; recoveryCodesLeft: number; isRequired: boolean }>;
  readSetup(actor: Actor, seen: string): Promise<Setup | undefined>;
  begin(actor: Actor, proof: { password: string; code?: string }): Promise<Setup>;
  confirm(actor: Actor, code: string): Promise<FinishedSetup>;
  disable(actor: Actor, proof: { password: string; code: string }): Promise<void>;
}

export interface SecondFactorPagesDeps {
  readonly secondFactor: OwnSecondFactor;
  readonly auth: Pick<AuthService, 'openSessionAfterChange'>;
  readonly browsers: Browsers;
  readonly limits: Pick<AccountLimits, 'confirm'>;
}

const PAGE = '/account/second-factor';
const REPLACE = `${PAGE}/replace`;
/** What is wrong with a typed code: it is missing, or not the right one. */
const OF_CODE: readonly ErrorCode[] = ['validation_error', 'authentication_failed'];

export function registerSecondFactorPages(pages: SignedInPages, deps: SecondFactorPagesDeps): void {
  const limiter = deps.limits.confirm;
  pages.page({ path: PAGE, show: (visit) => show(deps, visit, { root: '../' }) });
  pages.page({ path: REPLACE, show: (visit) => show(deps, visit, { root: '../../', form: 'replace' }) });
  const forms = [
    { path: PAGE, page: PAGE, act: turnOn },
    { path: REPLACE, page: REPLACE, act: replace },
    { path: `${PAGE}/confirm`, page: PAGE, act: confirm },
    { path: `${PAGE}/disable`, page: PAGE, act: disable },
  ] as const;
  for (const { path, page, act } of forms) pages.form({ path, page, limiter, act: (form) => act(deps, form) });
}

type Shown = Pick<FactorView, 'root'> & Partial<FactorView>;

/** The page in its present state, with what is added. */
async function show(
  { secondFactor }: SecondFactorPagesDeps,
  { reply, language, actor }: SignedInVisit,
  shown: Shown,
): Promise<FastifyReply> {
  const { since, recoveryCodesLeft, isRequired } = await secondFactor.read(actor);
  const state = { isOn: since !== undefined, recoveryCodesLeft, isRequired };
  return sendPage(reply, secondFactorPage({ language, state, ...shown }));
}

async function failed(
  deps: SecondFactorPagesDeps,
  visit: SignedInForm,
  { error, conflict: kind, ...shown }: Shown & { readonly error: unknown; readonly conflict: FactorView['conflict'] },
): Promise<FastifyReply> {
  const { reply, language, post } = visit;
  statusOfProblem(error, reply);
  if (error instanceof ServiceError && error.code === 'conflict') {
    return show(deps, visit, { root: shown.root, conflict: kind });
  }
  const problem = problemOf(atField(error), { language, post, fields: ACCOUNT_PAGE_FIELDS });
  return show(deps, visit, { ...shown, problem });
}

async function turnOn(deps: SecondFactorPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { post, actor } = visit;
  const root = '../';
  try {
    const { current_password: password } = typedIn(post, 'current_password');
    const setup = await deps.secondFactor.begin(actor, { password });
    return await show(deps, visit, { root, setup });
  } catch (error) {
    // It was turned on elsewhere meanwhile: this form has no field for its code.
    const isOutdated = error instanceof ServiceError && error.issues.some(({ field }) => field === 'code');
    return failed(deps, visit, { error: isOutdated ? conflict(error.message) : error, root, conflict: 'changed' });
  }
}

async function replace(deps: SecondFactorPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { post, actor } = visit;
  const root = '../../';
  try {
    return await show(deps, visit, { root, setup: await deps.secondFactor.begin(actor, proofOf(post)) });
  } catch (error) {
    return failed(deps, visit, { error, root, form: 'replace', conflict: 'changed' });
  }
}

async function confirm(deps: SecondFactorPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { post, actor, reply, language } = visit;
  const root = '../../';
  try {
    const { recoveryCodes, hasReplaced } = await deps.secondFactor.confirm(actor, typedIn(post, 'code').code);
    await reopen(deps, visit, true);
    return sendPage(reply, factorCodesPage({ language, root }, { codes: recoveryCodes, hasReplaced }));
  } catch (error) {
    const setup = await deps.secondFactor.readSetup(actor, post.text('secret'));
    const isOutdated = setup === undefined && error instanceof ServiceError && OF_CODE.includes(error.code);
    const shown = isOutdated ? conflict(error.message) : error;
    return failed(deps, visit, { error: shown, root, setup, conflict: 'lapsed' });
  }
}

async function disable(deps: SecondFactorPagesDeps, visit: SignedInForm): Promise<FastifyReply> {
  const { post, actor } = visit;
  const root = '../../';
  try {
    await deps.secondFactor.disable(actor, proofOf(post));
    await reopen(deps, visit, false);
    return await show(deps, visit, { root, isTurnedOff: true });
  } catch (error) {
    return failed(deps, visit, { error, root, conflict: 'changed' });
  }
}

/** The change has ended all sessions. The browser in which it was made has just proved its user. */
async function reopen(
  { auth, browsers }: SecondFactorPagesDeps,
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

function proofOf(post: FormPost): { readonly password: string; readonly code: string } {
  const { current_password: password, code } = typedIn(post, 'current_password', 'code');
  return { password, code };
}
