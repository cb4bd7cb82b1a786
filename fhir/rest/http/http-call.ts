// Converts an HTTP request to a FhirCall, and a FhirResponse to the HTTP response: headers, formats, status
// (hl7.org/fhir/R5/http.html#general).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requirePrincipal } from '#lib/http/app.ts';
import { carriedPosition, writerOf } from '#lib/replicas/position-header.ts';
import { requireRight } from '../admission.ts';
import type { RouteContext } from '../context.ts';
import { type Conditions, type FhirCall, type FhirResponse, ownTransactions } from '../interactions/call.ts';
import type { FhirTypeOptions, Interaction } from '../options.ts';
import { type ResponseText, sendPieces } from '../response-text.ts';
import { queryOf, responseType, sendText } from './content.ts';
import { sendNative } from './native-binary.ts';
import { appliedPreferences, readPreferences, setVersionHeaders } from './preferences.ts';
import { prettyJson } from './pretty-json.ts';

/** The interaction that a route is for. */
export interface RouteTarget {
  readonly type: FhirTypeOptions;
  readonly interaction: Interaction;
}

/**
 * The call that a request makes. What the caller has no right to, and a format that cannot be sent, is refused before
 * anything is done.
 * @throws ServiceError `unauthorized`, `forbidden`, `not_acceptable`
 */
export function callOf(
  request: FastifyRequest,
  target: RouteTarget,
  context: RouteContext,
  query: URLSearchParams = queryOf(request),
): FhirCall {
  requireRight(requirePrincipal(request), target, context);
  return callWithQuery(request, context, query);
}

/**
 * The call of a request for the whole system, whose parts are checked one by one.
 * @throws ServiceError `unauthorized`, `not_acceptable`
 */
export function callWithQuery(request: FastifyRequest, context: RouteContext, query: URLSearchParams): FhirCall {
  const principal = requirePrincipal(request);
  if (request.routeOptions.config.isNative !== true) responseType(request, query);
  const hasKey = request.headers['idempotency-key'] !== undefined;
  return {
    principal,
    origin: { address: request.ip, requestId: request.id },
    query,
    preferences: readPreferences(request.headers['prefer']),
    conditions: conditionsOf(request),
    acceptLanguage: request.headers['accept-language'],
    // What an Idempotency-Key does commits together with its mark.
    execution: ownTransactions(context.options.database, {
      groups: hasKey || context.options.checksReferences === true ? undefined : context.groups,
      reader:
        context.standbys === undefined
          ? undefined
          : { caller: writerOf(principal), carried: carriedPosition(request.headers) },
    }),
  };
}

/** A call and its response. */
export interface CallResult {
  readonly call: FhirCall;
  readonly answer: FhirResponse;
}

/**
 * A handler that sends what comes of the work. It gives Fastify no promise of the reply. To wait for that costs six
 * listeners on the response, for answers that {@link respondTogether} sends at the end of the turn.
 */
export function respondWith<R extends FastifyRequest>(work: (request: R) => Promise<CallResult>) {
  return (request: R, reply: FastifyReply): void => {
    work(request)
      .then((answered) => void sendResponse(request, reply, answered))
      .catch((error: unknown) => void reply.send(error));
  };
}

function sendResponse(request: FastifyRequest, reply: FastifyReply, { call, answer }: CallResult): FastifyReply {
  const { status, version, location, isFound = false, text, native } = answer;
  reply.code(status);
  if (version !== undefined) setVersionHeaders(reply, version);
  if (location !== undefined) reply.header(status === 201 || isFound ? 'location' : 'content-location', location);
  const applied = appliedPreferences(call.preferences, kindOf(request, answer));
  // A deletion has no representation to return.
  const isKept = text !== undefined || applied !== 'return=representation';
  if (applied !== undefined && isKept) reply.header('preference-applied', applied);
  if (native !== undefined) return sendNative(reply, native);
  if (text === undefined) return reply.send();
  return sendFormatted(request, reply, text, call.query);
}

/** Lists of resources have no version, and a read of one has no parameters to be strict about. */
function kindOf({ method, url }: FastifyRequest, { version }: FhirResponse): 'write' | 'search' | undefined {
  const isRead = method === 'GET' || method === 'HEAD' || /\/_search(\?|$)/.test(url);
  if (isRead) return version === undefined ? 'search' : undefined;
  return version === undefined && method !== 'DELETE' ? undefined : 'write';
}

/** Sends JSON text in the format, and with the line breaks, that the request asks for. */
export function sendFormatted(
  request: FastifyRequest,
  reply: FastifyReply,
  text: ResponseText,
  query: URLSearchParams = queryOf(request),
): FastifyReply {
  const contentType = responseType(request, query);
  if (typeof text === 'string')
    return sendText(reply, contentType, query.get('_pretty') === 'true' ? prettyJson(text) : text);
  sendPieces(request, reply, { contentType, pieces: text }).catch((error: unknown) => void reply.send(error));
  return reply;
}

function conditionsOf({ headers }: FastifyRequest): Conditions {
  const conditions: { -readonly [K in keyof Conditions]: Conditions[K] } = {};
  const noneExist = headers['if-none-exist'];
  if (headers['if-match'] !== undefined) conditions.ifMatch = headers['if-match'];
  if (headers['if-none-match'] !== undefined) conditions.ifNoneMatch = headers['if-none-match'];
  if (headers['if-modified-since'] !== undefined) conditions.ifModifiedSince = headers['if-modified-since'];
  if (noneExist !== undefined) conditions.ifNoneExist = Array.isArray(noneExist) ? noneExist.join('&') : noneExist;
  return conditions;
}
