// The session of a user who signed in by identity (docs/adr/0046). The token is identity's, and its session ends there.
import type { AccountClient } from '#clients/account-client.ts';
import { readBearer } from '#lib/auth/authenticator.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { isStrictToken } from '#lib/auth/token-form.ts';
import type { Session } from './schema.ts';

export interface IdentitySession {
  readonly session: Session;
  /** @throws ServiceError `upstream_unavailable` */
  end(): Promise<void>;
}

/**
 * Returns the session of a caller with a verified token of identity. Undefined for any other caller, and for a
 * browser's session, whose token pages may not read.
 */
export function identitySessionOf(
  { kind, id }: Principal,
  authorization: string | undefined,
  identityAccounts: Pick<AccountClient, 'signOut'>,
): IdentitySession | undefined {
  if (kind !== 'identity_user' || authorization === undefined) return undefined;
  const token = readBearer(authorization);
  const expiresAt = isStrictToken(token) ? expiryOf(token) : undefined;
  if (expiresAt === undefined) return undefined;
  return {
    session: { token, user_guid: id, expires_at: new Date(expiresAt * 1000).toISOString() },
    end: () => identityAccounts.signOut(token),
  };
}

/** Seconds since the epoch. */
function expiryOf(token: string): number | undefined {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const { exp } = Object.fromEntries(Object.entries(Object(claims)));
  return typeof exp === 'number' ? exp : undefined;
}
