// The rate limit of wrong client secrets per address, counted in the database so that all nodes count together. Over
// the limit, no secret is checked until the window ends. Clients that authenticated before are exempt.
import type { Clock } from '#lib/clock.ts';
import { ServiceError } from '#lib/errors.ts';
import { clientKey } from '#lib/rate-limit/client-key.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';

const MAX_BLOCKED = 10_000;

export interface GuessLimit {
  /** @throws ServiceError `rate_limited` for an address over its limit */
  check(address: string): void;
  /** Counts a wrong secret. @throws ServiceError `rate_limited` when it exceeds the limit */
  count(address: string): Promise<void>;
}

export function createGuessLimit(limiter: RateLimiter, clock: Clock): GuessLimit {
  const blockedUntil = new Map<string, number>();
  return {
    check(address) {
      const key = clientKey(address);
      const until = blockedUntil.get(key);
      if (until === undefined) return;
      if (until > clock.now()) throw tooMany(until - clock.now());
      blockedUntil.delete(key);
    },
    async count(address) {
      const key = clientKey(address);
      const { isAllowed, resetSeconds } = await limiter.take(key);
      if (isAllowed) return;
      if (blockedUntil.size >= MAX_BLOCKED) blockedUntil.clear();
      blockedUntil.set(key, clock.now() + resetSeconds * 1000);
      throw tooMany(resetSeconds * 1000);
    },
  };
}

function tooMany(ms: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil(ms / 1000));
  const message = `Too many wrong client secrets; try again in ${retryAfterSeconds} seconds`;
  return new ServiceError('rate_limited', message, { retryAfterSeconds });
}
