// Compresses large responses for clients that accept it (RFC 9110 §12.5.3; docs/adr/0025): pages of searches, bundles,
// exported files. Compressing small responses would take longer than sending them.
import { pipeline, Readable, type Transform } from 'node:stream';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpApp } from '../http-app.ts';
import { varyBy } from './vary.ts';

/** The shortest response that is compressed: characters of a text, bytes of a buffer. */
export const LEAST_COMPRESSED = 8 * 1024;

/** HTML is not compressed: pages hold secrets of the session beside text that a link can choose (BREACH). */
const COMPRESSIBLE = /^(?:application\/(?:[\w.-]+\+)?(?:nd)?json|text\/(?:csv|plain))\b/;

/** The supported encodings; the first wins among equal quality values. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

type Packed = (error: Error | null, packed: Buffer) => void;

/** Adds the compression hook. Call it before the routes are registered. */
export function compressResponses(app: HttpApp): void {
  app.addHook<unknown>('onSend', (request, reply, payload, done) => {
    if (lengthOf(payload, reply) < LEAST_COMPRESSED || !isCompressible(request, reply)) {
      done(null, payload);
      return;
    }
    varyBy(reply, 'Accept-Encoding');
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (encoding === undefined) {
      done(null, payload);
      return;
    }
    reply.header('content-encoding', encoding).removeHeader('content-length');
    // A range would be of the compressed bytes, which cannot be requested again.
    if (reply.hasHeader('accept-ranges')) reply.header('accept-ranges', 'none');
    if (payload instanceof Readable) done(null, packedStream(payload, encoding));
    else
      pack(payload as string | Buffer, encoding, (error, packed) =>
        error === null ? done(null, packed) : done(error),
      );
  });
}

/** The length of the body; 0 for what cannot be compressed, and for streams of unknown length, which may be short. */
function lengthOf(payload: unknown, reply: FastifyReply): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  return payload instanceof Readable ? Number(reply.getHeader('content-length') ?? 0) : 0;
}

function isCompressible({ method, headers, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  const isWhole = reply.statusCode !== 206 && method !== 'HEAD';
  // A response stored for an Idempotency-Key (docs/adr/0009) is stored as it is sent, and the repeated request may lack
  // Accept-Encoding.
  const isStored = routeOptions.config.idempotent === true && headers['idempotency-key'] !== undefined;
  const isPacked = reply.hasHeader('content-encoding');
  return isWhole && !isStored && !isPacked && COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''));
}

/**
 * The supported encoding with the highest quality value. Undefined when none is acceptable, or when `identity` is
 * preferred.
 */
export function chooseEncoding(header: string | string[] | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const weights = weightsIn(header);
  const [best] = ENCODINGS.toSorted((a, b) => weightOf(b, weights) - weightOf(a, weights));
  if (best === undefined || weightOf(best, weights) === 0) return undefined;
  return weightOf(best, weights) >= (weights.get('identity') ?? 0) ? best : undefined;
}

/** Whether a client takes gzip, given its Accept-Encoding. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  return header !== undefined && weightOf('gzip', weightsIn(header)) > 0;
}

function weightsIn(header: string | string[]): ReadonlyMap<string, number> {
  return new Map(String(header).split(',').map(readWeight));
}

function weightOf(encoding: Encoding, weights: ReadonlyMap<string, number>): number {
  return weights.get(encoding) ?? weights.get('*') ?? 0;
}

function readWeight(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return [name, Number.isNaN(given) ? 0 : given];
}

/**
 * The fastest levels: higher ones take several times as long for a tenth fewer bytes. Brotli's fastest level compresses
 * each chunk of a stream by itself.
 */
const GZIP = { level: 1 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };

/** Compresses on a thread of libuv. */
function pack(body: string | Buffer, encoding: Encoding, done: Packed): void {
  if (encoding === 'br') brotliCompress(body, BROTLI, done);
  else gzip(body, GZIP, done);
}

function packedStream(body: Readable, encoding: Encoding): Transform {
  const packing = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP);
  // Errors reach the reader of the compressed stream.
  pipeline(body, packing, () => undefined);
  return packing;
}
