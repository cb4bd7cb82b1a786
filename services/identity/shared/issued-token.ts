// SQL that stores an issued token (decisions G8 and I1): pieces of statements, so that a sign-in can do more in one
// statement.

export interface IssuedToken {
  readonly tokenId: string;
  readonly userGuid: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** The id of the key that signed the token. */
  readonly keyId: string;
  /** The address and browser of the sign-in. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /** The tenant that it opens; null where there is only the default one. */
  readonly tenant: string | null;
}

/**
 * A part of a statement (`WITH …`) that locks the signing key, if it has not been revoked meanwhile. It cannot be
 * revoked until the commit.
 */
export const signerPart = (keyId: number) =>
  `signer AS (SELECT key_id FROM signing_key WHERE key_id = $${keyId} FOR KEY SHARE)`;

/**
 * A part that stores a token; it follows `signerPart`. It has eight parameters, of which `first` is the number of the
 * first and the fifth is the key. It stores none when the key is missing or `condition` does not hold.
 */
export function issuePart(first: number, condition = 'true'): string {
  const types = ['uuid', 'uuid', 'timestamptz', 'timestamptz', 'text', 'text', 'text', 'text'];
  const values = types.map((type, index) => `$${first + index}::${type}`).join(', ');
  return `issued AS (
    INSERT INTO issued_token (token_id, user_guid, issued_at, expires_at, key_id, address, user_agent, tenant)
    SELECT ${values} FROM signer WHERE ${condition} RETURNING token_id)`;
}

/** The values of `issuePart`. */
export function issueValues(token: IssuedToken): readonly unknown[] {
  const { tokenId, userGuid, issuedAt, expiresAt, keyId, address, userAgent, tenant } = token;
  return [tokenId, userGuid, issuedAt, expiresAt, keyId, address, userAgent, tenant];
}
