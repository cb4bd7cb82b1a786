// Signing keys: SQL only. The private part never leaves this folder and is never stored in the clear.
import type { JWK } from 'jose';
import type { Queryable } from '#lib/db/database.ts';

export interface SigningKeyRow {
  readonly key_id: string;
  readonly public_jwk: JWK;
  /** The encrypted private part; null when the key no longer signs. */
  readonly private_sealed: Buffer | null;
  readonly created_at: Date;
  readonly signs_from: Date;
  /** When the last token of the key expires; null for a key that signs or will sign. */
  readonly published_until: Date | null;
}

/** Locks the keys against changes until the transaction ends. */
export async function lockKeys(db: Queryable): Promise<void> {
  await db.query('LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE');
}

/** All published keys, the newest last. */
export async function readKeys(db: Queryable): Promise<SigningKeyRow[]> {
  const { rows } = await db.query<SigningKeyRow>(
    `SELECT key_id, public_jwk, private_sealed, created_at, signs_from, published_until
     FROM signing_key ORDER BY signs_from, created_at, key_id`,
  );
  return rows;
}

export type NewKey = Omit<SigningKeyRow, 'published_until'>;

export async function insertKey(db: Queryable, key: NewKey): Promise<void> {
  await db.query(
    'INSERT INTO signing_key (key_id, public_jwk, private_sealed, created_at, signs_from) VALUES ($1, $2, $3, $4, $5)',
    [key.key_id, key.public_jwk, key.private_sealed, key.created_at, key.signs_from],
  );
}

/** Private parts that an earlier version stored in the clear. */
export async function readClearKeys(db: Queryable): Promise<Array<{ key_id: string; private_jwk: JWK }>> {
  const { rows } = await db.query<{ key_id: string; private_jwk: JWK }>(
    'SELECT key_id, private_jwk FROM signing_key WHERE private_jwk IS NOT NULL FOR UPDATE',
  );
  return rows;
}

export async function sealKey(db: Queryable, keyId: string, sealed: Buffer): Promise<void> {
  await db.query('UPDATE signing_key SET private_sealed = $2, private_jwk = NULL WHERE key_id = $1', [keyId, sealed]);
}

export async function signFrom(db: Queryable, keyId: string, time: Date): Promise<void> {
  await db.query('UPDATE signing_key SET signs_from = $2 WHERE key_id = $1', [keyId, time]);
}

/** Deletes the private part and sets how long the public one is needed: `leewayMs` longer than its last token. */
export async function retireKey(db: Queryable, keyId: string, now: Date, leewayMs: number): Promise<void> {
  await db.query(
    `UPDATE signing_key SET private_sealed = NULL, published_until = $3::double precision * interval '1 millisecond'
       + greatest($2::timestamptz, (SELECT max(expires_at) FROM issued_token WHERE key_id = $1 OR key_id IS NULL))
     WHERE key_id = $1`,
    [keyId, now, leewayMs],
  );
}

/**
 * The number of active tokens that the key signed, and of their users. Tokens of an earlier version name no key: any
 * key may have signed them.
 */
export async function countActive(
  db: Queryable,
  keyId: string,
  now: Date,
): Promise<{ tokens: number; users: number; lastExpiry: Date | null }> {
  const { rows } = await db.query<{ tokens: number; users: number; last: Date | null }>(
    `SELECT count(*)::int AS tokens, count(DISTINCT user_guid)::int AS users, max(expires_at) AS last
     FROM issued_token i WHERE (key_id = $1 OR key_id IS NULL) AND expires_at > $2
       AND NOT EXISTS (SELECT FROM revoked_token r WHERE r.token_id = i.token_id)`,
    [keyId, now],
  );
  const { tokens = 0, users = 0, last = null } = rows[0] ?? {};
  return { tokens, users, lastExpiry: last };
}

/** Deletes the key and the record of its tokens. */
export async function deleteKey(db: Queryable, keyId: string): Promise<void> {
  await db.query('DELETE FROM issued_token WHERE key_id = $1', [keyId]);
  await db.query('DELETE FROM signing_key WHERE key_id = $1', [keyId]);
}
