// SQL of the provider_endpoint table (decision D9).
import type { Queryable } from '#lib/db/database.ts';
import { fromRow } from '#lib/db/from-row.ts';
import { findRow } from '#lib/db/rows.ts';

export type DisabledReason = 'administrator' | 'gone';

export interface Endpoint {
  readonly providerGuid: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly disabledReason: DisabledReason | undefined;
  /** Sealed. */
  readonly secret: Buffer;
  readonly previousSecret: Buffer | undefined;
  readonly previousSecretUntil: Date | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface Row {
  provider_guid: string;
  url: string;
  enabled: boolean;
  disabled_reason: DisabledReason | null;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
  created_at: Date;
  updated_at: Date;
}

const FIND = { name: 'endpoint-find', text: 'SELECT * FROM provider_endpoint WHERE provider_guid = $1' };
const LOCK = { name: 'endpoint-lock', text: `${FIND.text} FOR UPDATE` };
const INSERT = {
  name: 'endpoint-insert',
  text: `INSERT INTO provider_endpoint (provider_guid, url, enabled, disabled_reason, secret, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (provider_guid) DO NOTHING RETURNING *`,
};
const UPDATE = {
  name: 'endpoint-update',
  text: `UPDATE provider_endpoint SET url = $2, enabled = $3, disabled_reason = $4, secret = $5, previous_secret = $6,
    previous_secret_until = $7, updated_at = $8 WHERE provider_guid = $1 RETURNING *`,
};
const DELETE = { name: 'endpoint-delete', text: 'DELETE FROM provider_endpoint WHERE provider_guid = $1' };

const NOTE_HOSTED = {
  name: 'endpoint-note-hosted',
  text: 'INSERT INTO hosted_provider (provider_guid, since) VALUES ($1, $2) ON CONFLICT (provider_guid) DO NOTHING',
};
const WAS_HOSTED = {
  name: 'endpoint-was-hosted',
  text: 'SELECT FROM hosted_provider WHERE provider_guid = $1',
};

/** Stores that the engine hosts the provider; it stays when that ends. */
export async function markHosted(transaction: Queryable, providerGuid: string, now: Date): Promise<void> {
  await transaction.query(NOTE_HOSTED, [providerGuid, now]);
}

export async function wasHosted(db: Queryable, providerGuid: string): Promise<boolean> {
  return (await db.query(WAS_HOSTED, [providerGuid])).rowCount === 1;
}

export async function findEndpoint(db: Queryable, providerGuid: string): Promise<Endpoint | undefined> {
  return findRow(db, FIND, [providerGuid], (row: Row) => fromRow(row));
}

export async function lockEndpoint(transaction: Queryable, providerGuid: string): Promise<Endpoint | undefined> {
  return findRow(transaction, LOCK, [providerGuid], (row: Row) => fromRow(row));
}

/** Undefined when the provider has an endpoint already. */
export async function insertEndpoint(
  transaction: Queryable,
  endpoint: Pick<Endpoint, 'providerGuid' | 'url' | 'enabled' | 'secret'>,
  now: Date,
): Promise<Endpoint | undefined> {
  const { providerGuid, url, enabled, secret } = endpoint;
  const reason = enabled ? null : 'administrator';
  return findRow(transaction, INSERT, [providerGuid, url, enabled, reason, secret, now], (row: Row) => fromRow(row));
}

/** Updates a locked endpoint. */
export async function updateEndpoint(transaction: Queryable, endpoint: Endpoint, now: Date): Promise<Endpoint> {
  const { rows } = await transaction.query<Row>(UPDATE, [
    endpoint.providerGuid,
    endpoint.url,
    endpoint.enabled,
    endpoint.disabledReason ?? null,
    endpoint.secret,
    endpoint.previousSecret ?? null,
    endpoint.previousSecretUntil ?? null,
    now,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('The endpoint was not locked');
  return fromRow(row);
}

export async function deleteEndpoint(transaction: Queryable, providerGuid: string): Promise<void> {
  await transaction.query(DELETE, [providerGuid]);
}
