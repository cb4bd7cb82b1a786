// Who asks, as services need it for decisions and for the audit record (decision G9): the caller and where they are.
import type { FastifyRequest } from 'fastify';
import type { Principal } from '#lib/auth/principal.ts';
import { requirePrincipal } from '#lib/http/app.ts';

const USER_AGENT_LENGTH = 256;

/** Where somebody signed in, as they recognise their sessions. */
export interface SignInPlace {
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** Where a request came from. */
export interface Origin extends SignInPlace {
  readonly address: string;
  readonly requestId: string;
}

export interface Actor extends Origin {
  readonly principal: Principal;
}

export function originOf(request: FastifyRequest): Origin {
  return { address: request.ip, userAgent: cleanUserAgent(request.headers['user-agent']), requestId: request.id };
}

/** @throws ServiceError `unauthorized` */
export function actorOf(request: FastifyRequest): Actor {
  return { ...originOf(request), principal: requirePrincipal(request) };
}

/** Printable and short: anybody may send anything. */
function cleanUserAgent(text: string | undefined): string | null {
  const cleaned = text
    ?.replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, USER_AGENT_LENGTH);
  return cleaned === undefined || cleaned === '' ? null : cleaned;
}
