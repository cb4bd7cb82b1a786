// Decompresses request bodies while they arrive (Content-Encoding, RFC 9110 §8.4). The decompressed size counts against
// the same limits as any body (./body-limits.ts and the route's own). The compression ratio has a limit of its own.
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { sizeText } from './body-limits.ts';

/** The supported encodings, which a 415 names in `Accept-Encoding`. */
const TAKEN = 'gzip, deflate, br, identity';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
};

/**
 * The highest compression ratio. Similar records compress to a fiftieth; a higher ratio than this is an attempt to fill
 * memory.
 */
const MAX_RATIO = 200;
/** Up to this size the ratio is not checked. */
const FREE_BYTES = 1024 * 1024;

/**
 * Whether the body of a request with this method is read at all. Content headers of other requests are ignored (RFC
 * 9110 §9.3.1).
 */
export function readsContent(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

type Done = (error: Error | null, payload?: Readable) => void;

/**
 * The `preParsing` hook, to be added before the routes are registered. A route that decompresses or forwards the body
 * itself says so in its `config`.
 */
export function decodeBody(request: FastifyRequest, _reply: FastifyReply, payload: Readable, done: Done): void {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const { forwardsBody, keepsEncoding } = request.routeOptions.config;
  const isLeft = encoding === 'identity' || forwardsBody === true || keepsEncoding === true;
  if (isLeft || !readsContent(request.method)) return void done(null, payload);
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decoder === undefined) {
    payload.resume();
    return void done(unknownEncoding(encoding));
  }
  done(null, decoded(payload, { decoder: decoder(), encoding, limit: request.routeOptions.bodyLimit }));
}

/** The 415 names the supported encodings (RFC 9110 §12.5.3). */
function unknownEncoding(encoding: string): ServiceError {
  const message = `Bodies are taken with Content-Encoding: ${TAKEN}, not ${encoding}`;
  return new ServiceError('unsupported_media_type', message, { headers: { 'accept-encoding': TAKEN } });
}

function decoded(
  payload: Readable,
  { decoder, encoding, limit }: { readonly decoder: Transform; readonly encoding: string; readonly limit: number },
): Readable {
  let packed = 0;
  let unpacked = 0;
  const body = Object.defineProperty(new PassThrough(), 'receivedEncodedLength', { get: () => packed });
  const end = (error: ServiceError): void => {
    payload.unpipe(decoder);
    // The rest is read and discarded, so that the client gets the response.
    payload.resume();
    decoder.destroy();
    body.destroy(error);
  };
  payload.on('data', (piece: Buffer) => {
    packed += piece.length;
  });
  decoder.on('data', (piece: Buffer) => {
    unpacked += piece.length;
    if (unpacked > limit) end(tooLarge(limit));
    else if (unpacked > FREE_BYTES && unpacked > MAX_RATIO * packed) end(tooDense());
  });
  decoder.on('error', () => end(notPacked(encoding)));
  payload.on('error', (error) => body.destroy(error));
  payload.pipe(decoder).pipe(body);
  return body;
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('payload_too_large', `The body unpacks to more than the ${sizeText(limit)} of this address`);
}

function tooDense(): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The body unpacks to more than ${MAX_RATIO} times its size; send it less compressed`,
  );
}

function notPacked(encoding: string): ServiceError {
  const message = `The body is not what its Content-Encoding says: ${encoding}, whole and with nothing behind it`;
  return new ServiceError('invalid_request', message);
}
