// The client id and secret with which services call each other (headers X-SSO-Client-Id and X-SSO-Client-Secret), judged in
// constant time.
import { createHash, timingSafeEqual } from 'node:crypto';
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
 * The service that the headers prove, or undefined. Every known client is compared, so that the time taken says nothing
 * about which ids exist.
 */
export function authenticateService(headers: Headers, clients: readonly ServiceCredentials[]): Principal | undefined {
  const id = digest(headers['x-sso-client-id']);
  const secret = digest(headers['x-sso-client-secret']);
  let found: string | undefined;
  for (const client of clients) {
    const idMatches = timingSafeEqual(id, digest(client.clientId));
    const secretMatches = timingSafeEqual(secret, digest(client.clientSecret));
    if (idMatches && secretMatches) found = client.clientId;
  }
  return found === undefined ? undefined : servicePrincipal(found);
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

function digest(value: string | string[] | undefined): Buffer {
  return createHash('sha256')
    .update(typeof value === 'string' ? value : '')
    .digest();
}
