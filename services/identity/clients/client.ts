// What a client is (docs/adr/0054): a relying application or a service of others, on record, or read from the
// configuration and shown beside.
import { allowsRole } from '#lib/auth/permissions.ts';
import { CLIENT_CALLS, type ClientCall, type ClientService } from '#lib/auth/principal.ts';

export const CLIENT_KINDS = ['application', 'service'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

export const CLIENT_ID_PATTERN = '^[A-Za-z0-9._-]{1,64}$';

export const CLIENT_ID_HINT = "must be 1 to 64 letters, digits, '.', '_' and '-'";
export const AUDIENCE_PATTERN = '^[!-~]{1,200}$';
export const AUDIENCE_HINT = 'must be 1 to 200 visible ASCII characters';
export const NAME_LENGTH = 200;

/** What an administrator says of a client. */
export interface ClientSettings {
  readonly name: string;
  /** The audience of the tokens that it is given. */
  readonly audience: string;
  readonly calls: readonly ClientCall[];
  /** Where its sign-ins may lead, each to the letter. */
  readonly redirects: readonly string[];
}

export interface NewClient extends ClientSettings {
  readonly clientId: string;
  readonly kind: ClientKind;
  /** An application that can keep no secret: it proves itself by the verifier of each sign-in (RFC 7636). */
  readonly isPublic: boolean;
}

export interface Client extends NewClient {
  /** Those of the configuration are changed there. */
  readonly managedBy: 'record' | 'configuration';
  readonly disabledAt: Date | null;
  readonly createdAt: Date | null;
  readonly createdBy: string | null;
  readonly rotatedAt: Date | null;
  readonly previousSecretUntil: Date | null;
  readonly lastUsedAt: Date | null;
}

/** What is known of a client that has proved itself, or that a sign-in names. */
export interface KnownClient {
  readonly clientId: string;
  readonly kind: ClientKind;
  readonly isPublic: boolean;
  readonly audience: string;
  readonly calls: ReadonlySet<string>;
  readonly managedBy: Client['managedBy'];
}

/**
 * What one of Kedja's own services calls, of what a client on record may be let call. Identity asks nobody about the
 * user of a token.
 */
export function callsOfService(service: ClientService): readonly ClientCall[] {
  return CLIENT_CALLS.filter((call) =>
    call === 'user:read' ? service !== 'identity' : allowsRole(call, `service:${service}`),
  );
}
