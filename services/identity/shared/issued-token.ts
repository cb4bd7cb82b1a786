// Putting a token on record (decisions G8 and I1): pieces of SQL, so that a statement may do more than that at once.

export interface IssuedToken {
  readonly tokenId: string;
  readonly userGuid: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** The key that signed it. */
  readonly keyId: string;
  /** Where the sign-in came from. */
  readonly address: string | null;
  readonly userAgent: string | null;
}

/**
 * The key of a token as a part of a statement (`WITH …`), if it has not been revoked meanwhile; until the commit it
 * cannot be.
 */
export const signerPart = (keyId: number) =>
  `signer AS (SELECT key_id FROM signing_key WHERE key_id = $${keyId} FOR KEY SHARE)`;

/**
 * Recording a token as a part that follows its `signerPart`, with seven parameters of which `first` is the number of
 * the first and the fifth is the key. None is issued when the key is gone or `condition` does not hold.
 */
export function issuePart(first: number, condition = 'true'): string {
  const types = ['uuid', 'uuid', 'timestamptz', 'timestamptz', 'text', 'text', 'text'];
  const values = types.map((type, index) => `$${first + index}::${type}`).join(', ');
  return `issued AS (
    INSERT INTO issued_token (token_id, user_guid, issued_at, expires_at, key_id, address, user_agent)
    SELECT ${values} FROM signer WHERE ${condition} RETURNING token_id)`;
}

/** The values of `issuePart`. */
export function issueValues(token: IssuedToken): readonly unknown[] {
  const { tokenId, userGuid, issuedAt, expiresAt, keyId, address, userAgent } = token;
  return [tokenId, userGuid, issuedAt, expiresAt, keyId, address, userAgent];
}
