// Sends JSON text of any length. A long text is sent in chunks that are encoded one at a time.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { piecesOf } from '../jobs/text-pieces.ts';

/** UTF-16 units. */
const LONG = 1024 * 1024;

/** Sends the texts, concatenated, as JSON. */
export function sendJsonTexts(reply: FastifyReply, texts: readonly string[]): FastifyReply {
  reply.type('application/json; charset=utf-8');
  if (texts.reduce((sum, text) => sum + text.length, 0) <= LONG) {
    return reply.serializer((text: string) => text).send(texts.join(''));
  }
  // Compression needs the length (./response/compression.ts).
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return reply.header('content-length', bytes).send(Readable.from(bytesOf(texts), { objectMode: false }));
}

function* bytesOf(texts: readonly string[]): Generator<Buffer, void, void> {
  for (const text of texts) for (const piece of piecesOf(text)) yield Buffer.from(piece);
}
