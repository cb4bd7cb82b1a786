// What an answer depends on beside its address (RFC 9110 §12.5.5).
import type { FastifyReply } from 'fastify';

/** Names a request header that the answer depends on, beside those named before. */
export function varyBy(reply: FastifyReply, header: string): FastifyReply {
  const named = String(reply.getHeader('vary') ?? '')
    .split(/\s*,\s*/)
    .filter((name) => name !== '');
  // What the gateway passes on names it already.
  return reply.header('vary', [...new Set([...named, header])].join(', '));
}
