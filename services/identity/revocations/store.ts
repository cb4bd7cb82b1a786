// Issued and revoked tokens and the feed of revocations: SQL only. Each writer locks the feed's counter until its
// commit, so sequence numbers are in commit order. A reader that has seen one number has seen all before it.
import type { Queryable } from '#lib/db/database.ts';
import { type IssuedToken, issuePart, issueValues, signerPart } from '../shared/issued-token.ts';

export interface FeedRow {
  sequence: number;
  kind: 'token_revoked' | 'user_changed' | 'keys_changed';
  token_id: string | null;
  user_guid: string | null;
  expires_at: Date | null;
}

/** False when the key that signed the token has been revoked meanwhile. */
export async function insertIssued(db: Queryable, token: IssuedToken): Promise<boolean> {
  const statement = { name: 'identity-issue-token', text: `WITH ${signerPart(5)}, ${issuePart(1)} SELECT FROM issued` };
  return (await db.query(statement, issueValues(token))).rowCount === 1;
}

/** False when the token is revoked already, or has expired and was deleted. */
export async function insertRevoked(db: Queryable, tokenId: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `WITH counter AS (UPDATE revocation_counter SET last = last + 1 RETURNING last)
     INSERT INTO revoked_token (token_id, expires_at, revoked_at, sequence)
     SELECT token_id, expires_at, $2, last FROM issued_token, counter WHERE token_id = $1
     ON CONFLICT (token_id) DO NOTHING`,
    [tokenId, now],
  );
  return rowCount === 1;
}

/** Revokes the unexpired tokens that the condition on `i` selects; $1 is the time. Returns how many. */
async function revokeWhere(db: Queryable, condition: string, values: readonly [now: Date, ...unknown[]]) {
  const { rowCount } = await db.query(
    `WITH victim AS (
       SELECT token_id, expires_at, row_number() OVER (ORDER BY token_id) AS position FROM issued_token i
       WHERE ${condition} AND expires_at > $1
         AND NOT EXISTS (SELECT FROM revoked_token r WHERE r.token_id = i.token_id)
     ), counter AS (
       UPDATE revocation_counter SET last = last + (SELECT count(*) FROM victim) RETURNING last
     )
     INSERT INTO revoked_token (token_id, expires_at, revoked_at, sequence)
     SELECT token_id, expires_at, $1, last - (SELECT count(*) FROM victim) + position FROM victim, counter
     ON CONFLICT (token_id) DO NOTHING`,
    [...values],
  );
  return rowCount;
}

/** Tokens that stay: one, and those of a browser session. */
export interface KeptTokens {
  readonly tokenId?: string | undefined;
  readonly sessionGuid?: string | undefined;
}

/** Revokes every unexpired token of the user but those to keep. Returns how many. */
export async function revokeAllOf(
  db: Queryable,
  { userGuid, keep, now }: { userGuid: string; keep: KeptTokens; now: Date },
): Promise<number> {
  const condition = `user_guid = $2 AND token_id IS DISTINCT FROM $3::uuid
    AND ($4::uuid IS NULL OR session_guid IS DISTINCT FROM $4::uuid)`;
  return revokeWhere(db, condition, [now, userGuid, keep.tokenId ?? null, keep.sessionGuid ?? null]);
}

/**
 * Revokes every unexpired token that the key signed. Tokens of an earlier version name no key: any key may have signed
 * them, so they are revoked too.
 */
export async function revokeAllOfKey(db: Queryable, { keyId, now }: { keyId: string; now: Date }): Promise<void> {
  await revokeWhere(db, '(key_id = $2 OR key_id IS NULL)', [now, keyId]);
}

/** Revokes every unexpired token that was issued to the client. Returns how many. */
export async function revokeAllOfClient(
  db: Queryable,
  { clientId, now }: { clientId: string; now: Date },
): Promise<number> {
  return revokeWhere(db, 'client_id = $2', [now, clientId]);
}

/** Revokes every unexpired token of these browser sessions. Returns how many. */
export async function revokeAllOfSessions(
  db: Queryable,
  { sessionGuids, now }: { sessionGuids: readonly string[]; now: Date },
): Promise<number> {
  return revokeWhere(db, 'session_guid = ANY($2::uuid[])', [now, sessionGuids]);
}

/** Locks the counter of the feed until the transaction ends. */
export async function lockCounter(db: Queryable): Promise<void> {
  await db.query('SELECT FROM revocation_counter FOR UPDATE');
}

export async function isRevoked(db: Queryable, tokenId: string): Promise<boolean> {
  return (await db.query('SELECT FROM revoked_token WHERE token_id = $1', [tokenId])).rowCount === 1;
}

/** The one-time code that a token was issued for, and its client; undefined for a sign-in that named none. */
export interface Exchange {
  readonly codeHash: Buffer;
  readonly clientId: string | undefined;
}

/** Stores the code that the token was issued for, and its client. */
export async function markExchanged(db: Queryable, tokenId: string, { codeHash, clientId }: Exchange): Promise<void> {
  const text = 'UPDATE issued_token SET code_hash = $2, client_id = $3 WHERE token_id = $1';
  await db.query(text, [tokenId, codeHash, clientId ?? null]);
}

/** The token that was issued to the client for the code; undefined where it was deleted. */
export async function findExchanged(
  db: Queryable,
  { codeHash, clientId }: Exchange,
): Promise<{ tokenId: string; userGuid: string } | undefined> {
  const text =
    'SELECT token_id, user_guid FROM issued_token WHERE code_hash = $1 AND client_id IS NOT DISTINCT FROM $2::text';
  const [row] = (await db.query<{ token_id: string; user_guid: string }>(text, [codeHash, clientId ?? null])).rows;
  return row && { tokenId: row.token_id, userGuid: row.user_guid };
}

export async function insertKeyChange(db: Queryable, now: Date): Promise<void> {
  await db.query(
    `WITH counter AS (UPDATE revocation_counter SET last = last + 1 RETURNING last)
     INSERT INTO key_change (sequence, changed_at) SELECT last, $1 FROM counter`,
    [now],
  );
}

export async function insertUserChanges(db: Queryable, userGuids: readonly string[], now: Date): Promise<void> {
  await db.query(
    // A patient's proxies see the records that the patient sees, so their access changes with the patient's.
    `WITH changed AS (
       SELECT user_guid, row_number() OVER (ORDER BY user_guid) AS position FROM (
         SELECT unnest($1::uuid[]) AS user_guid
         UNION
         SELECT d.user_guid FROM patient p JOIN patient_proxy x USING (patient_guid)
           JOIN patient d ON d.patient_guid = x.delegate_guid
         WHERE p.user_guid = ANY($1::uuid[]) AND x.status = 'active') c
     ), counter AS (
       UPDATE revocation_counter SET last = last + (SELECT count(*) FROM changed) RETURNING last
     )
     INSERT INTO user_change (sequence, user_guid, changed_at)
     SELECT last - (SELECT count(*) FROM changed) + position, user_guid, $2 FROM counter, changed`,
    [userGuids, now],
  );
}

/** The active entries after a sequence number, oldest first. */
export async function readFeed(
  db: Queryable,
  range: { after: number; upTo: number; now: Date; limit: number },
): Promise<FeedRow[]> {
  const statement = {
    name: 'identity-revocation-feed',
    text: `(SELECT sequence, 'token_revoked' AS kind, token_id, NULL::uuid AS user_guid, expires_at FROM revoked_token
            WHERE sequence > $1 AND sequence <= $2 AND expires_at > $3 ORDER BY sequence LIMIT $4)
           UNION ALL
           (SELECT sequence, 'user_changed', NULL, user_guid, NULL FROM user_change
            WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $4)
           UNION ALL
           (SELECT sequence, 'keys_changed', NULL, NULL, NULL FROM key_change
            WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $4)
           ORDER BY sequence LIMIT $4`,
  };
  return (await db.query<FeedRow>(statement, [range.after, range.upTo, range.now, range.limit])).rows;
}

/**
 * Deletes expired tokens, and changes that are older than any cache. A token of a browser session stays as long as the
 * session does: by it one signs out, though it has expired.
 */
export async function sweep(db: Queryable, bounds: { expiredBefore: Date; changedBefore: Date }): Promise<void> {
  await db.query('DELETE FROM issued_token WHERE expires_at <= $1 AND session_guid IS NULL', [bounds.expiredBefore]);
  await db.query('DELETE FROM revoked_token WHERE expires_at <= $1', [bounds.expiredBefore]);
  await db.query('DELETE FROM user_change WHERE changed_at <= $1', [bounds.changedBefore]);
}
