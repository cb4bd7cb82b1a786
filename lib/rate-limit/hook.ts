// A rate limit as a route's hook (decision G2: 429 with Retry-After and the RateLimit-* headers).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { clientKey } from './client-key.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** The counting key of a request: the client's address; behind a trusted proxy the one that the proxy forwards. */
function clientOf(request: FastifyRequest): string {
  return clientKey(request.ip);
}

/**
 * A hook that counts the request by its client, or by `keyOf`, and sends the state of the limit with every response. It
 * is an `onRequest` hook, or `preValidation` where the refusal needs the body. @throws ServiceError `rate_limited`
 */
export function rateLimitHook(
  limiter: RateLimiter,
  keyOf: (request: FastifyRequest) => string | Promise<string> = clientOf,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const state = await limiter.take(await keyOf(request));
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
