// The limit of what a provider has sent to itself (decision L10): pings, messages sent again, new secrets.
import type { FastifyRequest } from 'fastify';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';

/** A hook that counts by provider, whichever of its keys is used; other callers by themselves. */
export function limitOfProvider(limiter: RateLimiter) {
  return rateLimitHook(limiter, ({ principal, ip }: FastifyRequest) => principal?.providerGuid ?? principal?.id ?? ip);
}
