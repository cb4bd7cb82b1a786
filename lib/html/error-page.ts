// The error page of browsers (decision G2 gives the codes), in the visitor's language.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode, ServiceError } from '../errors.ts';
import messages from './error-page.messages.json' with { type: 'json' };
import { chooseLanguage, html, type Language, type Page, sendPage } from './html.ts';
import { other, renderLayout } from './layout.ts';
import { translator, waitText } from './messages.ts';

type Kind =
  | 'redirect'
  | 'limit'
  | 'busy'
  | 'unknown'
  | 'form'
  | 'unreadable'
  | 'signedOut'
  | 'refused'
  | 'overtaken'
  | 'ended'
  | 'broken';

/** Only of what fails on this side a page may say so. */
const KINDS: Readonly<Record<ErrorCode, Kind>> = {
  invalid_redirect: 'redirect',
  rate_limited: 'limit',
  unavailable: 'busy',
  upstream_unavailable: 'busy',
  not_found: 'unknown',
  method_not_allowed: 'form',
  invalid_request: 'unreadable',
  validation_error: 'unreadable',
  unsupported_media_type: 'unreadable',
  not_acceptable: 'unreadable',
  payload_too_large: 'unreadable',
  unprocessable: 'unreadable',
  precondition_required: 'unreadable',
  unauthorized: 'signedOut',
  authentication_failed: 'signedOut',
  password_change_required: 'signedOut',
  second_factor_required: 'signedOut',
  forbidden: 'refused',
  consent_required: 'refused',
  conflict: 'overtaken',
  already_taken: 'overtaken',
  precondition_failed: 'overtaken',
  expired: 'ended',
  deleted: 'ended',
  invalid_service_credentials: 'broken',
  internal_error: 'broken',
  upstream_error: 'broken',
};

/** What may be gone when the page is opened again. */
const PASSING: ReadonlySet<Kind> = new Set(['limit', 'busy', 'broken']);

/** Which end where nothing leads on: an address of a form that is opened again, as after a reload on a phone. */
const ASTRAY: ReadonlySet<Kind> = new Set(['form', 'redirect', 'unknown']);

/** Seconds to wait when the error has no `retryAfterSeconds`. */
const SHORT_WAIT = 2;

/** Whether the caller is a browser that opens a page or sends a form, rather than a program. */
export function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') === true;
}

/** Sends the page; status and further headers are set already. */
export function sendErrorPage(error: ServiceError, reply: FastifyReply): FastifyReply {
  return sendPage(reply, errorPage(error, reply.request));
}

function errorPage(error: ServiceError, request: FastifyRequest): Page {
  const parameters = new URLSearchParams(request.url.split('?')[1]);
  const language = chooseLanguage(
    parameters.get('lang') ?? languageOfForm(request.body),
    request.headers['accept-language'],
  );
  const text = translator(messages, language);
  const kind = KINDS[error.code];
  const wait = waitText(Math.ceil(error.retryAfterSeconds ?? SHORT_WAIT), language);
  const title = text(`${kind}Title`);
  // A form that is sent again might act twice: its page is opened again, by the person who sent it.
  const isRetried = request.method === 'GET' && PASSING.has(kind);
  const again = html`<p class="actions"><a class="button" href="?${parameters.toString()}">${text('retry')}</a></p>`;
  const start = html`<p class="actions"><a class="button" href="/">${text('start')}</a></p>`;
  const content = html`<h1>${title}</h1>
<p>${text(kind, { wait })}</p>
${isRetried && again}${ASTRAY.has(kind) && start}${kind === 'broken' && html`<p class="note">${text('reference', { id: request.id })}</p>`}`;
  return renderLayout({ language, title, content, otherLanguage: sameAddress(parameters, other(language)) });
}

function languageOfForm(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'lang' in body ? body.lang : undefined;
}

function sameAddress(parameters: URLSearchParams, language: Language): string {
  parameters.set('lang', language);
  return `?${parameters.toString()}`;
}
