// SQL statements for API keys.
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import { rowsByGuid } from '#lib/db/rows.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, instant, selectPage } from '../shared/sql.ts';
import type { ApiKey, ApiKeyQuery } from './schema.ts';
import type { NewSecret } from './secret.ts';

/** A key's row. The service computes the status from the clock. */
export type ApiKeyRow = Omit<ApiKey, 'status'> & { readonly is_revoked: boolean };

const COLUMNS = `key_guid, name, prefix, scopes, provider_guid, organisation_guid, ${instant('expires_at')}, ${instant('last_used_at')}, ${instant('previous_until', 'previous_key_until')},
  revoked_at IS NOT NULL AS is_revoked, ${instant('created_at')}, ${instant('updated_at')}`;

export function listKeys(db: Database, query: ApiKeyQuery & PageRequest): Promise<Page<ApiKeyRow>> {
  const conditions = new Conditions().add(query.provider_guid, (guid) => `provider_guid = ${guid}`);
  return selectPage<ApiKeyRow>(
    db,
    { columns: COLUMNS, from: 'api_key', orderBy: byName('name', 'key_guid') },
    conditions,
    query,
  );
}

export const { find: findKey, lock: lockKey } = rowsByGuid<ApiKeyRow>('api_key', 'key_guid', COLUMNS);

export interface KeyFields {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

export async function insertKey(
  tx: Transaction,
  guid: string,
  fields: KeyFields & Pick<LiveKey, 'provider_guid' | 'organisation_guid'> & { readonly secret: NewSecret },
  at: Date,
): Promise<void> {
  const { name, scopes, expires_at: expiresAt, secret } = fields;
  await tx.query(
    `INSERT INTO api_key (key_guid, name, prefix, key_hash, scopes, provider_guid, organisation_guid,
       expires_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [guid, name, secret.prefix, secret.hash, scopes, fields.provider_guid, fields.organisation_guid, expiresAt, at],
  );
}

export async function updateKey(
  tx: Transaction,
  guid: string,
  fields: KeyFields & { readonly isRevoked: boolean },
  at: Date,
): Promise<void> {
  await tx.query(
    `UPDATE api_key SET name = $2, scopes = $3, expires_at = $4, updated_at = $5,
       revoked_at = CASE WHEN $6 THEN coalesce(revoked_at, $5) END WHERE key_guid = $1`,
    [guid, fields.name, fields.scopes, fields.expires_at, at, fields.isRevoked],
  );
}

/** The replaced key works until `graceEnds`. A key that was replaced earlier stops at once. */
export async function rotateKey(
  tx: Transaction,
  guid: string,
  rotation: { readonly secret: NewSecret; readonly graceEnds: Date },
  at: Date,
): Promise<void> {
  await tx.query(
    `UPDATE api_key SET previous_hash = key_hash, previous_until = $2, key_hash = $3, prefix = $4, updated_at = $5
     WHERE key_guid = $1`,
    [guid, rotation.graceEnds, rotation.secret.hash, rotation.secret.prefix, at],
  );
}

export async function deleteKey(tx: Transaction, guid: string): Promise<void> {
  await tx.query('DELETE FROM api_key WHERE key_guid = $1', [guid]);
}

/** The condition that the key `k` is active at the time $2. */
const LIVE = `k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
  AND (k.provider_guid IS NULL OR EXISTS (SELECT FROM provider p WHERE p.provider_guid = k.provider_guid AND p.status = 'active'))`;

export interface LiveKey {
  readonly key_guid: string;
  readonly scopes: string[];
  readonly provider_guid: string | null;
  readonly organisation_guid: string | null;
}

/**
 * Returns the key with this guid if it is not revoked or expired and its provider is active. Jobs use it: they run on
 * when nobody presents the key.
 */
export async function findLiveKeyOf(db: Queryable, guid: string, at: Date): Promise<LiveKey | undefined> {
  const { rows } = await db.query<LiveKey>(
    `SELECT k.key_guid, k.scopes, k.provider_guid, k.organisation_guid FROM api_key k WHERE k.key_guid = $1 AND ${LIVE}`,
    [guid, at],
  );
  return rows[0];
}

/** Returns the same by hash: the hash of the key or, in the grace period, of the key that it replaced. */
export async function findLiveKey(db: Queryable, hash: Buffer, at: Date): Promise<LiveKey | undefined> {
  const { rows } = await db.query<LiveKey>(
    {
      name: 'api-key-live',
      text: `SELECT k.key_guid, k.scopes, k.provider_guid, k.organisation_guid FROM api_key k
        WHERE (k.key_hash = $1 OR (k.previous_hash = $1 AND k.previous_until > $2)) AND ${LIVE}`,
    },
    [hash, at],
  );
  return rows[0];
}
