// Sends /openapi.json. Its text is megabytes for a service with thousands of operations. So it is made once, kept
// compressed, and decompressed for the few clients that take no gzip.
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from '../response/compression.ts';
import { contentTag } from '../response/entity-tag.ts';
import { varyBy } from '../response/vary.ts';

interface PackedDocument {
  readonly packed: Buffer;
  readonly etag: string;
}

/** `write` makes the text, in pieces; after a failure the next request makes it again. */
export function createDocumentSender(write: () => Promise<string[]>) {
  let made: Promise<PackedDocument> | undefined;
  const make = async (): Promise<PackedDocument> => {
    const text = Buffer.from((await write()).join(''));
    const etag = `"${contentTag(text)}"`;
    return { packed: await promisify(gzip)(text), etag };
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    const { packed, etag } = await made;
    varyBy(reply, 'Accept-Encoding');
    reply.header('etag', etag);
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    reply.type('application/json; charset=utf-8');
    if (acceptsGzip(request.headers['accept-encoding'])) return reply.header('content-encoding', 'gzip').send(packed);
    return reply.send(Readable.from([packed]).pipe(createGunzip()));
  };
}
