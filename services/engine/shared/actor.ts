// The caller of a request and its origin, for the audit record (decision G9).
import type { FastifyRequest } from 'fastify';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { requirePrincipal } from '#lib/http/app.ts';

/** The origin of a request. */
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
  return { principal: requirePrincipal(request), ...originOf(request) };
}

/** Returns an audit entry by this actor. */
export function auditedBy(
  { principal, address, requestId }: Actor,
  entry: Omit<AuditEntry, 'principal' | 'address' | 'requestId'>,
): AuditEntry {
  return { ...entry, principal, address, requestId };
}
