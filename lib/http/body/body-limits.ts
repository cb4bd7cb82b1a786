// The maximum size of a request body, by the caller's permissions (decision G4; docs/adr/0040). It is checked after
// authentication and before the body is read: by Content-Length, or while the body arrives where no length is given. A
// route's own maximum is its `bodyLimit`.
import { finished, PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { decide, type Permission } from '../../auth/permissions.ts';
import type { Principal } from '../../auth/principal.ts';
import { ServiceError } from '../../errors.ts';
import { fhirLimitsFor, JsonMeter } from './json-limits.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** For callers without credentials, where the route sets no other limit: a form of a few fields. */
const OPEN_LIMIT = 16 * KIBIBYTE;

/** For callers who may only read: their bodies hold queries, forms and operation parameters. */
const READER_LIMIT = MEBIBYTE;

/**
 * Up to this size the rest of a refused body is read and discarded. It is larger than any body that an address takes.
 */
const DRAIN_LIMIT = 64 * MEBIBYTE;

/** Permissions that write: their holders send whole resources. */
const WRITES: readonly Permission[] = [
  'patient-record:write',
  'observation:write',
  'definition:write',
  'library:write',
  'directory:administer',
  'request:plan',
  'request:report',
  'server:write-records',
  'audit-event:ship',
];

/** A compressed body reports how many encoded bytes have arrived (Fastify's `preParsing`). */
type Encoded = Readable & { readonly receivedEncodedLength?: number };

type Done = (error: Error | null, payload?: Readable) => void;

const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Adds the size check to the route. Call it for each route when it is registered. */
export function limitBodies(route: RouteOptions): void {
  const methods = [route.method].flat();
  if (route.config?.forwardsBody === true || methods.every((method) => METHODS_WITHOUT_BODY.has(method))) return;
  const openLimit = route.config?.openBodyLimit ?? OPEN_LIMIT;
  const checkSize = (request: FastifyRequest, reply: FastifyReply, payload: Encoded, done: Done): void => {
    const announced = announcedLength(request);
    // No caller has a smaller limit.
    if (announced !== undefined && announced <= openLimit) return void done(null, payload);
    const limit = limitOf(request, openLimit);
    if (announced !== undefined && limit !== undefined && announced > limit) {
      if (announced > DRAIN_LIMIT) reply.header('connection', 'close');
      return void done(tooLarge(limit, request.principal));
    }
    // A body of this length is checked by its parser, before it is parsed.
    if (announced !== undefined && announced <= MEBIBYTE) return void done(null, payload);
    done(null, watched(payload, watchersOf(request, limit)));
  };
  route.preParsing = [route.preParsing ?? [], checkSize].flat();
}

/**
 * Whether the rest of a refused body is read and discarded. A client that is cut off while it sends sees a broken
 * connection and no response.
 */
export function isWorthDraining(request: Pick<FastifyRequest, 'headers'>): boolean {
  return Number(request.headers['content-length'] ?? Number.NaN) <= DRAIN_LIMIT;
}

/**
 * Reads and discards the rest of a body that has been refused, so that the next request on the connection is served.
 * Node.js does this by itself, unless somebody has begun to read the body, as the watchers and decoders here do.
 */
export function discardRest({ raw }: Pick<FastifyRequest, 'raw'>): void {
  raw.unpipe();
  raw.resume();
}

/**
 * Responds. Where the connection ends with the response, the rest of the body is read and discarded first: a connection
 * that is closed with unread data is reset, and the client sees that instead of the response (RFC 9112, 9.6). The rest
 * has the time of the upload (./upload-watch.ts).
 */
export function respondAfterRest({ request, raw: response }: FastifyReply, respond: () => void): void {
  const { raw } = request;
  // Undefined for `inject`, whose body is complete at once.
  if (raw.complete !== false || response.shouldKeepAlive || !isWorthDraining(request)) {
    respond();
    return;
  }
  finished(raw, respond);
  raw.resume();
}

/** `1 MiB`; undefined for no size. */
export function sizeText(bytes: number): string {
  return bytes >= MEBIBYTE ? `${Math.floor(bytes / MEBIBYTE)} MiB` : `${Math.floor(bytes / KIBIBYTE)} KiB`;
}

/** Content-Length; undefined for a chunked or compressed body. */
function announcedLength({ headers }: FastifyRequest): number | undefined {
  const { 'content-length': length, 'content-encoding': encoding } = headers;
  return length === undefined || encoding !== undefined ? undefined : Number(length);
}

/** The caller's limit in bytes; undefined where only the route's own limit holds. */
function limitOf({ principal, hasCapability }: FastifyRequest, openLimit: number): number | undefined {
  if (principal === undefined) return hasCapability ? undefined : openLimit;
  return mayWrite(principal) ? undefined : READER_LIMIT;
}

/** Called for large bodies only. */
function mayWrite(principal: Principal): boolean {
  if (principal.kind === 'api_key' && principal.providerGuid === undefined)
    return principal.scopes.some((scope) => /\.\w*[cud]/.test(scope));
  return WRITES.some((permission) => decide(permission, principal) === 'allowed');
}

/** Checks each chunk of a body as it arrives. @throws ServiceError */
type Watcher = (piece: Buffer) => void;

function watchersOf(request: FastifyRequest, limit: number | undefined): Watcher[] {
  const watchers: Watcher[] = [];
  if (limit !== undefined) {
    let received = 0;
    watchers.push((piece) => {
      received += piece.length;
      if (received > limit) throw tooLarge(limit, request.principal);
    });
  }
  if (isJson(request)) {
    const meter = new JsonMeter(fhirLimitsFor(limit ?? request.routeOptions.bodyLimit));
    watchers.push((piece) => meter.take(piece));
  }
  return watchers;
}

/** Whether the content type is JSON. */
export function isJson({ headers }: FastifyRequest): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '');
}

/** The stream, which ends with the error of the first watcher that throws. */
function watched(payload: Encoded, watchers: readonly Watcher[]): Readable {
  if (watchers.length === 0) return payload;
  const watching = Object.defineProperty(new PassThrough(), 'receivedEncodedLength', {
    get: () => payload.receivedEncodedLength,
  });
  const check = (piece: Buffer): void => {
    try {
      for (const watcher of watchers) watcher(piece);
    } catch (error) {
      payload.unpipe(watching);
      payload.resume();
      watching.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  payload.on('data', check);
  watching.once('unpipe', () => payload.off('data', check));
  payload.on('error', (error) => watching.destroy(error));
  return payload.pipe(watching);
}

function tooLarge(limit: number, principal: Principal | undefined): ServiceError {
  const whom = principal === undefined ? 'without credentials' : 'from a caller who may write nothing';
  return new ServiceError(
    'payload_too_large',
    `The body is larger than ${sizeText(limit)}, the most that is taken ${whom}`,
  );
}
