// The text of a response body, which may have tens of megabytes. A long one stays in pieces, which are encoded in
// slices. One string would be copied, measured and encoded in a single turn of the event loop (docs/adr/0062).
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mapInSlices } from '#lib/jobs/slices.ts';

/** One text; a long one as the texts that it is made of, in their order. */
export type ResponseText = string | readonly string[];

/** UTF-16 units that are put together into one text. */
const PIECE = 256 * 1024;

export interface TextBuilder {
  add(text: ResponseText): void;
  /** All that was added. */
  end(): ResponseText;
}

export function createTextBuilder(): TextBuilder {
  const pieces: string[] = [];
  let current = '';
  const flush = (): void => {
    if (current !== '') pieces.push(current);
    current = '';
  };
  const addOne = (text: string): void => {
    // A long text is never copied.
    if (text.length > PIECE) flush();
    current += text;
    if (current.length > PIECE) flush();
  };
  return {
    add: (text) => {
      if (typeof text === 'string') addOne(text);
      else for (const piece of text) addOne(piece);
    },
    end: () => {
      if (pieces.length === 0) return current;
      flush();
      return pieces;
    },
  };
}

/** In UTF-16 units. */
export function lengthOfText(text: ResponseText): number {
  return typeof text === 'string' ? text.length : text.reduce((sum, piece) => sum + piece.length, 0);
}

/** Sends a long text as it is, encoded a piece at a time. */
export async function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, pieces }: { readonly contentType: string; readonly pieces: readonly string[] },
): Promise<void> {
  const bytes = await mapInSlices(pieces, (piece) => Buffer.from(piece));
  reply.type(contentType);
  // What is kept for a repeat (docs/adr/0009) is kept as a whole.
  if (request.headers['idempotency-key'] !== undefined) return void reply.send(Buffer.concat(bytes));
  const length = bytes.reduce((sum, each) => sum + each.length, 0);
  void reply.header('content-length', length).send(Readable.from(bytes, { objectMode: false }));
}
