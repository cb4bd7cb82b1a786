// The client id and secret of a client (headers X-SSO-Client-Id and X-SSO-Client-Secret), judged in constant time. A
// client is one of Kedja's services, which is a principal, or a relying application, which is none (docs/adr/0044).
import { hash, timingSafeEqual } from 'node:crypto';
import type { ClientService, Principal } from './principal.ts';

export interface ServiceCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The credentials of one of Kedja's services. */
export interface ServiceClient extends ServiceCredentials {
  readonly clientId: ClientService;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The credentials as request headers; none without credentials. */
export function credentialHeaders(credentials: ServiceCredentials | undefined): Record<string, string> {
  if (credentials === undefined) return {};
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

/** Makes the check of the two headers: the service that they prove, as a principal, or undefined. */
export function createServiceCheck(clients: readonly ServiceClient[]): (headers: Headers) => Principal | undefined {
  const principals = new Map(clients.map((client) => [client, servicePrincipal(client.clientId)]));
  const clientOf = createClientCheck(clients);
  return (headers) => {
    const client = clientOf(headers);
    return client && principals.get(client);
  };
}

/**
 * Makes the check of the two headers: the client that they prove, or undefined. Every known client is compared, so that
 * the time taken says nothing about which ids exist. What was right once is remembered; that look-up compares texts
 * only when their hashes, which the engine seeds anew in every process, are equal, so that its time says nothing about
 * how much of a guess was right.
 */
export function createClientCheck<Client extends ServiceCredentials>(
  clients: readonly Client[],
): (headers: Headers) => Client | undefined {
  const known = clients.map((client) => ({
    id: digest(client.clientId),
    secret: digest(client.clientSecret),
    client,
  }));
  const proven = new Map<string, Client>();
  return ({ 'x-sso-client-id': givenId, 'x-sso-client-secret': givenSecret }) => {
    if (typeof givenId !== 'string' || typeof givenSecret !== 'string') return undefined;
    const pair = `${givenId}\n${givenSecret}`;
    const remembered = proven.get(pair);
    if (remembered !== undefined) return remembered;
    const id = digest(givenId);
    const secret = digest(givenSecret);
    let found: Client | undefined;
    for (const each of known) {
      const idMatches = timingSafeEqual(id, each.id);
      const secretMatches = timingSafeEqual(secret, each.secret);
      if (idMatches && secretMatches) found = each.client;
    }
    if (found !== undefined) proven.set(pair, found);
    return found;
  };
}

/**
 * The principal of a service that has been authenticated: a role of its own, so that it may make just its own calls.
 */
export function servicePrincipal(service: ClientService): Principal {
  return {
    kind: 'service',
    id: service,
    roles: new Set([`service:${service}`] as const),
    organisationGuids: [],
    phases: new Set(),
    scopes: [],
    mustChangePassword: false,
  };
}

/** The principal of a service on record: it has no role, and may make just the calls that its record names. */
export function clientPrincipal(clientId: string, calls: ReadonlySet<string>): Principal {
  return {
    kind: 'service',
    id: clientId,
    roles: new Set(),
    calls,
    organisationGuids: [],
    phases: new Set(),
    scopes: [],
    mustChangePassword: false,
  };
}

/** The two headers; undefined when either is missing or comes twice. */
export function readServiceCredentials(headers: Headers): ServiceCredentials | undefined {
  const { 'x-sso-client-id': clientId, 'x-sso-client-secret': clientSecret } = headers;
  return typeof clientId === 'string' && typeof clientSecret === 'string' ? { clientId, clientSecret } : undefined;
}

function digest(value: string): Buffer {
  return hash('sha256', value, 'buffer');
}
