// HTTP of the receipt page for providers without a system (decisions D11, D13; docs/adr/0030), and of the link to it.
// The page has one address without the token; its forms send the token.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError } from '#lib/errors.ts';
import { sendErrorPage } from '#lib/html/error-page.ts';
import { type FormPost, readPost, registerForms } from '#lib/html/form-post.ts';
import { chooseLanguage, type Language, type Page, sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import type { TokenHolder } from '../../shared/actor.ts';
import { formVisitIn } from '../answers/answer-post.ts';
import type { AnswerService } from '../answers/answer-service.ts';
import { formPage, sentPage } from '../answers/answer-view.ts';
import type { QuestionService } from '../questions/question-service.ts';
import { limitKeyOf } from '../receipt-limit.ts';
import type { ReportService } from '../report-service.ts';
import type { RespondService, ResponseDecision } from '../respond-service.ts';
import { type InvalidText, TEXT_LENGTH } from './page-model.ts';
import { isPageReport, type PageReport } from './page-report.ts';
import type { ReceiptPageService } from './page-service.ts';
import { ADDRESS, codePage, endedPage, isGone, OPEN_LINK, receiptPage, unknownPage } from './page-view.ts';

export interface PageFeatures {
  readonly pages: ReceiptPageService;
  readonly responses: RespondService;
  readonly questions: QuestionService;
  readonly reports: ReportService;
  readonly answers: AnswerService;
  /** The IANA name of the time zone of the times on the page. */
  readonly timeZone: string;
  /** The rate limiter of the respond address. */
  readonly respondLimiter: RateLimiter;
}

/** The longest note with every character percent-encoded, and some reserve. */
const PAGE_BODY_LIMIT = 64 * 1024;

/** The errors of a response that comes too late or a second time. */
const OVERTAKEN: ReadonlySet<string> = new Set(['expired', 'conflict', 'already_taken']);

/** Registers the page at the service's root. */
export async function registerReceiptPage(app: HttpApp, features: PageFeatures): Promise<void> {
  const querystring = Type.Object({ lang: Type.Optional(Type.String()) });
  app.get(
    '/receipt',
    { config: { permission: 'receipt:hold' }, schema: { hide: true, querystring } },
    (request, reply) => sendPage(reply, codePage(languageOf(request, request.query.lang), false)),
  );
  await registerForms(app, (scope) => {
    scope.post(
      '/receipt',
      {
        config: { permission: 'receipt:hold', openBodyLimit: PAGE_BODY_LIMIT },
        schema: { hide: true },
        // The token is in the body.
        preValidation: rateLimitHook(features.respondLimiter, (request) =>
          limitKeyOf(request.ip, tokenIn(readPost(request.body)), features.responses),
        ),
        errorHandler: (error, _request, reply) => sendFailure(error, reply),
      },
      (request, reply) => answerPost(request, reply, features),
    );
  });
}

async function answerPost(request: FastifyRequest, reply: FastifyReply, features: PageFeatures) {
  const post = readPost(request.body);
  const language = languageOf(request, post.optional('lang'));
  const token = tokenIn(post);
  if (token === '') return sendPage(reply.code(400), codePage(language, true));
  const holder = { token, address: request.ip, requestId: request.id };
  const form = isForm(post) ? await visitForm(features, { holder, post, language }) : undefined;
  if (form?.page !== undefined) return sendPage(reply.code(form.status), form.page);
  const wrong = wrongIn(post) ?? (await lostDraftIn(post, token, features));
  const isRefused = form?.isRefused ?? (wrong === undefined && !(await act(features, holder, post)));
  const isAsked = isQuestion(post) && wrong === undefined && !isRefused;
  const page = await features.pages.read(token, holder);
  if (page === undefined) return sendPage(reply.code(404), unknownPage(language));
  if (page === 'ended') return sendPage(reply.code(410), endedPage(language, token));
  const status = wrong !== undefined ? 400 : isGone(page.state) ? 410 : isRefused ? 409 : 200;
  return sendPage(
    reply.code(status),
    receiptPage({
      language,
      timeZone: features.timeZone,
      token,
      page,
      isRefused,
      isAsked,
      isKept: form?.isKept,
      wrong,
    }),
  );
}

interface FormAnswer {
  readonly status: number;
  /** Undefined when the page of the request is shown instead. */
  readonly page: Page | undefined;
  readonly isRefused?: boolean;
  readonly isKept?: boolean;
}

/** The page of a form of the request. */
async function visitForm(
  { answers, timeZone }: PageFeatures,
  { holder, post, language }: { holder: TokenHolder; post: FormPost; language: Language },
): Promise<FormAnswer> {
  const visit = formVisitIn(post, { holder, language, timeZone });
  if (visit === undefined) return { status: 200, page: undefined, isRefused: true };
  const outcome = await unlessOvertaken(() => answers.visit(visit));
  const model = { language, timeZone, token: holder.token, formKey: visit.formKey, action: ADDRESS, script: OPEN_LINK };
  switch (outcome?.kind) {
    case 'form': {
      const { notice, hasErrors } = outcome.view;
      const status = notice?.kind === 'conflict' ? 409 : hasErrors || isErrorNotice(notice?.kind) ? 400 : 200;
      return { status, page: formPage(model, outcome.view) };
    }
    case 'sent':
      return { status: 200, page: sentPage(model, outcome) };
    case 'closed':
      return { status: 200, page: undefined, isRefused: !outcome.isKept, isKept: outcome.isKept };
    default:
      return { status: 200, page: undefined, isRefused: outcome === undefined };
  }
}

function isErrorNotice(notice: string | undefined): boolean {
  return notice === 'too-large' || notice === 'unconfirmed' || notice === 'unsent';
}

/** Undefined when the state of the request does not allow it any more. */
async function unlessOvertaken<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code !== 'not_found' && !OVERTAKEN.has(error.code)) throw error;
    return undefined;
  }
}

/** Whether the input was accepted. The page shows the state in either case. */
async function act(features: PageFeatures, holder: TokenHolder, post: FormPost): Promise<boolean> {
  const { questions, reports, responses } = features;
  const decision = decisionIn(post);
  const status = reportIn(post);
  const done = await unlessOvertaken(async () => {
    if (isQuestion(post)) await questions.askByToken(holder, post.text('question').trim());
    else if (status !== undefined) await reports.reportByToken(holder, reportOf(status, post.optional('note')));
    else if (decision !== undefined) await responses.respond({ ...holder, decision, reason: post.optional('reason') });
    return true;
  });
  return done === true;
}

/** The text that the form cannot accept. */
function wrongIn(post: FormPost): InvalidText | undefined {
  const chosen = reportIn(post);
  const field = isQuestion(post) ? 'question' : isReport(post) ? 'note' : 'reason';
  const text = post.text(field);
  const isMissing = field === 'question' && text.trim() === '';
  if (isMissing || text.length > TEXT_LENGTH || text.includes('\u0000')) return { field, text, chosen };
  return isReport(post) && chosen === undefined ? { field: 'progress', text } : undefined;
}

/** A report that ends the work would delete what was written and not sent. */
async function lostDraftIn(post: FormPost, token: string, { answers }: PageFeatures): Promise<InvalidText | undefined> {
  const chosen = reportIn(post);
  const isEnd = chosen === 'completed' || chosen === 'rejected';
  if (!isEnd || post.text('discard') === 'yes' || !(await answers.hasDraft(token))) return undefined;
  return { field: 'discard', text: post.text('note'), chosen };
}

function isForm(post: FormPost): boolean {
  return post.text('action') === 'form';
}

function isQuestion(post: FormPost): boolean {
  return post.text('action') === 'ask';
}

function isReport(post: FormPost): boolean {
  return post.text('action') === 'report';
}

function reportIn(post: FormPost): PageReport | undefined {
  const progress = post.text('progress');
  return isReport(post) && isPageReport(progress) ? progress : undefined;
}

/** The token, typed alone or at the end of its link. */
function tokenIn(post: FormPost): string {
  return post.text('token').trim().replace(/^.*#/s, '');
}

function decisionIn(post: FormPost): ResponseDecision | undefined {
  const decision = post.optional('decision');
  return decision === 'accepted' || decision === 'rejected' ? decision : undefined;
}

function languageOf(request: FastifyRequest, parameter: string | undefined): Language {
  return chooseLanguage(parameter, request.headers['accept-language']);
}

function sendFailure(error: Error, reply: FastifyReply): FastifyReply {
  if (!(error instanceof ServiceError)) throw error;
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(error.retryAfterSeconds)));
  return sendErrorPage(error, reply.code(error.status));
}

function reportOf(status: PageReport, note: string | undefined) {
  return { status, note, reason: note, occurredAt: undefined, results: [] };
}
