// The client id and secret with which services call each other (headers X-SSO-Client-Id and X-SSO-Client-Secret), judged in
// constant time.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Principal } from './principal.ts';

export interface ServiceCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The credentials as request headers. */
export function credentialHeaders(credentials: ServiceCredentials): Record<string, string> {
  return { 'x-sso-client-id': credentials.clientId, 'x-sso-client-secret': credentials.clientSecret };
}

/** Whether the request carries either of the two headers. */
export function hasServiceCredentials(headers: Headers): boolean {
  return headers['x-sso-client-id'] !== undefined || headers['x-sso-client-secret'] !== undefined;
}

/** The headers as if they carried neither. */
export function withoutServiceCredentials(headers: Headers): Headers {
  return { ...headers, 'x-sso-client-id': undefined, 'x-sso-client-secret': undefined };
}

/**
 * Makes the check of the two headers: the service that they prove, or undefined. Every known client is compared, so that the time
 * taken says nothing about which ids exist. What was right once is remembered; that look-up compares texts only when their hashes, which
 * the engine seeds anew in every process, are equal, so that its time says nothing about how much of a guess was right.
 */
export function createServiceCheck(
  clients: readonly ServiceCredentials[],
): (headers: Headers) => Principal | undefined {
  const known = clients.map(({ clientId, clientSecret }) => ({
    id: digest(clientId),
    secret: digest(clientSecret),
    principal: servicePrincipal(clientId),
  }));
  const proven = new Map<string, Principal>();
  return ({ 'x-sso-client-id': givenId, 'x-sso-client-secret': givenSecret }) => {
    if (typeof givenId !== 'string' || typeof givenSecret !== 'string') return undefined;
    const pair = `${givenId}\n${givenSecret}`;
    const remembered = proven.get(pair);
    if (remembered !== undefined) return remembered;
    const id = digest(givenId);
    const secret = digest(givenSecret);
    let found: Principal | undefined;
    for (const client of known) {
      const idMatches = timingSafeEqual(id, client.id);
      const secretMatches = timingSafeEqual(secret, client.secret);
      if (idMatches && secretMatches) found = client.principal;
    }
    if (found !== undefined) proven.set(pair, found);
    return found;
  };
}

/** The principal of a service that has been authenticated. */
export function servicePrincipal(clientId: string): Principal {
  return {
    kind: 'service',
    id: clientId,
    roles: new Set(['service']),
    organisationGuids: [],
    phases: new Set(),
    scopes: [],
    mustChangePassword: false,
  };
}

function digest(value: string): Buffer {
  return hash('sha256', value, 'buffer');
}
