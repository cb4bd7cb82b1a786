// Registered clients: SQL only.

import type { ClientCall } from '#lib/auth/principal.ts';
import type { Queryable } from '#lib/db/database.ts';
import { notify } from '#lib/db/listener.ts';
import { findRow, readCount } from '#lib/db/rows.ts';
import type { ListRange } from '../list-page.ts';
import type { Client, ClientKind, ClientSettings, NewClient } from './client.ts';

/** A client with the hashes of its secrets. */
export interface StoredClient extends Client {
  readonly secretHash: Buffer | null;
  readonly previousSecretHash: Buffer | null;
}

interface Row {
  client_id: string;
  name: string;
  kind: ClientKind;
  is_public: boolean;
  secret_hash: Buffer | null;
  previous_secret_hash: Buffer | null;
  previous_secret_until: Date | null;
  audience: string;
  calls: ClientCall[];
  redirects: string[];
  reauthenticate: boolean;
  disabled_at: Date | null;
  created_at: Date;
  created_by: string;
  rotated_at: Date | null;
  last_used_at: Date | null;
}

const COLUMNS = `client_id, name, kind, is_public, secret_hash, previous_secret_hash, previous_secret_until, audience, calls, redirects,
  reauthenticate, disabled_at, created_at, created_by, rotated_at, last_used_at`;

/** All clients, ordered by id. */
export async function listClients(
  db: Queryable,
  range: ListRange = { limit: null, offset: 0 },
): Promise<StoredClient[]> {
  const statement = {
    name: 'identity-clients',
    text: `SELECT ${COLUMNS} FROM client ORDER BY lower(client_id) LIMIT $1 OFFSET $2`,
  };
  return (await db.query<Row>(statement, [range.limit, range.offset])).rows.map(toClient);
}

export async function countClients(db: Queryable): Promise<number> {
  return readCount(db, 'SELECT count(*)::int AS count FROM client');
}

export async function readClient(db: Queryable, clientId: string): Promise<StoredClient | undefined> {
  return findRow(db, `SELECT ${COLUMNS} FROM client WHERE client_id = $1`, [clientId], toClient);
}

/** The client, locked until the transaction ends: nobody else changes it, and nobody signs in by it. */
export async function lockClient(db: Queryable, clientId: string): Promise<StoredClient | undefined> {
  return findRow(db, `SELECT ${COLUMNS} FROM client WHERE client_id = $1 FOR UPDATE`, [clientId], toClient);
}

/** The audience of an enabled client, which stays enabled until the transaction ends; undefined for any other. */
export async function lockAudience(db: Queryable, clientId: string): Promise<string | undefined> {
  const statement = {
    name: 'identity-client-hold',
    text: 'SELECT audience FROM client WHERE client_id = $1 AND disabled_at IS NULL FOR KEY SHARE',
  };
  return (await db.query<{ audience: string }>(statement, [clientId])).rows[0]?.audience;
}

/** False when the id is taken, in whatever case. */
export async function insertClient(
  db: Queryable,
  client: NewClient,
  made: { secretHash: Buffer | null; by: string; at: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO client (client_id, name, kind, is_public, secret_hash, audience, calls, redirects, created_at, created_by, changed_at,
       reauthenticate)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $9, $11) ON CONFLICT DO NOTHING`,
    [
      client.clientId,
      client.name,
      client.kind,
      client.isPublic,
      made.secretHash,
      client.audience,
      client.calls,
      client.redirects,
      made.at,
      made.by,
      client.reauthenticate ?? false,
    ],
  );
  return rowCount === 1;
}

export async function updateSettings(
  db: Queryable,
  clientId: string,
  settings: ClientSettings,
  at: Date,
): Promise<void> {
  const { name, audience, calls, redirects, reauthenticate = null } = settings;
  await db.query(
    `UPDATE client SET name = $2, audience = $3, calls = $4, redirects = $5, changed_at = $6,
       reauthenticate = coalesce($7, reauthenticate) WHERE client_id = $1`,
    [clientId, name, audience, calls, redirects, at, reauthenticate],
  );
}

/** Replaces the secret; the previous one stays valid until the given time, if there is one. */
export async function replaceSecret(
  db: Queryable,
  clientId: string,
  { hash, previousUntil, at }: { hash: Buffer; previousUntil: Date | null; at: Date },
): Promise<void> {
  await db.query(
    `UPDATE client SET previous_secret_hash = CASE WHEN $3::timestamptz IS NULL THEN NULL ELSE secret_hash END,
       previous_secret_until = $3, secret_hash = $2, rotated_at = $4, changed_at = $4 WHERE client_id = $1`,
    [clientId, hash, previousUntil, at],
  );
}

export async function setDisabled(
  db: Queryable,
  clientId: string,
  change: { disabledAt: Date | null; at: Date },
): Promise<void> {
  const text = 'UPDATE client SET disabled_at = $2, changed_at = $3 WHERE client_id = $1';
  await db.query(text, [clientId, change.disabledAt, change.at]);
}

export async function deleteClient(db: Queryable, clientId: string): Promise<void> {
  await db.query('DELETE FROM client WHERE client_id = $1', [clientId]);
}

/** Deletes the client's unfinished sign-ins. */
export async function deleteSignIns(db: Queryable, clientId: string): Promise<void> {
  await db.query('DELETE FROM sign_in_code WHERE client_id = $1', [clientId]);
  await db.query('DELETE FROM sign_in_challenge WHERE client_id = $1', [clientId]);
}

export async function readVersion(db: Queryable): Promise<number> {
  const statement = { name: 'identity-client-version', text: 'SELECT version FROM client_version' };
  return (await db.query<{ version: number }>(statement)).rows[0]?.version ?? 0;
}

/** Notifies all nodes, when the transaction commits, that clients have changed. */
export async function notifyChange(db: Queryable, channel: string): Promise<void> {
  await db.query('UPDATE client_version SET version = version + 1');
  await notify(db, channel);
}

/** Stores when clients were last used; a stored time never goes back. */
export async function recordUses(db: Queryable, uses: ReadonlyMap<string, Date>): Promise<void> {
  await db.query(
    `UPDATE client c SET last_used_at = u.used_at FROM unnest($1::text[], $2::timestamptz[]) AS u (client_id, used_at)
     WHERE c.client_id = u.client_id AND (c.last_used_at IS NULL OR c.last_used_at < u.used_at)`,
    [[...uses.keys()], [...uses.values()]],
  );
}

/** The same for the clients of the configuration, which have no row of their own. */
export async function recordConfiguredUses(db: Queryable, uses: ReadonlyMap<string, Date>): Promise<void> {
  await db.query(
    `INSERT INTO configured_client_use AS c (client_id, last_used_at)
     SELECT * FROM unnest($1::text[], $2::timestamptz[]) AS u (client_id, used_at) ORDER BY client_id
     ON CONFLICT (client_id) DO UPDATE SET last_used_at = excluded.last_used_at WHERE c.last_used_at < excluded.last_used_at`,
    [[...uses.keys()], [...uses.values()]],
  );
}

/** When clients of the configuration were last used; unused ones are missing. */
export async function readConfiguredUses(db: Queryable): Promise<ReadonlyMap<string, Date>> {
  const text = 'SELECT client_id, last_used_at FROM configured_client_use';
  const { rows } = await db.query<{ client_id: string; last_used_at: Date }>(text);
  return new Map(rows.map((row) => [row.client_id, row.last_used_at]));
}

function toClient(row: Row): StoredClient {
  return {
    clientId: row.client_id,
    name: row.name,
    kind: row.kind,
    isPublic: row.is_public,
    secretHash: row.secret_hash,
    previousSecretHash: row.previous_secret_hash,
    previousSecretUntil: row.previous_secret_until,
    audience: row.audience,
    calls: row.calls,
    redirects: row.redirects,
    reauthenticate: row.reauthenticate,
    managedBy: 'record',
    disabledAt: row.disabled_at,
    createdAt: row.created_at,
    createdBy: row.created_by,
    rotatedAt: row.rotated_at,
    lastUsedAt: row.last_used_at,
  };
}
