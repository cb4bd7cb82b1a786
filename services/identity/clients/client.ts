// Types of clients (docs/adr/0054): a relying application or somebody else's service. A client is registered in the
// database, or read from the configuration and listed beside the others.
import { allowsRole } from '#lib/auth/permissions.ts';
import { CLIENT_CALLS, type ClientCall, type ClientService } from '#lib/auth/principal.ts';

export const CLIENT_KINDS = ['application', 'service'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

export const CLIENT_ID_PATTERN = '^[A-Za-z0-9._-]{1,64}$';

export const CLIENT_ID_HINT = "must be 1 to 64 letters, digits, '.', '_' and '-'";
export const AUDIENCE_PATTERN = '^[!-~]{1,200}$';
export const AUDIENCE_HINT = 'must be 1 to 200 visible ASCII characters';
export const NAME_LENGTH = 200;

/** The settings of a client that an administrator chooses. */
export interface ClientSettings {
  readonly name: string;
  /** The audience of the tokens that are issued to it. */
  readonly audience: string;
  readonly calls: readonly ClientCall[];
  /** The allowed redirect URIs, compared as strings. */
  readonly redirects: readonly string[];
  /** Whether its sign-ins ask for the password each time (docs/adr/0080). When left out, it stays as it is. */
  readonly reauthenticate?: boolean | undefined;
}

export interface NewClient extends ClientSettings {
  readonly clientId: string;
  readonly kind: ClientKind;
  /** A public client, which cannot keep a secret: the verifier of each sign-in proves it (RFC 7636). */
  readonly isPublic: boolean;
}

export interface Client extends NewClient {
  /** Clients of the configuration are changed there. */
  readonly managedBy: 'record' | 'configuration';
  readonly disabledAt: Date | null;
  readonly createdAt: Date | null;
  readonly createdBy: string | null;
  readonly rotatedAt: Date | null;
  readonly previousSecretUntil: Date | null;
  readonly lastUsedAt: Date | null;
}

/** What a node knows of an authenticated client, or of the client that a sign-in names. */
export interface KnownClient {
  readonly clientId: string;
  readonly kind: ClientKind;
  readonly isPublic: boolean;
  readonly audience: string;
  readonly calls: ReadonlySet<string>;
  readonly managedBy: Client['managedBy'];
}

/**
 * The calls that one of Kedja's own services makes, out of those that a registered client may be allowed. Identity
 * itself calls nobody about the user of a token.
 */
export function callsOfService(service: ClientService): readonly ClientCall[] {
  return CLIENT_CALLS.filter((call) =>
    call === 'user:read' ? service !== 'identity' : allowsRole(call, `service:${service}`),
  );
}
