// The pages of proxies: GET /proxies for patients and GET /guardians for SU admins, with their forms (decision L5,
// docs/adr/0074). They have the services, permissions and limits of the API.
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { ServiceError, validationError } from '#lib/errors.ts';
import { issuesBySchema } from '#lib/html/form-post.ts';
import { sendPage } from '#lib/html/html.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import type { Actor } from '../actor.ts';
import { ChildBody } from '../children/schema.ts';
import type { Children } from '../children/service.ts';
import type { Organisations } from '../organisations/service.ts';
import { problemOf, statusOfProblem } from '../shared/form-problem.ts';
import { GUID_PARAMETER } from '../shared/journey.ts';
import type { SignedInForm, SignedInPages, SignedInVisit } from '../shared/routes/signed-in-pages.ts';
import { CHILD_FIELDS, GUARDIAN_DONE, GUARDIAN_FIELDS, type GuardiansView, guardiansPage } from './guardians-page.ts';
import { PROXY_DONE, PROXY_FIELDS, type ProxiesView, type ProxyNotice, proxiesPage } from './proxies-page.ts';
import { InviteBody } from './routes.ts';
import type { Proxies } from './service.ts';
import { toView } from './view.ts';

interface Lookup {
  /** @throws ServiceError `validation_error`, `not_found` */
  find(actor: Actor, personnummer: string): Promise<{ readonly patientGuid: string; readonly isRegistered: boolean }>;
}

export interface ProxyPagesDeps {
  readonly proxies: Proxies;
  readonly lookup: Lookup;
  readonly children: Children;
  readonly organisations: Pick<Organisations, 'search'>;
  readonly limits: { readonly invitations: RateLimiter; readonly lookup: RateLimiter };
}

/** Those that a page lists. */
const ORGANISATIONS_SHOWN = 500;

const DONE = { done: Type.Optional(Type.String({ maxLength: 40 })) };
const OWN = { page: '/proxies', permission: 'proxy:manage-own' } as const;
const ADMIN = { page: '/guardians', permission: 'directory:administer' } as const;

export function registerProxyPages(pages: SignedInPages, deps: ProxyPagesDeps): void {
  const { invitations, lookup } = deps.limits;
  const byUser = (limiter: RateLimiter) => ({ limiter, isLimitedByUser: true });
  pages.page({ ...OWN, path: '/proxies', query: DONE, show: (visit) => showOwn(deps, visit) });
  pages.form({ ...OWN, path: '/proxies', ...byUser(invitations), act: (form) => invite(deps, form) });
  pages.form({ ...OWN, path: '/proxies/accept', act: (form) => accept(deps, form) });
  pages.form({ ...OWN, path: '/proxies/end', act: (form) => end(deps, form) });
  const query = { ...DONE, patient: GUID_PARAMETER };
  pages.page({ ...ADMIN, path: '/guardians', query, show: (visit) => showGuardians(deps, visit) });
  pages.form({ ...ADMIN, path: '/guardians/find', ...byUser(lookup), act: (form) => findChild(deps, form) });
  pages.form({ ...ADMIN, path: '/guardians/register', act: (form) => registerChild(deps, form) });
  pages.form({ ...ADMIN, path: '/guardians/set', ...byUser(lookup), act: (form) => setGuardian(deps, form) });
  pages.form({ ...ADMIN, path: '/guardians/end', act: (form) => endGuardian(deps, form) });
}

async function sendOwn(
  { proxies }: ProxyPagesDeps,
  { reply, language, actor }: SignedInVisit,
  more: Partial<ProxiesView> = {},
): Promise<FastifyReply> {
  const { given, received } = await proxies.list(actor);
  const lists = {
    given: given.map((proxy) => toView(proxy, 'patient', proxies.isPast(proxy))),
    received: received.map((proxy) => toView(proxy, 'delegate', proxies.isPast(proxy))),
  };
  return sendPage(reply, proxiesPage({ language, root: '', ...lists, ...more }));
}

function showOwn(deps: ProxyPagesDeps, visit: SignedInVisit): Promise<FastifyReply> {
  return sendOwn(deps, visit, { done: doneOf(visit, PROXY_DONE) });
}

function doneOf<Done extends string>({ request }: SignedInVisit, known: readonly Done[]): Done | undefined {
  const { done } = request.query as { done?: string };
  return known.find((each) => each === done);
}

async function invite(deps: ProxyPagesDeps, form: SignedInForm): Promise<FastifyReply> {
  const { post, reply, language, actor, request } = form;
  const [whom, may, until] = [post.text('whom').trim(), post.text('may'), post.text('until').trim()];
  try {
    const named = whom.includes('@') ? { email: whom } : { personnummer: whom };
    const issues = issuesBySchema(request, InviteBody, { ...named, may, until });
    if (whom === '') issues.push({ field: 'whom', message: "'whom' is required" });
    if (issues.length > 0) throw validationError(issues);
    await deps.proxies.invite(actor, { whom: named, may: may === 'act' ? 'act' : 'read', until });
  } catch (error) {
    const notice = noticeOf(error, { conflict: 'tooMany', forbidden: 'child' });
    const problem =
      notice === undefined ? problemOf(atFields(error, WHOM), { language, post, fields: PROXY_FIELDS }) : undefined;
    statusOfProblem(error, reply);
    return sendOwn(deps, form, { notice, problem, typed: { whom, may, until } });
  }
  return seeOther(form, `proxies?lang=${language}&done=isNamed`);
}

async function accept(deps: ProxyPagesDeps, form: SignedInForm): Promise<FastifyReply> {
  const { post, reply, language, actor } = form;
  try {
    await deps.proxies.accept(actor, post.text('proxy_guid'));
  } catch (error) {
    const notice = noticeOf(error, { conflict: 'withdrawn', expired: 'expired' });
    if (notice === undefined) throw error;
    statusOfProblem(error, reply);
    return sendOwn(deps, form, { notice, root: '../' });
  }
  return seeOther(form, `../proxies?lang=${language}&done=isAccepted`);
}

async function end(deps: ProxyPagesDeps, form: SignedInForm): Promise<FastifyReply> {
  await deps.proxies.end(form.actor, form.post.text('proxy_guid'));
  return seeOther(form, `../proxies?lang=${form.language}&done=isEnded`);
}

async function sendGuardians(
  { proxies }: ProxyPagesDeps,
  { reply, language, actor }: SignedInVisit,
  { guid, ...more }: Partial<GuardiansView> & { readonly guid?: string | undefined },
): Promise<FastifyReply> {
  if (guid === undefined) return sendPage(reply, guardiansPage({ language, root: '', ...more }));
  const { child: name, guardians } = await proxies.listGuardians(actor, guid);
  const seen = guardians.map((each) => toView(each, 'administrator', proxies.isPast(each)));
  return sendPage(reply, guardiansPage({ language, root: '', child: { guid, name, guardians: seen }, ...more }));
}

function showGuardians(deps: ProxyPagesDeps, visit: SignedInVisit): Promise<FastifyReply> {
  const { patient } = visit.request.query as { patient?: string };
  return sendGuardians(deps, visit, { guid: patient, done: doneOf(visit, GUARDIAN_DONE) });
}

async function findChild(deps: ProxyPagesDeps, form: SignedInForm): Promise<FastifyReply> {
  const { post, reply, language } = form;
  try {
    const guid = await registered(deps, form, 'child');
    return seeOther(form, `../guardians?${new URLSearchParams({ patient: guid, lang: language })}`);
  } catch (error) {
    const child = post.text('child').trim();
    if (isWrongNumber(error) && deps.children.isChild(child)) return sendUnregistered(deps, form, { child });
    const problem = problemOf(error, { language, post, fields: GUARDIAN_FIELDS });
    statusOfProblem(error, reply);
    return sendGuardians(deps, form, { problem, root: '../' });
  }
}

/** The form that registers the child with the number, which has no account. */
async function sendUnregistered(
  deps: ProxyPagesDeps,
  form: SignedInForm,
  {
    problem,
    ...typed
  }: Omit<NonNullable<GuardiansView['unregistered']>, 'organisations'> & Pick<GuardiansView, 'problem'>,
): Promise<FastifyReply> {
  const { found: organisations } = await deps.organisations.search('', ORGANISATIONS_SHOWN);
  return sendGuardians(deps, form, { unregistered: { ...typed, organisations }, problem, root: '../' });
}

async function registerChild(deps: ProxyPagesDeps, form: SignedInForm): Promise<FastifyReply> {
  const { post, reply, language, actor, request } = form;
  const [personnummer, first_name, last_name, organisation_guid] = [
    post.text('child').trim(),
    post.text('first_name'),
    post.text('last_name'),
    post.text('organisation_guid'),
  ];
  try {
    const issues = issuesBySchema(request, ChildBody, { personnummer, first_name, last_name, organisation_guid });
    if (issues.length > 0) throw validationError(issues);
    const names = { firstName: first_name, lastName: last_name };
    const organisationGuid = organisation_guid;
    const { patientGuid } = await deps.children.register(actor, { personnummer, ...names, organisationGuid });
    const query = new URLSearchParams({ patient: patientGuid, lang: language, done: 'isRegistered' });
    return seeOther(form, `../guardians?${query}`);
  } catch (error) {
    // Somebody else has registered it, or it has come of age, meanwhile.
    if (!deps.children.isChild(personnummer) || isConflict(error)) return findChild(deps, form);
    const problem = problemOf(gone(error), { language, post, fields: CHILD_FIELDS });
    statusOfProblem(error, reply);
    const typed = { child: personnummer, firstName: first_name, lastName: last_name, organisation: organisation_guid };
    return sendUnregistered(deps, form, { ...typed, problem });
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'conflict';
}

/** An organisation that is gone is named at its field. */
function gone(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'not_found') return error;
  return validationError([{ field: 'organisation_guid', message: error.message }]);
}

/** Whether the number that was typed is why, and not that there were too many. */
function isWrongNumber(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'validation_error';
}

async function setGuardian(deps: ProxyPagesDeps, form: SignedInForm): Promise<FastifyReply> {
  const { post, reply, language, actor } = form;
  const child = post.text('patient');
  try {
    await deps.proxies.setGuardian(actor, child, await registered(deps, form, 'guardian'));
  } catch (error) {
    const notice = noticeOf(error, { conflict: 'tooMany' });
    const problem =
      notice === undefined
        ? problemOf(atFields(error, GUARDIAN), { language, post, fields: GUARDIAN_FIELDS })
        : undefined;
    statusOfProblem(error, reply);
    return sendGuardians(deps, form, { guid: child, problem, notice, root: '../' });
  }
  return seeOther(form, `../guardians?${new URLSearchParams({ patient: child, lang: language, done: 'isSet' })}`);
}

async function endGuardian(deps: ProxyPagesDeps, form: SignedInForm): Promise<FastifyReply> {
  const { post, language, actor } = form;
  const child = post.text('patient');
  await deps.proxies.endGuardian(actor, child, post.text('proxy_guid'));
  return seeOther(form, `../guardians?${new URLSearchParams({ patient: child, lang: language, done: 'isEnded' })}`);
}

/** The registered patient of the number in that field. @throws ServiceError with an issue at the field */
async function registered({ lookup }: ProxyPagesDeps, { post, actor }: SignedInForm, field: string): Promise<string> {
  const wrong = validationError([{ field, message: `'${field}' names no registered person` }]);
  const number = post.text(field).trim();
  if (number === '') throw wrong;
  try {
    const { patientGuid, isRegistered } = await lookup.find(actor, number);
    if (isRegistered) return patientGuid;
  } catch (error) {
    if (!(error instanceof ServiceError) || !['validation_error', 'not_found'].includes(error.code)) throw error;
  }
  throw wrong;
}

/** The notice for an error without a field. */
function noticeOf<Notice extends ProxyNotice>(
  error: unknown,
  notices: Readonly<Record<string, Notice>>,
): Notice | undefined {
  return error instanceof ServiceError && error.issues.length === 0 ? notices[error.code] : undefined;
}

/** The field of the page for each field of the API. */
const WHOM = { personnummer: 'whom', email: 'whom' };
const GUARDIAN = { patient_guid: 'guardian', guardian_patient_guid: 'guardian' };

function atFields(error: unknown, fields: Readonly<Record<string, string>>): unknown {
  if (!(error instanceof ServiceError)) return error;
  const issues = error.issues.map(({ field = '', ...issue }) => ({
    ...issue,
    field: fields[field] ?? field,
  }));
  return new ServiceError(error.code, error.message, { issues });
}

function seeOther({ reply }: SignedInVisit, address: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(address, 303);
}
