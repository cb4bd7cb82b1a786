// The error page of browsers (decision G2 gives the codes), in the visitor's language.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode, ServiceError } from '../errors.ts';
import { type Bilingual, speak, waitText } from './bilingual.ts';
import { chooseLanguage, html, type Language, type Page, sendPage } from './html.ts';
import { framed, other } from './layout.ts';

const TEXTS = {
  redirectTitle: { sv: 'Det går inte att logga in härifrån', en: 'You cannot sign in from here' },
  redirect: {
    sv: 'Adressen som inloggningen skulle leda till är inte godkänd. Öppna programmet du vill använda och logga in därifrån.',
    en: 'The address that this sign-in would lead to is not approved. Open the application you want to use and sign in from there.',
  },
  limitTitle: { sv: 'Vänta en stund', en: 'Please wait a moment' },
  limit: {
    sv: 'Det har kommit för många förfrågningar från din adress. Försök igen om {wait}.',
    en: 'Too many requests have come from your address. Try again in {wait}.',
  },
  busyTitle: { sv: 'Tjänsten är upptagen', en: 'The service is busy' },
  busy: {
    sv: 'Det går inte just nu. Försök igen om {wait}.',
    en: 'It is not possible at the moment. Try again in {wait}.',
  },
  unknownTitle: { sv: 'Sidan finns inte', en: 'Page not found' },
  unknown: {
    sv: 'Kontrollera adressen, eller gå tillbaka till sidan du kom från.',
    en: 'Check the address, or go back to the page you came from.',
  },
  unreadableTitle: { sv: 'Adressen går inte att läsa', en: 'The address cannot be read' },
  unreadable: {
    sv: 'Något i adressen eller formuläret stämmer inte. Gå tillbaka till sidan du kom från och börja om.',
    en: 'Something in the address or the form is wrong. Go back to the page you came from and start again.',
  },
  brokenTitle: { sv: 'Något gick fel', en: 'Something went wrong' },
  broken: {
    sv: 'Felet ligger hos oss och är antecknat. Försök igen om en stund.',
    en: 'The error is ours and has been recorded. Try again shortly.',
  },
  reference: { sv: 'Referens: {id}', en: 'Reference: {id}' },
} as const satisfies Record<string, Bilingual>;

type Kind = 'redirect' | 'limit' | 'busy' | 'unknown' | 'unreadable' | 'broken';

const KINDS: Partial<Readonly<Record<ErrorCode, Kind>>> = {
  invalid_redirect: 'redirect',
  rate_limited: 'limit',
  unavailable: 'busy',
  upstream_unavailable: 'busy',
  not_found: 'unknown',
  method_not_allowed: 'unknown',
  invalid_request: 'unreadable',
  validation_error: 'unreadable',
  unsupported_media_type: 'unreadable',
  payload_too_large: 'unreadable',
};

/** Seconds to wait when the error tells none. */
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
  const text = speak(TEXTS, language);
  const kind = KINDS[error.code] ?? 'broken';
  const wait = waitText(Math.ceil(error.retryAfterSeconds ?? SHORT_WAIT), language);
  const title = text(`${kind}Title`);
  const content = html`<h1>${title}</h1>
<p>${text(kind, { wait })}</p>
${kind === 'broken' && html`<p class="note">${text('reference', { id: request.id })}</p>`}`;
  return framed({ language, title, content, otherLanguage: sameAddress(parameters, other(language)) });
}

function languageOfForm(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'lang' in body ? body.lang : undefined;
}

function sameAddress(parameters: URLSearchParams, language: Language): string {
  parameters.set('lang', language);
  return `?${parameters.toString()}`;
}
