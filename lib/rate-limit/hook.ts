// A rate limit as a route's hook (decision G2: 429 with Retry-After and the RateLimit-* headers).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { clientKey } from './client-key.ts';
import type { RateLimiter } from './rate-limiter.ts';

/**
 * A hook (`onRequest`, or `preValidation` where the refusal needs the body) that counts the request against the client's address (behind a trusted proxy the one it tells) and
 * shows the state of the limit in every answer. @throws ServiceError `rate_limited`
 */
export function rateLimitHook(limiter: RateLimiter) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const state = await limiter.take(clientKey(request.ip));
    reply.header('ratelimit-limit', String(state.limit));
    reply.header('ratelimit-remaining', String(state.remaining));
    reply.header('ratelimit-reset', String(state.resetSeconds));
    if (state.isAllowed) return;
    const seconds = state.resetSeconds;
    throw new ServiceError('rate_limited', `Too many requests; try again in ${seconds} seconds`, {
      retryAfterSeconds: seconds,
    });
  };
}
