// Rate limits of requests with a receipt token (decision D11).
import type { FastifyRequest } from 'fastify';
import { notFound } from '#lib/errors.ts';
import { clientKey } from '#lib/rate-limit/client-key.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { hashToken } from '../shared/key-ring.ts';
import type { RespondService } from './respond-service.ts';

/**
 * `onRequest` hooks of an address with a receipt token: they check token and rate before the body is read
 * (docs/adr/0040).
 * @throws ServiceError `rate_limited`, `not_found`
 */
export function receiptHooks(responses: Pick<RespondService, 'knows'>, limiter: RateLimiter) {
  return [
    async (request: FastifyRequest) => {
      request.hasCapability = await responses.knows({ token: tokenOf(request), principal: request.principal });
    },
    rateLimitHook(limiter, (request) => (request.hasCapability ? keyOfToken(tokenOf(request)) : clientKey(request.ip))),
    async ({ hasCapability }: FastifyRequest) => {
      if (!hasCapability) throw notFound('Request');
    },
  ];
}

function tokenOf({ params }: FastifyRequest): string {
  const token = typeof params === 'object' && params !== null ? Reflect.get(params, 'token') : undefined;
  return typeof token === 'string' ? token : '';
}

function keyOfToken(token: string): string {
  return `token ${hashToken(token).toString('base64url')}`;
}

/** Responses to one push are counted together, whatever their origin; wrong tokens are counted by client. */
export async function limitKeyOf(
  address: string,
  token: string,
  responses: Pick<RespondService, 'knows'>,
): Promise<string> {
  return (await responses.knows({ token })) ? keyOfToken(token) : clientKey(address);
}
