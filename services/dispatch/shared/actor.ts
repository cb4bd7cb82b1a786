// The caller of an operation, for access rules and the audit record (G9, G12).
import type { FastifyRequest } from 'fastify';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { requirePrincipal } from '#lib/http/app.ts';

export interface Actor {
  readonly principal: Principal;
  readonly address: string | undefined;
  readonly requestId: string | undefined;
}

/** A caller who is known only by a receipt token (D11). */
export interface TokenHolder {
  readonly token: string;
  readonly address: string | undefined;
  readonly requestId: string | undefined;
}

export function actorOf(request: FastifyRequest): Actor {
  return { principal: requirePrincipal(request), address: request.ip, requestId: request.id };
}

/** An audit entry by this actor. */
export function auditedBy(
  { principal, address, requestId }: Actor,
  entry: Omit<AuditEntry, 'principal' | 'address' | 'requestId'>,
): AuditEntry {
  return {
    ...entry,
    principal,
    ...(address === undefined ? {} : { address }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}
