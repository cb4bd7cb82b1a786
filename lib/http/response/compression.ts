// Large answers go out compressed to whoever takes that (RFC 9110 §12.5.3; docs/adr/0025): pages of searches, bundles,
// files of exports. Small ones go as they are: packing them would take longer than sending them.
import { pipeline, Readable, type Transform } from 'node:stream';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpApp } from '../http-app.ts';
import { varyBy } from './vary.ts';

/** In characters of a text, bytes of others. */
export const LEAST_COMPRESSED = 8 * 1024;

/** Pages in HTML stay out: they hold what belongs to a session beside what a link may bring along. */
const COMPRESSIBLE = /^(?:application\/(?:[\w.-]+\+)?(?:nd)?json|text\/(?:csv|plain))\b/;

/** The first is taken of those that are wanted alike. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

type Packed = (error: Error | null, packed: Buffer) => void;

/** To be called before the routes are registered. */
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
    // Ranges would be of the packed bytes, which nobody can ask for again.
    if (reply.hasHeader('accept-ranges')) reply.header('accept-ranges', 'none');
    if (payload instanceof Readable) done(null, packedStream(payload, encoding));
    else
      pack(payload as string | Buffer, encoding, (error, packed) =>
        error === null ? done(null, packed) : done(error),
      );
  });
}

/** 0 for what is no body that could be packed, and for streams of unknown length, which may be short. */
function lengthOf(payload: unknown, reply: FastifyReply): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  return payload instanceof Readable ? Number(reply.getHeader('content-length') ?? 0) : 0;
}

function isCompressible({ method, headers, routeOptions }: FastifyRequest, reply: FastifyReply): boolean {
  const isWhole = reply.statusCode !== 206 && method !== 'HEAD';
  // What is kept for a repeat (docs/adr/0009) is kept as it goes out, and the repeat may come without this header.
  const isKept = routeOptions.config.idempotent === true && headers['idempotency-key'] !== undefined;
  const isPacked = reply.hasHeader('content-encoding');
  return isWhole && !isKept && !isPacked && COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''));
}

/** Of the encodings that we have the one that is wanted most; undefined when none is, or less than none. */
export function chooseEncoding(header: string | string[] | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const weights = new Map(String(header).split(',').map(readWeight));
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = ENCODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
  if (best === undefined || weightOf(best) === 0) return undefined;
  return weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

function readWeight(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const given = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return [name, Number.isNaN(given) ? 0 : given];
}

/**
 * Quick ones: slower ones take several times as long for a tenth fewer bytes. Brotli's quickest packs each piece of a
 * stream by itself.
 */
const GZIP = { level: 1 };
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };

/** On a thread beside that of the requests. */
function pack(body: string | Buffer, encoding: Encoding, done: Packed): void {
  if (encoding === 'br') brotliCompress(body, BROTLI, done);
  else gzip(body, GZIP, done);
}

function packedStream(body: Readable, encoding: Encoding): Transform {
  const packing = encoding === 'br' ? createBrotliCompress(BROTLI) : createGzip(GZIP);
  // What goes wrong reaches whoever reads the packed stream.
  pipeline(body, packing, () => undefined);
  return packing;
}
