// The `Vary` header (RFC 9110 §12.5.5).
import type { FastifyReply } from 'fastify';

/** Adds a request header to `Vary`. */
export function varyBy(reply: FastifyReply, header: string): FastifyReply {
  const named = String(reply.getHeader('vary') ?? '')
    .split(/\s*,\s*/)
    .filter((name) => name !== '');
  // A forwarded response may name it already.
  return reply.header('vary', [...new Set([...named, header])].join(', '));
}
