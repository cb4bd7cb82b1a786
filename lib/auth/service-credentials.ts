// Client id and secret of a client (headers X-SSO-Client-Id and X-SSO-Client-Secret), compared in constant time. A
// client is one of Kedja's services, which is a principal, or a relying application, which is not (docs/adr/0044).
import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../crypto/secret.ts';
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

/** Creates the check of the two headers. It returns the principal of the service, or undefined. */
export function createServiceCheck(clients: readonly ServiceClient[]): (headers: Headers) => Principal | undefined {
  const principals = new Map(clients.map((client) => [client, servicePrincipal(client.clientId)]));
  const clientOf = createClientCheck(clients);
  return (headers) => {
    const client = clientOf(headers);
    return client && principals.get(client);
  };
}

/**
 * Creates the check of the two headers. It returns the client, or undefined. Every known client is compared, so that
 * the time taken does not reveal which ids exist. Valid pairs are cached. The lookup compares texts only when their
 * hashes are equal, and V8 seeds these hashes in every process. So its time does not reveal how much of a guess was
 * right.
 */
export function createClientCheck<Client extends ServiceCredentials>(
  clients: readonly Client[],
): (headers: Headers) => Client | undefined {
  const known = clients.map((client) => ({
    id: sha256(client.clientId),
    secret: sha256(client.clientSecret),
    client,
  }));
  const proven = new Map<string, Client>();
  return ({ 'x-sso-client-id': givenId, 'x-sso-client-secret': givenSecret }) => {
    if (typeof givenId !== 'string' || typeof givenSecret !== 'string') return undefined;
    const pair = `${givenId}\n${givenSecret}`;
    const remembered = proven.get(pair);
    if (remembered !== undefined) return remembered;
    const id = sha256(givenId);
    const secret = sha256(givenSecret);
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

/** The principal of one of Kedja's services. Its own role lets it make only its own calls. */
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

/** The principal of a registered service. It has no role, and may make only the calls that its registration names. */
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

/** The credentials in the headers; undefined when either is missing or repeated. */
export function readServiceCredentials(headers: Headers): ServiceCredentials | undefined {
  const { 'x-sso-client-id': clientId, 'x-sso-client-secret': clientSecret } = headers;
  return typeof clientId === 'string' && typeof clientSecret === 'string' ? { clientId, clientSecret } : undefined;
}
