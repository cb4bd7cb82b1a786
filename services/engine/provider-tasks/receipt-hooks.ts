// Checks the receipt token in the path before the body is read (decision D11; docs/adr/0040). Requests with a valid
// token are limited by token, from any address. Wrong tokens are limited by client.
import type { FastifyRequest } from 'fastify';
import { notFound } from '#lib/errors.ts';
import { clientKey } from '#lib/rate-limit/client-key.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { hashReceipt } from './receipt.ts';
import type { TaskService } from './task-service.ts';

/** The `onRequest` hooks of routes below a receipt token. @throws ServiceError `rate_limited`, `not_found` */
export function receiptHooks(tasks: Pick<TaskService, 'knows'>, limiter: RateLimiter) {
  const count = rateLimitHook(limiter, (request) =>
    request.hasCapability ? `token ${hashReceipt(tokenOf(request)).toString('base64url')}` : clientKey(request.ip),
  );
  return [
    async (request: FastifyRequest) => {
      request.hasCapability = await tasks.knows({ token: tokenOf(request), caller: request.principal });
    },
    count,
    async ({ hasCapability }: FastifyRequest) => {
      if (!hasCapability) throw notFound('Task');
    },
  ];
}

function tokenOf({ params }: FastifyRequest): string {
  const token = typeof params === 'object' && params !== null ? Reflect.get(params, 'receipt_token') : undefined;
  return typeof token === 'string' ? token : '';
}
