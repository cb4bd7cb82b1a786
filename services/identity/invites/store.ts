// Invites to groups: SQL only.
import type { Queryable } from '#lib/db/database.ts';

export interface NewInvite {
  readonly inviteGuid: string;
  readonly groupGuid: string;
  readonly tokenHash: Buffer;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export async function insertInvite(db: Queryable, invite: NewInvite): Promise<void> {
  await db.query(
    `INSERT INTO group_invite (invite_guid, group_guid, token_hash, created_by_guid, created_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [invite.inviteGuid, invite.groupGuid, invite.tokenHash, invite.createdBy, invite.createdAt, invite.expiresAt],
  );
}

export async function deleteExpired(db: Queryable, before: Date): Promise<void> {
  await db.query('DELETE FROM group_invite WHERE expires_at <= $1', [before]);
}

export async function findInvite(
  db: Queryable,
  tokenHash: Buffer,
): Promise<{ groupGuid: string; expiresAt: Date } | null> {
  const { rows } = await db.query<{ group_guid: string; expires_at: Date }>(
    'SELECT group_guid, expires_at FROM group_invite WHERE token_hash = $1',
    [tokenHash],
  );
  const [row] = rows;
  return row === undefined ? null : { groupGuid: row.group_guid, expiresAt: row.expires_at };
}
