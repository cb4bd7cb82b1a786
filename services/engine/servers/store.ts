// SQL statements for registered external servers.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import type { ServerKind } from '../shared/upstream/server-definition.ts';
import type { OpenAuth } from './definition.ts';

export interface ServerRow {
  readonly name: string;
  readonly url: string;
  readonly kind: ServerKind;
  readonly auth: OpenAuth;
  /** Sealed. */
  readonly secret: Buffer | null;
  readonly timeout_ms: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type NewServer = Omit<ServerRow, 'created_at' | 'updated_at'>;

export async function listServers(db: Queryable): Promise<ServerRow[]> {
  const { rows } = await db.query<ServerRow>('SELECT * FROM external_server');
  return rows;
}

export async function findServer(db: Queryable, name: string): Promise<ServerRow | undefined> {
  const { rows } = await db.query<ServerRow>(
    { name: 'external-server-find', text: 'SELECT * FROM external_server WHERE name = $1' },
    [name],
  );
  return rows[0];
}

export async function lockServer(tx: Transaction, name: string): Promise<ServerRow | undefined> {
  const { rows } = await tx.query<ServerRow>('SELECT * FROM external_server WHERE name = $1 FOR UPDATE', [name]);
  return rows[0];
}

/** Inserts a server; undefined when the name is taken. */
export async function insertServer(tx: Transaction, server: NewServer, at: Date): Promise<ServerRow | undefined> {
  const { rows } = await tx.query<ServerRow>(
    `INSERT INTO external_server (name, url, kind, auth, secret, timeout_ms, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7) ON CONFLICT (name) DO NOTHING RETURNING *`,
    [...valuesOf(server), at],
  );
  return rows[0];
}

/** Updates a locked server. */
export async function updateServer(tx: Transaction, server: NewServer, at: Date): Promise<ServerRow | undefined> {
  const { rows } = await tx.query<ServerRow>(
    `UPDATE external_server SET url = $2, kind = $3, auth = $4, secret = $5, timeout_ms = $6, updated_at = $7
     WHERE name = $1 RETURNING *`,
    [...valuesOf(server), at],
  );
  return rows[0];
}

export async function deleteServer(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.query('DELETE FROM external_server WHERE name = $1', [name])).rowCount === 1;
}

function valuesOf({ name, url, kind, auth, secret, timeout_ms: timeout }: NewServer): unknown[] {
  return [name, url, kind, JSON.stringify(auth), secret, timeout];
}
