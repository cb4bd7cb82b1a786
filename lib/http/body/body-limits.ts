// How many bytes a body may have, by what its sender may do (decision G4; docs/adr/0040): judged when the caller is
// known and before anything of the body is read, by its announced length or, where none is announced, as it comes in.
// What a route takes at most is its own `bodyLimit`.
import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { decide, type Permission } from '../../auth/permissions.ts';
import type { Principal } from '../../auth/principal.ts';
import { ServiceError } from '../../errors.ts';
import { fhirLimitsFor, JsonMeter } from './json-limits.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** Of whom nothing is known, where the route names no other: a form of a few fields. */
const OPEN_LIMIT = 16 * KIBIBYTE;

/** Of callers who may write nothing: they ask questions, and forms and operations hold those. */
const READER_LIMIT = MEBIBYTE;

/** The largest body that any address takes, and something more: what is refused is read and forgotten up to here. */
const DRAIN_LIMIT = 64 * MEBIBYTE;

/** Whoever has one of these sends resources, and not only questions. */
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

/** A body that was sent compressed says how much of that has come (Fastify's `preParsing`). */
type Encoded = Readable & { readonly receivedEncodedLength?: number };

type Done = (error: Error | null, payload?: Readable) => void;

const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** To be called for each route as it is registered: bodies are judged before they are read. */
export function limitBodies(route: RouteOptions): void {
  const methods = [route.method].flat();
  if (route.config?.forwardsBody === true || methods.every((method) => METHODS_WITHOUT_BODY.has(method))) return;
  const openLimit = route.config?.openBodyLimit ?? OPEN_LIMIT;
  const judge = (request: FastifyRequest, reply: FastifyReply, payload: Encoded, done: Done): void => {
    const announced = announcedLength(request);
    // Nobody may send less than this.
    if (announced !== undefined && announced <= openLimit) return void done(null, payload);
    const limit = limitOf(request, openLimit);
    if (announced !== undefined && limit !== undefined && announced > limit) {
      if (announced > DRAIN_LIMIT) reply.header('connection', 'close');
      return void done(tooLarge(limit, request.principal));
    }
    // What reads a body of this length looks into it before it parses it.
    if (announced !== undefined && announced <= MEBIBYTE) return void done(null, payload);
    done(null, watched(payload, watchersOf(request, limit)));
  };
  route.preParsing = [route.preParsing ?? [], judge].flat();
}

/**
 * Whether the rest of a refused body is read and forgotten: who is cut off in the middle of sending sees a broken
 * connection, and no answer.
 */
export function isWorthDraining(request: Pick<FastifyRequest, 'headers'>): boolean {
  return Number(request.headers['content-length'] ?? Number.NaN) <= DRAIN_LIMIT;
}

/** `1 MiB`; undefined for no size. */
export function sizeText(bytes: number): string {
  return bytes >= MEBIBYTE ? `${Math.floor(bytes / MEBIBYTE)} MiB` : `${Math.floor(bytes / KIBIBYTE)} KiB`;
}

/** Undefined where it is not known before the body has come: it is sent in pieces, or compressed. */
function announcedLength({ headers }: FastifyRequest): number | undefined {
  const { 'content-length': length, 'content-encoding': encoding } = headers;
  return length === undefined || encoding !== undefined ? undefined : Number(length);
}

/** Undefined where the route's own limit is all. */
function limitOf({ principal, hasCapability }: FastifyRequest, openLimit: number): number | undefined {
  if (principal === undefined) return hasCapability ? undefined : openLimit;
  return mayWrite(principal) ? undefined : READER_LIMIT;
}

/** Asked of large bodies alone. */
function mayWrite(principal: Principal): boolean {
  if (principal.kind === 'api_key' && principal.providerGuid === undefined)
    return principal.scopes.some((scope) => /\.\w*[cud]/.test(scope));
  return WRITES.some((permission) => decide(permission, principal) === 'allowed');
}

/** Looks at each piece of a body as it comes. @throws ServiceError */
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

/** By its content type. */
export function isJson({ headers }: FastifyRequest): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(headers['content-type'] ?? '');
}

/** The stream, ended with a refusal at the piece that a watcher refuses. */
function watched(payload: Encoded, watchers: readonly Watcher[]): Readable {
  if (watchers.length === 0) return payload;
  const watching = Object.defineProperty(new PassThrough(), 'receivedEncodedLength', {
    get: () => payload.receivedEncodedLength,
  });
  const look = (piece: Buffer): void => {
    try {
      for (const watcher of watchers) watcher(piece);
    } catch (error) {
      payload.off('data', look);
      payload.unpipe(watching);
      payload.resume();
      watching.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  payload.on('data', look);
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
