// The limit of what a provider has sent to itself (decision L10): pings, messages sent again, new secrets.
import type { FastifyRequest } from 'fastify';
import type { Principal } from '#lib/auth/principal.ts';
import { onlyProviderOf } from '#lib/auth/provider-staff.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';

/** A hook that counts all callers of a provider together; other callers by themselves. */
export function limitOfProvider(limiter: RateLimiter) {
  return rateLimitHook(limiter, ({ principal, ip }: FastifyRequest) => keyOf(principal) ?? ip);
}

function keyOf(principal: Principal | undefined): string | undefined {
  return principal && (onlyProviderOf(principal) ?? principal.id);
}
