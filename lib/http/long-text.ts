// Answers of JSON text that is put together from texts of any length: what is long goes out in pieces, whose bytes are
// made one at a time.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { piecesOf } from '../jobs/text-pieces.ts';

/** UTF-16 units. */
const LONG = 1024 * 1024;

/** Sends the texts, one behind the other, as JSON. */
export function sendJsonTexts(reply: FastifyReply, texts: readonly string[]): FastifyReply {
  reply.type('application/json; charset=utf-8');
  if (texts.reduce((sum, text) => sum + text.length, 0) <= LONG) {
    return reply.serializer((text: string) => text).send(texts.join(''));
  }
  // What compresses answers asks for their length first.
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return reply.header('content-length', bytes).send(Readable.from(bytesOf(texts), { objectMode: false }));
}

function* bytesOf(texts: readonly string[]): Generator<Buffer, void, void> {
  for (const text of texts) for (const piece of piecesOf(text)) yield Buffer.from(piece);
}
