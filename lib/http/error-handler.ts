// The error handler: the one place where an error becomes a response (decisions G2 and G3). It sends {error, message,
// messages?}, an OperationOutcome on FHIR paths, or a page for browsers. An error that is not a ServiceError is logged
// and becomes a 500 without detail.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isForeignKeyViolation, isUnstorableText } from '../db/failure.ts';
import { conflict, type ErrorCode, type Issue, messageOf, ServiceError, validationError } from '../errors.ts';
import { sendErrorPage, wantsPage } from '../html/error-page.ts';
import { discardRest, isWorthDraining, respondAfterRest, sizeText } from './body/body-limits.ts';
import type { FhirWire } from './fhir-wire.ts';
import { refuseStoring } from './response/response-headers.ts';
import { issuesOfValidation, isUnknownOnly } from './validation.ts';

/** The format of errors at an address; `page` is plain JSON for clients that are not browsers. */
export type WireForm = 'plain' | 'fhir' | 'page';

export const FHIR_JSON = 'application/fhir+json; charset=utf-8';

/** FHIR's parameter for line breaks (hl7.org/fhir/R5/http.html#pretty). fhir/rest formats resources. */
const PRETTY = /[?&]_pretty=true(?:&|$)/;

type HttpError = Error & Partial<Pick<FastifyError, 'statusCode' | 'validation' | 'validationContext'>>;

/** How an application responds to errors. */
export interface ErrorResponses {
  /** Fastify's error handler: responds to whatever was thrown. */
  handle(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /** Responds in the format of the request's address, with the headers of the error's code. */
  send(error: ServiceError, reply: FastifyReply): FastifyReply;
}

/** `wireFormOf` decides by the request's path. */
export function createErrorResponses({
  wireFormOf,
  fhir,
}: {
  readonly wireFormOf: (path: string) => WireForm;
  readonly fhir: Pick<FhirWire, 'errorBody'>;
}): ErrorResponses {
  function handle(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    // A caller without the permission learns nothing about a body that cannot be read.
    const known = request.refusal ?? toServiceError(error, request);
    // A client that has disconnected is no error of the service.
    const level = request.raw.socket?.destroyed === true ? 'info' : 'error';
    if (known.status >= 500) request.log[level]({ event: 'request.failed', err: error, code: known.code });
    // The rest of the body is read and discarded. A client that is cut off while it sends would not get the response.
    if (!request.raw.complete) {
      if (isWorthDraining(request)) reply.removeHeader('connection');
      discardRest(request);
    }
    return send(known, reply);
  }

  function send(error: ServiceError, reply: FastifyReply): FastifyReply {
    respondAfterRest(reply, () => void respond(error, reply));
    return reply;
  }

  function respond(error: ServiceError, reply: FastifyReply): FastifyReply {
    const form = wireFormOf(pathOf(reply.request));
    reply.code(error.status).headers(error.headers);
    // Errors of the router pass no hook.
    refuseStoring(reply);
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    const retryAfter = error.retryAfterSeconds ?? (error.status === 503 ? 2 : undefined);
    if (retryAfter !== undefined) reply.header('retry-after', String(Math.ceil(retryAfter)));
    // Some forms are sent to an address of the API. Opened again, as by a phone that reloads, it is still a person's.
    const isReopened = error.code === 'method_not_allowed' && reply.request.method === 'GET';
    if ((form === 'page' || isReopened) && wantsPage(reply.request)) return sendErrorPage(error, reply);
    // The route's response schema describes successful responses, never errors.
    const body = form === 'fhir' ? fhir.errorBody(error) : plainBody(error);
    reply.type(form === 'fhir' ? FHIR_JSON : 'application/json; charset=utf-8');
    const isPretty = form === 'fhir' && PRETTY.test(reply.request.url);
    return reply.serializer((value) => JSON.stringify(value, undefined, isPretty ? 2 : undefined)).send(body);
  }

  return { handle, send };
}

/** The request's path without its query, which may hold a token. */
export function pathOf(request: FastifyRequest): string {
  const end = request.url.indexOf('?');
  return end === -1 ? request.url : request.url.slice(0, end);
}

function plainBody(error: ServiceError): Record<string, unknown> {
  const messages = error.code === 'validation_error' ? { messages: error.issues.map((issue) => issue.message) } : {};
  return { ...error.details, error: error.code, message: error.message, ...messages };
}

function toServiceError(error: unknown, request: FastifyRequest): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isUnstorableText(error)) return refusal(request, [{ message: 'a text holds the character U+0000' }]);
  if (isForeignKeyViolation(error))
    return conflict('The request refers to what is gone, or removes what is still referred to');
  if (!isHttpError(error)) return new ServiceError('internal_error', 'An unexpected error occurred', { cause: error });
  if (error.validation !== undefined) return validationFailure(error, request);
  if (error.statusCode === 415) return unreadType(error, request);
  const [code, message] = describeHttpError(error, request);
  return new ServiceError(code, message, { cause: error });
}

/** Errors that Fastify and its plugins throw for a bad request. */
function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && 'statusCode' in error;
}

function validationFailure(error: HttpError, request: FastifyRequest): ServiceError {
  const errors = (error.validation ?? []) as Parameters<typeof issuesOfValidation>[0];
  const issues = issuesOfValidation(errors, error.validationContext);
  // A route may set its own code for missing fields, but not for unknown ones (decision G4).
  return isUnknownOnly(errors) ? validationError(issues) : refusal(request, issues);
}

function refusal(request: FastifyRequest, issues: readonly Issue[]): ServiceError {
  const code = request.routeOptions.config.validationCode ?? 'validation_error';
  return new ServiceError(code, messageOf(issues), { issues });
}

/** Every content type that an address of Kedja may read. */
const CONTENT_TYPES = [
  'application/json',
  'application/fhir+json',
  'application/fhir+ndjson',
  'application/json-patch+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
];

/** Names what the address reads, in the message and in `Accept` (RFC 9110, 15.5.16). */
function unreadType(cause: HttpError, { server }: FastifyRequest): ServiceError {
  const read = CONTENT_TYPES.filter((type) => server.hasContentTypeParser(type));
  if (read.length === 0) {
    return new ServiceError('unsupported_media_type', 'This address does not read that content type', { cause });
  }
  const message = `This address reads a body of the content type ${read.join(' or ')}`;
  return new ServiceError('unsupported_media_type', message, { cause, headers: { accept: read.join(', ') } });
}

function describeHttpError(error: HttpError, request: FastifyRequest): [ErrorCode, string] {
  switch (error.statusCode) {
    case 413:
      return [
        'payload_too_large',
        `The body is larger than the ${sizeText(request.routeOptions.bodyLimit)} that this address takes`,
      ];
    // The static file plugin throws these for paths outside its folder.
    case 403:
    case 404:
    case 414:
      return ['not_found', 'There is nothing at this address'];
    case 412:
      return ['precondition_failed', 'A condition of the request does not hold'];
    case 400:
      return [
        'invalid_request',
        'The request cannot be read: its body is empty or no valid JSON, or its URL is malformed',
      ];
    default:
      return isClientError(error)
        ? ['invalid_request', 'The request cannot be taken as it is']
        : ['internal_error', 'An unexpected error occurred'];
  }
}

function isClientError({ statusCode = 500 }: HttpError): boolean {
  return statusCode >= 400 && statusCode < 500;
}
