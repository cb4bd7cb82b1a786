// Who asks, as services need it for decisions and for the audit record (decision G9): the caller and where they are.
import type { FastifyRequest } from 'fastify';
import type { Principal } from '#lib/auth/principal.ts';
import { requirePrincipal } from '#lib/http/app.ts';

/** Where a request came from. */
export interface Origin {
  readonly address: string;
  readonly requestId: string;
}

export interface Actor extends Origin {
  readonly principal: Principal;
}

export function originOf(request: FastifyRequest): Origin {
  return { address: request.ip, requestId: request.id };
}

/** @throws ServiceError `unauthorized` */
export function actorOf(request: FastifyRequest): Actor {
  return { ...originOf(request), principal: requirePrincipal(request) };
}
