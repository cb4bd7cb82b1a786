// The caller of a request and where the request came from, as services need them for decisions and for the audit record
// (decision G9).
import type { FastifyRequest } from 'fastify';
import type { Principal } from '#lib/auth/principal.ts';
import { requirePrincipal } from '#lib/http/app.ts';

const USER_AGENT_LENGTH = 256;

/** Where a user signed in: by this they recognise their sessions. */
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

/** Keeps printable characters only and cuts the length: a client may send anything. */
function cleanUserAgent(text: string | undefined): string | null {
  const cleaned = text
    ?.replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, USER_AGENT_LENGTH);
  return cleaned === undefined || cleaned === '' ? null : cleaned;
}
