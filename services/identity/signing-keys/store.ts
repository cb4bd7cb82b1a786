// The keys that sign tokens: SQL only. The private part never leaves this folder.
import type { JWK } from 'jose';
import type { Queryable } from '#lib/db/database.ts';

export interface SigningKeyRow {
  key_id: string;
  public_jwk: JWK;
  private_jwk: JWK;
  signs_from: Date;
}

/** Keeps others from making a key until the transaction ends. */
export async function lockKeys(db: Queryable): Promise<void> {
  await db.query('LOCK TABLE signing_key IN SHARE ROW EXCLUSIVE MODE');
}

/** Keys that are published now, the newest last. */
export async function readKeys(db: Queryable, now: Date): Promise<SigningKeyRow[]> {
  const { rows } = await db.query<SigningKeyRow>(
    `SELECT key_id, public_jwk, private_jwk, signs_from FROM signing_key
     WHERE published_until IS NULL OR published_until > $1 ORDER BY signs_from, key_id`,
    [now],
  );
  return rows;
}

export async function insertKey(db: Queryable, key: SigningKeyRow, createdAt: Date): Promise<void> {
  await db.query(
    'INSERT INTO signing_key (key_id, public_jwk, private_jwk, created_at, signs_from) VALUES ($1, $2, $3, $4, $5)',
    [key.key_id, key.public_jwk, key.private_jwk, createdAt, key.signs_from],
  );
}
