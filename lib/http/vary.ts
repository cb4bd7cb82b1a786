// What an answer depends on beside its address (RFC 9110 §12.5.5).
import type { FastifyReply } from 'fastify';

/** Names a request header that the answer depends on, beside those named before. */
export function varyBy(reply: FastifyReply, header: string): FastifyReply {
  const named = reply.getHeader('vary');
  return reply.header('vary', named === undefined ? header : `${named}, ${header}`);
}
