// Binary resources as raw content (hl7.org/fhir/R5/binary.html#rest): bytes of any content type are stored as a Binary,
// and returned as bytes unless FHIR is requested. Content that a browser could run is never shown in our origin.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseReference } from '#fhir/resources/references.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { ServiceError } from '#lib/errors.ts';
import { readMediaType, weightOf } from '#lib/http/response/accept.ts';
import type { FhirResponse } from '../interactions/call.ts';
import { readBody } from './content.ts';
import { RESOURCE_TYPES } from './media-type.ts';

/** Where the type of content is. */
export const BINARY = 'Binary';

const FHIR_TYPES = new Set(RESOURCE_TYPES);
/** The reference of the securityContext, of bytes that come and go without the resource around them. */
const CONTEXT_HEADER = 'x-security-context';
/** What a browser shows and does not run; all else is sent as an attachment. */
const PASSIVE = /^(?:image\/(?:png|jpeg|gif|webp|bmp)|text\/plain|audio\/[\w.+-]+|video\/[\w.+-]+)$/;
/** As a header has it: nothing else of what is stored goes into one. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w.+-]+=(?:[\w.+-]+|"[\w.+ -]*"))*$/;
const UNKNOWN_TYPE = 'application/octet-stream';

/** Whether the body is the content itself. */
function isNativeBody({ headers }: FastifyRequest): boolean {
  const { name } = readMediaType(headers['content-type'] ?? '');
  return name !== '' && !FHIR_TYPES.has(name);
}

/** The Binary in the body, or the one that the body is the content of. @throws ServiceError `invalid_request` */
export function readBinary(request: FastifyRequest, id?: string): ResourceText {
  if (!isNativeBody(request)) return readBody(request, BINARY);
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (bytes.length === 0)
    throw new ServiceError('invalid_request', 'The body must be the content of a Binary; it is empty');
  const context = readContext(request);
  return readResourceText(
    JSON.stringify({
      resourceType: BINARY,
      ...(id === undefined ? {} : { id }),
      contentType: (request.headers['content-type'] ?? '').trim(),
      ...(context === undefined ? {} : { securityContext: { reference: context } }),
      data: bytes.toString('base64'),
    }),
  );
}

function readContext({ headers }: FastifyRequest): string | undefined {
  const given = headers[CONTEXT_HEADER];
  if (given === undefined) return undefined;
  const text = String(given).trim();
  const parsed = parseReference(text);
  if (parsed?.kind === 'relative' || parsed?.kind === 'absolute') return text;
  throw new ServiceError(
    'invalid_request',
    'X-Security-Context must be the reference of a resource, such as Patient/123',
  );
}

/** The bytes of a Binary that was read, where they are wanted; else the answer as it is. */
export function nativeResponse(request: FastifyRequest, query: URLSearchParams, answer: FhirResponse): FhirResponse {
  if (
    typeof answer.text !== 'string' ||
    ['_format', '_summary', '_elements', '_pretty'].some((name) => query.has(name))
  )
    return answer;
  const { contentType, data, securityContext }: Record<string, unknown> = JSON.parse(answer.text);
  if (typeof contentType !== 'string' || typeof data !== 'string') return answer;
  if (isFhirWanted(request.headers.accept, contentType)) return answer;
  const context: unknown = Object(securityContext).reference;
  return {
    ...answer,
    native: {
      contentType: MEDIA_TYPE.test(contentType) ? contentType : UNKNOWN_TYPE,
      bytes: Buffer.from(data, 'base64'),
      ...(typeof context === 'string' && /^[\x21-\x7e]+$/.test(context) ? { context } : {}),
    },
  };
}

/** Whether a type of FHIR is named, and no less wanted than the content's own. */
function isFhirWanted(accept: string | undefined, contentType: string): boolean {
  if (accept === undefined) return false;
  const ranges = accept.split(',').map(readMediaType);
  const named = weightOf(
    ranges.filter(({ name }) => FHIR_TYPES.has(name)),
    FHIR_TYPES,
  );
  return named > 0 && named >= weightOf(ranges, new Set([readMediaType(contentType).name]));
}

/**
 * Sends bytes so that nothing of them is run or guessed at (fetch.spec.whatwg.org, #x-content-type-options-header;
 * CSP's sandbox).
 */
export function sendNative(
  reply: FastifyReply,
  { contentType, bytes, context }: NonNullable<FhirResponse['native']>,
): FastifyReply {
  const isPassive = PASSIVE.test(readMediaType(contentType).name);
  reply
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('content-disposition', isPassive ? 'inline' : 'attachment')
    .type(contentType);
  if (context !== undefined) reply.header(CONTEXT_HEADER, context);
  return reply.send(bytes);
}
