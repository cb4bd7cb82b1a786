// Reads request bodies and sends response bodies of the FHIR routes (decision G4; hl7.org/fhir/R5/http.html#mime-type).
// JSON is stored as the client's own text; FHIR XML is refused with a message.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { ServiceError } from '#lib/errors.ts';
import { isJson, sizeText } from '#lib/http/body/body-limits.ts';
import { fhirLimitsFor, requireModestJson } from '#lib/http/body/json-limits.ts';
import { requireFewParameters } from '#lib/http/body/parameter-limits.ts';
import { readsContent } from '#lib/http/body/request-encoding.ts';
import { readMediaType } from '#lib/http/response/accept.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';
import { invalidQueryParameter } from '../interactions/paging.ts';
import { type Patch, readPatchText } from '../interactions/write/patch-change.ts';
import type { WorkerThreads } from '../threads/worker-threads.ts';
import { RESOURCE_TYPES, refusedPatch, refusedType, requireReadable, responseTypeOf } from './media-type.ts';

/** 10 MiB (G4). */
const BODY_LIMIT = 10 * 1024 * 1024;

/** A form holds search parameters. */
const FORM_LIMIT = 1024 * 1024;

const JSON_PATCH = 'application/json-patch+json';

/** In this scope bodies stay bytes: only the routes know how they are to be read. */
export function keepBodiesRaw(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addHook('onRoute', (route) => {
    route.bodyLimit ??= BODY_LIMIT;
  });
  const types = [...RESOURCE_TYPES, JSON_PATCH, 'application/x-www-form-urlencoded'];
  scope.addContentTypeParser<Buffer>(types, { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, keepModest);
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
    done(null, body),
  );
  scope.addHook('preParsing', (request, _reply, payload, done) => {
    if (!readsContent(request.method)) return void done(null, payload);
    const contentType = request.headers['content-type'];
    try {
      if (!isTaken(contentType, types)) requireNative(request);
      else requireReadable(contentType);
    } catch (error) {
      payload.resume();
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done(null, payload);
  });
}

/**
 * From this length on it is worth to look whether a body holds more than anybody writes. What is larger than 1 MiB was
 * looked at as it came.
 */
const SCANNED_FROM = 64 * 1024;

/** A content type parser that leaves the bytes as they are. */
function keepModest(request: FastifyRequest, body: Buffer, done: (error: Error | null, body?: Buffer) => void): void {
  try {
    if (body.length > SCANNED_FROM && body.length <= FORM_LIMIT && isJson(request))
      requireModestJson(body, fhirLimitsFor(body.length));
  } catch (error) {
    return void done(error instanceof Error ? error : new Error(String(error)));
  }
  done(null, body);
}

function isTaken(contentType: string | undefined, types: readonly string[]): boolean {
  return contentType === undefined || types.includes(readMediaType(contentType).name);
}

/** @throws ServiceError `unsupported_media_type` for bytes where none are taken */
function requireNative({ method, routeOptions }: FastifyRequest): void {
  if (routeOptions.config.isNative !== true) throw method === 'PATCH' ? refusedPatch() : refusedType();
}

/**
 * The resource in the body.
 * @throws ServiceError `invalid_request`, also when it is of another type than `resourceType`
 */
export function readBody(request: FastifyRequest, resourceType: string): ResourceText {
  return requireBody(readAnyBody(request), resourceType);
}

/** The same; a large body is read in a thread. @throws ServiceError as `readBody` */
export async function receiveBody(
  request: FastifyRequest,
  resourceType: string,
  context: ThreadContext,
): Promise<ResourceText> {
  return requireBody(await receiveAnyBody(request, context), resourceType);
}

/**
 * The resource in the body, of whatever type; undefined when the body is empty.
 * @throws ServiceError `invalid_request`
 */
async function receiveAnyBody(request: FastifyRequest, context: ThreadContext): Promise<ResourceText | undefined> {
  const bytes = longBody(request, context, false);
  if (bytes === undefined) return readAnyBody(request);
  const { workerThreads } = context.options;
  return workerThreads?.read(bytes, workerThreads.budget(request.principal?.id));
}

/** What may have threads. */
interface ThreadContext {
  readonly options: { readonly workerThreads?: WorkerThreads | undefined };
}

/** A body that is read in a thread; undefined for any other. @throws ServiceError `unsupported_media_type` */
export function longBody(
  request: FastifyRequest,
  { options: { workerThreads } }: ThreadContext,
  isBundle: boolean,
): Buffer | undefined {
  const { body } = request;
  if (!Buffer.isBuffer(body) || workerThreads?.isLongBody(body.length, isBundle) !== true) return undefined;
  requireResource(request);
  return body;
}

function requireBody(source: ResourceText | undefined, resourceType: string): ResourceText {
  if (source === undefined) throw refused(`The body must be a ${resourceType}; it is empty`, 'required');
  requireType(source, resourceType);
  return source;
}

/** @throws ServiceError `invalid_request` for a resource of another type */
export function requireType(source: Pick<ResourceText, 'resourceType'>, resourceType: string): void {
  if (source.resourceType === resourceType) return;
  const message = `The resource must be a ${resourceType}; it is a ${source.resourceType}`;
  throw refused(message, 'value', 'resourceType');
}

function refused(message: string, issueCode: string, field?: string): ServiceError {
  const issue = { message, code: issueCode, ...(field === undefined ? {} : { field }) };
  return new ServiceError('invalid_request', message, { issues: [issue] });
}

/**
 * The resource in the body, of whatever type; undefined when the body is empty.
 * @throws ServiceError `invalid_request`
 */
export function readAnyBody(request: FastifyRequest): ResourceText | undefined {
  if (!Buffer.isBuffer(request.body) || request.body.length === 0) return undefined;
  requireResource(request);
  return readResourceText(decodeUtf8(request.body));
}

/** @throws ServiceError `unsupported_media_type` for a form or a JSON Patch */
export function requireResource({ headers }: FastifyRequest): void {
  if (!/^application\/(?:x-www-form-urlencoded|json-patch\+json)/.test(headers['content-type'] ?? '')) return;
  throw new ServiceError('unsupported_media_type', 'A resource is sent as application/fhir+json');
}

/**
 * The patch in the body: JSON Patch by its content type, else FHIRPath Patch as a Parameters resource.
 * @throws ServiceError `invalid_request`, `unsupported_media_type`
 */
export async function readPatch(request: FastifyRequest, context: ThreadContext): Promise<Patch> {
  const { workerThreads } = context.options;
  const hasThreads = workerThreads !== undefined;
  const budget = workerThreads?.budget(request.principal?.id);
  if (request.headers['content-type']?.startsWith(JSON_PATCH) === true) {
    const text = Buffer.isBuffer(request.body) ? decodeUtf8(request.body) : '';
    return readPatchText('json', { text, budget }, hasThreads);
  }
  if (isList(request.body)) throw refusedPatch();
  const { text } = await receiveBody(request, 'Parameters', context);
  return readPatchText('fhirpath', { text, budget }, hasThreads);
}

/** A JSON Patch that is not called one. */
function isList(body: unknown): boolean {
  return Buffer.isBuffer(body) && /^\s*\[/.test(body.toString('latin1', 0, 64));
}

/** The parameters of a form body (POST _search). */
export function readForm(request: FastifyRequest): URLSearchParams {
  if (request.body === undefined || request.body === null) return new URLSearchParams();
  if (!request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    throw new ServiceError('unsupported_media_type', 'POST _search takes application/x-www-form-urlencoded');
  }
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (body.length > FORM_LIMIT)
    throw new ServiceError('payload_too_large', `The form is larger than the ${sizeText(FORM_LIMIT)} that are taken`);
  return readQuery(decodeUtf8(body));
}

/**
 * The parameters of an operation that is called by POST, as those of a query; none without a body.
 * @throws ServiceError `invalid_request`
 */
export function readParameters(request: FastifyRequest): URLSearchParams {
  if (!Buffer.isBuffer(request.body) || request.body.length === 0) return new URLSearchParams();
  return parametersIn(readBody(request, 'Parameters'));
}

/** Those of a Parameters that have plain values. @throws ServiceError `invalid_request` for another resource */
export function parametersIn(source: ResourceText): URLSearchParams {
  requireType(source, 'Parameters');
  const given: unknown = source.resource['parameter'];
  const parameters = (Array.isArray(given) ? given : []).filter(isJsonObject);
  return new URLSearchParams(
    parameters.flatMap(({ name, ...more }) => {
      const value = Object.entries(more).find(([member]) => /^value[A-Z]/.test(member))?.[1];
      return value === undefined || typeof value === 'object' ? [] : [[String(name), String(value)]];
    }),
  );
}

/**
 * The query of the request's address, as given.
 * @throws ServiceError `invalid_request` for what is no UTF-8 when decoded
 */
export function queryOf(request: FastifyRequest): URLSearchParams {
  const start = request.url.indexOf('?');
  return start === -1 ? new URLSearchParams() : readQuery(request.url.slice(start + 1));
}

/**
 * Decodes strictly: what URLSearchParams would replace or leave as it is was not meant so.
 * @throws ServiceError `invalid_request`, also for more than may be asked at a time
 */
export function readQuery(text: string): URLSearchParams {
  requireFewParameters(text);
  if (text.includes('%')) {
    try {
      decodeURIComponent(text);
    } catch {
      throw new ServiceError('invalid_request', 'The parameters are not percent-encoded UTF-8');
    }
  }
  return new URLSearchParams(text);
}

/**
 * The content type to answer in.
 * @throws ServiceError `not_acceptable` when only other formats than JSON are wanted; `validation_error`
 */
export function responseType(request: FastifyRequest, query: URLSearchParams): string {
  const pretty = query.get('_pretty') ?? 'false';
  if (pretty !== 'true' && pretty !== 'false') throw invalidQueryParameter('_pretty', 'must be true or false');
  return responseTypeOf(request.headers.accept, query.get('_format'));
}

/**
 * From this length on a text is sent as bytes. As a text it would be copied to be measured, to follow its headers, and
 * to be encoded.
 */
const LONG_TEXT = 4096;

/** Sends JSON text as it is. */
export function sendText(reply: FastifyReply, contentType: string, text: string): FastifyReply {
  return reply.type(contentType).send(text.length < LONG_TEXT ? text : Buffer.from(text));
}
